"""From documents to an agent's and a service's answer, and the cases that people reported of tools like this."""

import json
from pathlib import Path

import pytest
from django.db import connections

from apps.knowledge.models import Passage
from tests.knowledge.embedding_server import answer
from tests.knowledge.library import Library
from tests.upstream import Reply, Request
from tests.workspaces.conftest import build_house

CASES_FILE = Path(__file__).parents[1] / "cases" / "field-cases.json"
CASES = {case["id"]: case for case in json.loads(CASES_FILE.read_text())}
SERVICE = "search-engines/rag/search"


def fill(library: Library, vectors: dict[str, list[float]], query: list[float]) -> None:
    """One document a vector, called by its key."""
    library.server.vectors = {f"About {name}.": vector for name, vector in vectors.items()} | {"ferries": query}
    for name in vectors:
        library.add(f"{name}.md", f"About {name}.")


@pytest.mark.parametrize("case_id", ["RG-03", "RG-04", "RG-06", "RG-07"])
def test_reported_cases_of_vectors(library: Library, case_id: str) -> None:
    repro = CASES[case_id]["repro"]
    library.server.dimension = 2
    fill(library, repro.get("vectors", {}), repro["query"])
    response = library.search()
    assert (response.status_code, len(response.json()["results"])) == (200, repro["expect"]["count"])


def test_passages_of_one_document_all_stay(library: Library) -> None:
    chunks = CASES["RG-08"]["repro"]["chunks"]
    library.server.vectors = {"ferries": [1, 0, 0]} | {chunk["text"]: [1, 0, 0] for chunk in chunks}
    document = library.add("d1", "\n".join(chunk["text"] for chunk in chunks))
    store = library.store()
    Passage.objects.filter(document=document).delete()
    Passage.objects.bulk_create(
        Passage(
            workspace_id=store.workspace_id,
            store=store,
            document=document,
            generation=1,
            ordinal=place,
            title=f"d1#{place}",
            text=chunk["text"],
            vector=[1, 0, 0],
        )
        for place, chunk in enumerate(chunks, 1)
    )
    store.passages = 2
    store.revision += 1
    store.save()
    results = library.search().json()["results"]
    assert [(result["url"], result["title"], result["snippet"]) for result in results] == [
        ("", "d1#1", "part one"),
        ("", "d1#2", "part two"),
    ]


def test_a_blank_query_is_refused_before_anything_is_embedded(library: Library) -> None:
    library.add("a.md", "About ferries.")
    asked = len(library.server.texts)
    response = library.search(CASES["RG-09"]["repro"]["args"]["query"])
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")
    assert len(library.server.texts) == asked


def test_best_first_with_scores_of_half_of_one_plus_cosine(library: Library) -> None:
    fill(library, {"far": [0, 1, 0], "same": [2, 0, 0], "near": [0.6, 0.8, 0], "opposite": [-1, 0, 0]}, [1, 0, 0])
    response = library.search()
    assert response.json() == {
        "results": [
            {"url": "", "title": "same.md#1", "snippet": "About same.", "score": 1.0},
            {"url": "", "title": "near.md#1", "snippet": "About near.", "score": 0.8},
            {"url": "", "title": "far.md#1", "snippet": "About far.", "score": 0.5},
        ]
    }
    assert [(row.code, row.results) for row in library.road.executions()] == [("ok", 3)]


def test_a_service_says_how_many_and_how_similar(library: Library) -> None:
    fill(library, {"far": [0, 1, 0], "same": [1, 0, 0], "near": [0.6, 0.8, 0], "opposite": [-1, 0, 0]}, [1, 0, 0])
    service = library.service()
    plain = service("POST", SERVICE, {"query": "ferries"})
    assert plain.json() == {
        "provider": "rag",
        "query": "ferries",
        "results": [
            {"title": "same.md#1", "url": "", "snippet": "About same.", "score": 1.0},
            {"title": "near.md#1", "url": "", "snippet": "About near.", "score": 0.8},
            {"title": "far.md#1", "url": "", "snippet": "About far.", "score": 0.5},
        ],
    }
    all_four = service("POST", SERVICE, {"query": "ferries", "min_score": 0})
    assert library.titles(all_four) == ["same.md#1", "near.md#1", "far.md#1", "opposite.md#1"]
    assert library.titles(service("POST", SERVICE, {"query": "ferries", "min_score": 0.81})) == ["same.md#1"]
    assert library.titles(service("POST", SERVICE, {"query": "ferries", "max_results": 2})) == [
        "same.md#1",
        "near.md#1",
    ]


def test_five_passages_unless_something_else_is_said(library: Library) -> None:
    fill(library, {f"n{number}": [1, number / 100, 0] for number in range(8)}, [1, 0, 0])
    service = library.service()
    in_order = [f"n{number}.md#1" for number in range(8)]
    assert library.titles(library.search()) == in_order[:5]
    assert library.titles(library.search(limit=7)) == in_order[:7]
    assert library.titles(service("POST", SERVICE, {"query": "ferries"})) == in_order[:5]
    assert library.titles(service("POST", SERVICE, {"query": "ferries", "max_results": 50})) == in_order


