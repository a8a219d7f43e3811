"""Documents over the API: added, left alone, changed in one step, deleted, refused."""

import base64
from typing import Any

import pytest

from apps.knowledge.models import Document, DocumentSource, Passage
from tests.knowledge.files import encrypted_pdf, pdf
from tests.knowledge.library import Library, state, work_until_done

DOCUMENTS = "embedding-stores/handbook/documents"


def titles() -> list[str]:
    return list(Passage.objects.order_by("title").values_list("title", flat=True))


@pytest.mark.sqlite
def test_an_upload_on_sqlite_is_embedded_when_it_is_answered(library: Library) -> None:
    response = library.upload("handbook.md", "# Ferries\n\nEvery hour.")
    assert response.status_code == 201
    body = response.json()
    assert body == {
        "id": body["id"],
        "name": "handbook.md",
        "mediaType": "text/markdown",
        "bytes": 22,
        "contentHash": "sha256:de92d5a8532b5bdf71e02a84e917381de343b4626c4b8f1046a7de5570559c7f",
        "status": "ready",
        "error": None,
        "passages": 1,
        "createdAt": body["createdAt"],
        "updatedAt": body["updatedAt"],
    }
    assert titles() == ["handbook.md#1"]


@pytest.mark.postgres
def test_an_upload_on_postgresql_waits_for_the_worker(library: Library) -> None:
    response = library.upload("handbook.md", "Every hour.")
    assert (response.status_code, response.json()["status"], response.json()["passages"]) == (201, "pending", 0)
    assert (titles(), library.server.texts) == ([], [])
    work_until_done()
    shown = library.api("GET", f"{DOCUMENTS}/{response.json()['id']}").json()
    assert (shown["status"], shown["passages"]) == ("ready", 1)
    assert (titles(), DocumentSource.objects.count()) == (["handbook.md#1"], 0)


def test_the_same_content_is_not_embedded_again(library: Library) -> None:
    document = library.add("a.md", "Every hour.")
    before, asked = state(), len(library.server.texts)
    again = library.upload("a.md", "Every hour.")
    work_until_done()
    assert (again.status_code, again.json()["id"]) == (200, document.id)
    assert (state(), len(library.server.texts)) == (before, asked)


def test_a_changed_document_replaces_its_passages_in_one_step(library: Library) -> None:
    document = library.add("a.md", "Every hour.")
    library.add("b.md", "At night.")
    library.server.vectors = {"Twice a day.": [1, 0, 0], "ferries": [1, 0, 0]}
    changed = library.upload("a.md", "Twice a day.")
    assert (changed.status_code, changed.json()["id"]) == (200, document.id)
    work_until_done()
    assert [(row.title, row.text) for row in Passage.objects.order_by("title")] == [
        ("a.md#1", "Twice a day."),
        ("b.md#1", "At night."),
    ]
    assert library.store().passages == 2
    assert library.titles(library.search())[0] == "a.md#1"


def test_the_old_passages_answer_while_new_content_waits_or_fails(library: Library) -> None:
    library.server.vectors = {"Every hour.": [1, 0, 0], "ferries": [1, 0, 0]}
    library.add("a.md", "Every hour.")
    library.server.upstream.reply(500, match=lambda request: request.json["input"] == ["Twice a day."])
    library.upload("a.md", "Twice a day.")
    work_until_done()
    document = Document.objects.get()
    assert (document.status, document.error) == ("failed", "The embedding server answered with an error.")
    assert library.search().json()["results"][0]["snippet"] == "Every hour."
    [shown] = library.api("GET", "embedding-stores").json()["items"]
    assert shown["documents"] == {"total": 1, "pending": 0, "failed": 1}


