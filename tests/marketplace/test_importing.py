"""Specification B's own documents, as printed there, through `import_search_engine`."""

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.activity.models import AuditRow
from apps.marketplace.models import Connection, Credential, EngineOptions, ExtensionSelection, Installation
from tests.cases import CASES
from tests.road import ANSWERS, RESULT, Road
from tests.workspaces.conftest import House

DOCUMENTS = {document["provider"]: document for document in json.loads((CASES / "engine-documents.json").read_text())}
WEB = {name: document for name, document in DOCUMENTS.items() if name != "rag"}
NO_PLACE = [
    "  id: ignored: an engine is known by its App",
    "  name: ignored: an engine has its App's name",
]
KIND = "  kind: ignored: every document here is a search engine"
CLAMPED = "  config.connection.timeout: clamped: 15000 ms, the nearest that is taken here"
MODELS = (Installation, ExtensionSelection, Connection, Credential, EngineOptions, AuditRow)


def rows() -> dict[str, list[Any]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in MODELS}


def run(tmp_path: Path, house: House, documents: Any, *flags: str) -> list[str]:
    file = tmp_path / "engines.json"
    file.write_text(json.dumps(documents))
    out = StringIO()
    try:
        call_command("import_search_engine", str(file), "--workspace", house.workspace.id, *flags, stdout=out)
    except CommandError as error:
        out.write(str(error))
    return out.getvalue().splitlines()


def changed(provider: str, path: str, value: Any) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENTS[provider])
    *parents, last = path.split(".")
    target = document
    for name in parents:
        target = target.setdefault(name, {})
    target[last] = value
    return document


def installation(house: House, slug: str) -> Installation:
    return Installation.objects.get(workspace=house.workspace, app__slug=slug, status="active")


SECRETS = {"staan": "STAAN_API_KEY", "tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"} | {
    "google": "GOOGLE_CSE_KEY",
    "searchapi": "SEARCHAPI_KEY",
    "exa": "EXA_API_KEY",
}
EXPECTED: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "staan": ({}, {"market": "fr-FR", "count": 10, "timeoutMs": 15000}),
    "tavily": ({}, {"maxResults": 5, "searchDepth": "basic", "includeAnswer": False, "timeoutMs": 15000}),
    "brave": ({}, {"timeoutMs": 15000}),
    "searxng": ({"baseUrl": "https://searxng.internal.example.com", "language": "fr"}, {"timeoutMs": 15000}),
    "google": ({"cx": "0123456789abcdef0"}, {"timeoutMs": 15000}),
    "searchapi": ({}, {"engine": "google", "timeoutMs": 15000}),
    "duckduckgo": ({}, {"timeoutMs": 15000}),
    "exa": ({}, {"type": "auto", "highlights": True, "numResults": 10, "timeoutMs": 15000}),
}


@pytest.mark.parametrize("provider", sorted(WEB))
def test_a_printed_document_installs_connects_and_configures(house: House, tmp_path: Path, provider: str) -> None:
    lines = run(tmp_path, house, WEB[provider])
    config, options = EXPECTED[provider]
    notices = [KIND, CLAMPED] if "kind" in WEB[provider] else [CLAMPED]
    if provider in SECRETS:
        notices.append("  credentials.apiKey: noticed: the workspace has no secret of this name yet")
    assert sorted(lines) == sorted([f"{provider}: installed, connected, options set", *NO_PLACE, *notices, "Done."])
    connection = Connection.objects.get(installation=installation(house, provider))
    assert (connection.config, connection.active, connection.external_subject_ref) == (config, True, "default")
    assert EngineOptions.objects.get(installation=connection.installation).options == options
    kinds = list(connection.credentials.values_list("field", "kind"))
    assert kinds == ([("apiKey", "reference")] if provider in SECRETS else [])


def test_a_list_is_imported_whole_and_a_second_run_changes_nothing(house: House, tmp_path: Path) -> None:
    documents = list(WEB.values())
    run(tmp_path, house, documents)
    assert Installation.objects.filter(workspace=house.workspace).count() == len(documents)
    before = rows()
    lines = run(tmp_path, house, documents)
    assert [line for line in lines if not line.startswith(" ")] == [
        *(f"{document['provider']}: unchanged" for document in documents),
        "Done.",
    ]
    assert rows() == before