def test_options_hold_for_both_and_an_agent_never_gets_more_than_its_limit(library: Library) -> None:
    fill(library, {f"n{number}": [1, number / 10, 0] for number in range(8)}, [1, 0, 0])
    installation_id = library.api("GET", "app-installations").json()["items"][0]["id"]
    path = f"app-installations/{installation_id}/search-engine-options"
    saved = library.api("PUT", path, {"maxResults": 7, "minScore": 0.95})
    assert saved.status_code == 200, saved.content
    # Cosines 1, 0.995, 0.981, 0.958, 0.928, 0.894: the sixth has a score of 0.947.
    in_order = [f"n{number}.md#1" for number in range(8)]
    assert library.titles(library.search(limit=10)) == in_order[:5]
    assert library.titles(library.search(limit=2)) == in_order[:2]
    service = library.service()
    assert library.titles(service("POST", SERVICE, {"query": "ferries"})) == in_order[:5]
    assert library.titles(service("POST", SERVICE, {"query": "ferries", "min_score": 0})) == in_order[:7]


def test_the_administrators_test_of_the_connection(library: Library) -> None:
    library.add("a.md", "About ferries.")
    installation_id = library.api("GET", "app-installations").json()["items"][0]["id"]
    assert library.road.test(installation_id).json() == {"ok": True}
    library.server.upstream.reply(500)
    failed = library.road.test(installation_id)
    assert (failed.status_code, failed.json()["error"]["reason"]) == (502, "bad_status")


def test_what_agents_are_told(library: Library) -> None:
    [entry] = library.road.agent("GET", "exec").json()["extensions"]
    assert (entry["name"], entry["description"]) == (
        "rag",
        "Searches your own documents by meaning and returns the passages that match best. "
        "Results are hints to read further, not evidence.",
    )
    members = entry["actions"][0]["outputSchema"]["properties"]["results"]["items"]["properties"]
    assert list(members) == ["url", "title", "snippet", "score"]


def test_a_description_of_ones_own_and_no_ids_in_it(empty_library: Library) -> None:
    library = empty_library
    library.make_model("secret-model-id")
    library.make_store("secret-store-id", "secret-model-id")
    library.connect("secret-store-id", "secret-model-id", description="The ferry company's handbook.")
    library.add("a.md", "About ferries.", "secret-store-id")
    catalog, detail, answer = (
        library.road.agent("GET", "exec"),
        library.road.agent("GET", "exec/rag"),
        library.search(),
    )
    assert catalog.json()["extensions"][0]["description"] == (
        "The ferry company's handbook. Results are hints to read further, not evidence."
    )
    for response in (catalog, detail, answer):
        assert response.status_code == 200
        assert "secret-" not in response.content.decode()


@pytest.mark.parametrize("member", ["embeddingStore", "embeddingModel"])
def test_a_store_or_model_of_another_workspace_does_not_connect(library: Library, member: str) -> None:
    other = build_house("lighthouse")
    api = other.admin.api
    body = {"id": "theirs", "kind": "openai_compatible", "baseUrl": library.server.url, "model": "m"}
    assert api("POST", f"{other.path}/embedding-models", body).status_code == 201
    store = {"id": "theirs", "embeddingModel": "theirs"}
    assert api("POST", f"{other.path}/embedding-stores", store).status_code == 201

    installation_id = library.api("GET", "app-installations").json()["items"][0]["id"]
    connection = library.road.connection_path(installation_id)
    before = library.house.admin.api("GET", connection).json()
    config = {"embeddingStore": "handbook", "embeddingModel": "writer"} | {member: "theirs"}
    refused = library.house.admin.api("PUT", connection, {"config": config})
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, [f"config.{member}"])
    assert library.house.admin.api("GET", connection).json() == before


def test_stores_of_one_name_in_two_workspaces_stay_apart(library: Library) -> None:
    other = build_house("lighthouse")
    theirs = Library(library.road.__class__.build(other, library.server.upstream, _Nothing()), library.server)
    theirs.make_model()
    theirs.make_store()
    theirs.connect()
    library.server.vectors = {"ours": [1, 0, 0], "theirs": [1, 0, 0], "ferries": [1, 0, 0]}
    library.add("ours.md", "ours")
    theirs.add("theirs.md", "theirs")
    assert library.titles(library.search()) == ["ours.md#1"]
    assert theirs.titles(theirs.search()) == ["theirs.md#1"]
    # Also a row that claims to be of the store, but is of another workspace.
    Passage.objects.filter(title="theirs.md#1").update(store=library.store())
    assert library.titles(library.search()) == ["ours.md#1"]


class _Nothing:
    """Settings that a second road may set without a trace."""


def test_a_store_that_is_gone_is_a_failure_and_an_empty_one_an_empty_answer(library: Library) -> None:
    assert library.search().json() == {"results": []}
    assert library.server.texts == []
    assert library.api("DELETE", "embedding-stores/handbook").status_code == 204
    gone = library.search()
    assert (gone.status_code, gone.json()["error"]["code"]) == (502, "upstream_failure")


@pytest.mark.postgres
def test_no_database_connection_is_held_while_the_server_is_waited_for(library: Library) -> None:
    library.add("a.md", "About ferries.")
    ours = connections["default"]
    held: list[bool] = []

    def look(request: Request) -> Reply:
        held.append(ours.connection is not None)
        return Reply(json=answer([library.server.vector(text) for text in request.json["input"]]))

    library.server.upstream.reply_with(look)
    assert library.search().status_code == 200
    assert held == [False]