def test_a_deleted_document_takes_its_passages_along(library: Library) -> None:
    document = library.add("a.md", "Every hour.")
    library.add("b.md", "At night.")
    assert library.api("DELETE", f"{DOCUMENTS}/{document.id}").status_code == 204
    assert (titles(), library.store().passages) == (["b.md#1"], 1)
    assert library.api("GET", f"{DOCUMENTS}/{document.id}").status_code == 404
    assert library.api("DELETE", f"{DOCUMENTS}/{document.id}").status_code == 404
    assert library.titles(library.search(limit=10)) in (["b.md#1"], [])


def test_a_deleted_store_takes_everything_along(library: Library) -> None:
    library.add("a.md", "Every hour.")
    assert library.api("DELETE", "embedding-stores/handbook").status_code == 204
    assert (Passage.objects.count(), Document.objects.count()) == (0, 0)
    assert library.api("GET", DOCUMENTS).status_code == 404


def test_bytes_in_base64_and_a_media_type(library: Library) -> None:
    content = base64.b64encode(pdf("Every hour.")).decode()
    response = library.api("POST", DOCUMENTS, {"name": "times.pdf", "contentBase64": content})
    assert (response.status_code, response.json()["mediaType"]) == (201, "application/pdf")
    page = {"name": "page", "content": "<h1>Ferries</h1>", "mediaType": "text/html"}
    assert library.api("POST", DOCUMENTS, page).json()["mediaType"] == "text/html"
    work_until_done()
    assert sorted(Passage.objects.values_list("text", flat=True)) == ["# Ferries", "Every hour."]


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({}, "content"),
        ({"content": "x", "contentBase64": "eA=="}, "content"),
        ({"content": ""}, "content"),
        ({"content": "one\x00two"}, "content"),
        ({"content": "\ud800"}, "content"),
        ({"content": 5}, "content"),
        ({"contentBase64": "not base64!"}, "contentBase64"),
        ({"contentBase64": base64.b64encode(b"\x89PNG\xff").decode()}, "content"),
        ({"contentBase64": base64.b64encode(encrypted_pdf("x", "password")).decode()}, "content"),
        ({"contentBase64": base64.b64encode(b"%PDF-broken").decode()}, "content"),
        ({"content": "x", "mediaType": "image/png"}, "mediaType"),
        ({"content": "x", "name": ""}, "name"),
        ({"content": "x", "name": "n" * 201}, "name"),
        ({"content": "x", "folder": "y"}, "folder"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(library: Library, members: dict[str, Any], field: str) -> None:
    library.add("a.md", "Every hour.")
    before = state()
    response = library.api("POST", DOCUMENTS, {"name": "a.md", **members})
    assert (response.status_code, list(response.json()["error"]["fields"])) == (400, [field])
    assert state() == before


def test_larger_than_other_bodies_and_not_larger_than_the_setting(library: Library, settings: Any) -> None:
    settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = 1
    library.server.dimension = 8
    large = library.upload("large.md", "Every hour of every day.\n\n" * 12_000)
    assert large.status_code == 201
    before = state()
    for size in (2 << 20, (1 << 20) + 1):
        response = library.upload("larger.md", "x" * size)
        assert (response.status_code, response.json()["error"]["code"]) == (413, "payload_too_large")
    assert state() == before


def test_unknown_stores_and_documents(library: Library) -> None:
    assert library.upload("a.md", "x", store="none").status_code == 404
    assert library.api("GET", f"{DOCUMENTS}/doc_none").status_code == 404
    refused = library.api("POST", "embedding-stores", {"embeddingModel": "none"})
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["embeddingModel"])
    assert library.api("POST", "embedding-stores", {"embeddingModel": "writer", "id": "handbook"}).status_code == 409


def test_documents_are_listed_in_pages(library: Library) -> None:
    for number in range(3):
        library.add(f"{number}.md", f"Rule {number}.")
    first = library.api("GET", f"{DOCUMENTS}?limit=2").json()
    rest = library.api("GET", f"{DOCUMENTS}?limit=2&cursor={first['next']}").json()
    assert [item["name"] for item in first["items"] + rest["items"]] == ["0.md", "1.md", "2.md"]
    assert rest["next"] is None