def test_a_dry_run_says_the_same_and_changes_nothing(house: House, tmp_path: Path) -> None:
    before = rows()
    lines = run(tmp_path, house, WEB["brave"], "--dry-run")
    assert lines[0] == "brave: installed, connected, options set"
    assert lines[-1] == "Dry run: nothing was changed."
    assert rows() == before


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (changed("brave", "provider", "bing"), "  provider: refused: one of: searxng, brave, tavily, serper, staan, "),
        (
            changed("brave", "config.connection.base_url", "https://proxy.example"),
            "  config.connection.base_url: refused: not this engine's origin; "
            "an operator sets another one as AGENTTEAM_SEARCH_ORIGIN_BRAVE",
        ),
        (changed("brave", "config.connection.token", ""), "  config.connection.token: refused: required"),
        (
            changed("brave", "config.connection.token", "${vault://local/A}${vault://local/B}"),
            "  config.connection.token: refused: A vault reference is the whole value",
        ),
        (changed("brave", "config.connection.timeout", "3s"), "  config.connection.timeout: refused: a number"),
        (changed("tavily", "config.options.max_results", 21), "  config.options.max_results: refused: "),
        (changed("tavily", "config.options.gl", "us"), "  config.options.gl: refused: unknown option; known here: "),
        (changed("google", "config.options", {}), "  config.options.cx: refused: required"),
        (changed("exa", "config.extra", 1), "  config.extra: refused: unknown member; known here: connection, options"),
        (changed("exa", "config", []), "  config: refused: an object"),
        (changed("searxng", "config.connection.base_url", "ftp://x"), "  config.connection.base_url: refused: "),
        ("brave", "  document: refused: an engine is a JSON object"),
    ],
)
def test_a_refusal_names_the_member_and_changes_nothing(house: House, tmp_path: Path, document: Any, line: str) -> None:
    before = rows()
    lines = run(tmp_path, house, [DOCUMENTS["duckduckgo"], document])
    assert any(shown.startswith(line) for shown in lines), lines
    assert lines[-1] == "Refused; nothing was changed."
    assert rows() == before


def test_a_second_engine_of_one_provider_is_a_conflict(house: House, tmp_path: Path) -> None:
    before = rows()
    lines = run(tmp_path, house, [WEB["brave"], WEB["brave"]])
    assert "  provider: refused: conflict: a workspace has one engine of each provider" in lines
    assert rows() == before


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("config.connection.token", "${vault://local/OTHER}"),
        ("config.connection.token", "other-0000"),
        ("config.options.max_results", 3),
    ],
)
def test_another_engine_of_a_connected_provider_is_a_conflict(
    house: House, tmp_path: Path, path: str, value: Any
) -> None:
    run(tmp_path, house, WEB["tavily"])
    before = rows()
    lines = run(tmp_path, house, [WEB["brave"], changed("tavily", path, value)])
    assert "  provider: refused: conflict: a workspace has one engine of each provider" in lines
    assert lines[-1] == "Refused; nothing was changed."
    assert rows() == before


def test_an_installed_app_without_a_connection_is_connected(road: Road, tmp_path: Path) -> None:
    installation_id = road.install("tavily")
    lines = run(tmp_path, road.house, WEB["tavily"])
    assert lines[0] == "tavily: connected, options set"
    assert Connection.objects.get(active=True).installation_id == installation_id


def test_a_knowledge_base_names_a_store_that_does_not_exist(house: House, tmp_path: Path) -> None:
    before = rows()
    lines = run(tmp_path, house, DOCUMENTS["rag"])
    assert "  config.embeddingStore: refused: There is no such embedding store in this workspace." in lines
    assert rows() == before


def test_a_token_on_an_engine_without_a_key_is_ignored_and_reported(house: House, tmp_path: Path) -> None:
    lines = run(tmp_path, house, changed("duckduckgo", "config.connection.token", "xxx"))
    assert "  config.connection.token: ignored: this engine takes no key" in lines
    assert lines[-1] == "Done."


def test_the_default_address_of_searxng_is_used_when_none_is_given(house: House, tmp_path: Path) -> None:
    document = copy.deepcopy(WEB["searxng"])
    del document["config"]["connection"]["base_url"]
    run(tmp_path, house, document)
    assert Connection.objects.get().config["baseUrl"] == "http://localhost:8080"


def test_an_imported_engine_answers(road: Road, tmp_path: Path) -> None:
    secret = road.house.admin.api("PUT", f"{road.house.path}/secrets/TAVILY_API_KEY", {"value": "canary-0000"})
    assert secret.status_code == 201
    document = changed("tavily", "config.connection.base_url", road.upstream.url)
    assert run(tmp_path, road.house, document)[-1] == "Done."
    road.upstream.reply(json=ANSWERS["tavily"])
    assert road.search("tavily").json() == {"results": [RESULT]}
    assert road.upstream.last.headers["authorization"] == "Bearer canary-0000"
    assert road.upstream.last.json == {
        "query": "ferry times",
        "max_results": 5,
        "search_depth": "basic",
        "include_answer": False,
    }
