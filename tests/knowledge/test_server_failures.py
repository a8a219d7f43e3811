"""What an embedding server may do wrong: each a stable failure with its reason, and nothing half written."""

from typing import Any

import pytest

from apps.knowledge.embedding.remote import RemoteEmbedder
from apps.knowledge.models import Document, EmbeddingModel, Passage
from apps.knowledge.services.documents import accept_document
from apps.knowledge.work import work_once
from searchengines.contract import Secret
from searchengines.errors import Reason, SearchFailure
from tests.knowledge.embedding_server import answer
from tests.knowledge.library import KEY, OPERATOR, Library
from tests.upstream import Reply, Upstream

BAD_ANSWERS = [
    ("error", Reply(500), "bad_status", "The embedding server answered with an error."),
    (
        "refused key",
        Reply(401, json={"error": "canary"}),
        "credentials_rejected",
        "The embedding server refused the key.",
    ),
    ("redirect", Reply(302, {"location": "http://127.0.0.1:1/"}), "redirected", None),
    ("no JSON", Reply(body=b"<html>"), "not_json", "The embedding server did not answer with JSON."),
    ("deep JSON", Reply(body=b"[" * 30000), "not_json", None),
    ("NaN", Reply(body=b'{"data": [{"embedding": [NaN, 1, 1]}]}'), "bad_shape", None),
    ("infinite", Reply(body=b'{"data": [{"embedding": [1e999, 1, 1]}]}'), "bad_shape", None),
    ("huge number", Reply(body=b'{"data": [{"embedding": [1' + b"0" * 400 + b", 1, 1]}]}"), "bad_shape", None),
    ("another shape", Reply(json={"embeddings": [[1, 0, 0]]}), "bad_shape", None),
    ("no list", Reply(json={"data": {"embedding": [1, 0, 0]}}), "bad_shape", None),
    ("no vectors", Reply(json={"data": []}), "bad_shape", None),
    ("too many", Reply(json=answer([[1, 0, 0], [1, 0, 0]])), "bad_shape", None),
    ("not numbers", Reply(json=answer([["1", "0", "0"]])), "bad_shape", None),
    ("truth", Reply(json=answer([[True, False, True]])), "bad_shape", None),
    ("null", Reply(json=answer([None])), "bad_shape", None),
    ("zero", Reply(json=answer([[0, 0, 0]])), "bad_shape", None),
    ("an index that is none", Reply(json={"data": [{"index": 3, "embedding": [1, 0, 0]}]}), "bad_shape", None),
    ("another dimension", Reply(json=answer([[1, 0, 0, 0]])), "bad_shape", None),
    ("too large", Reply(headers={"content-length": str(2 << 20)}, body=b"x"), "too_large", None),
]


@pytest.mark.parametrize(
    ("reply", "reason", "words"), [case[1:] for case in BAD_ANSWERS], ids=[c[0] for c in BAD_ANSWERS]
)
def test_a_bad_answer(library: Library, reply: Reply, reason: str, words: str | None) -> None:
    library.add("a.md", "About ferries.")
    library.server.upstream.reply_with(lambda request: reply)

    searched = library.search()
    assert (searched.status_code, searched.json()["error"]["code"]) == (502, "upstream_failure")
    assert "reason" not in searched.json()["error"]
    assert [(row.code, row.reason) for row in library.road.executions()] == [("upstream_failure", reason)]

    document = accept_document(library.workspace_id, OPERATOR, "handbook", "b.md", b"More about ferries.").document
    worked = work_once(document_id=document.id)
    document.refresh_from_db()
    assert (document.status, document.passages) == (Document.Status.FAILED, 0)
    assert document.error == worked.error
    assert document.error == words if words else document.error.startswith("The embedding server")
    assert Passage.objects.values_list("title", flat=True).get() == "a.md#1"


def test_a_rate_limit(library: Library) -> None:
    library.add("a.md", "About ferries.")
    library.server.upstream.reply(429, {"retry-after": "7"})
    response = library.search()
    assert (response.status_code, response.json()["error"]["code"]) == (429, "rate_limited")
    assert response.json()["error"]["retryAfter"] == 7


def test_a_server_that_is_down(library: Library) -> None:
    library.add("a.md", "About ferries.")
    library.server.upstream.stop()
    assert library.search().json()["error"]["code"] == "upstream_failure"
    assert [row.reason for row in library.road.executions()] == ["unreachable"]


def test_a_slow_server(upstream: Upstream, settings: Any) -> None:
    settings.AGENTTEAM_EMBEDDING_ORIGINS = [upstream.url]
    upstream.reply(json=answer([[1, 0, 0]]), delay=30)
    embedder = RemoteEmbedder(f"{upstream.url}/v1", "m", 3, None, ("embedding:slow", 1))
    with pytest.raises(SearchFailure) as caught:
        embedder.embed(["ferries"], timeout=0.3)
    # An address of our own network is never told apart from a silent one (contract section 5).
    assert caught.value.reason is Reason.UNREACHABLE


def test_an_origin_that_the_operator_has_taken_off_the_list(library: Library, settings: Any) -> None:
    library.add("a.md", "About ferries.")
    asked = len(library.server.upstream.requests)
    settings.AGENTTEAM_EMBEDDING_ORIGINS = []
    assert library.search().json()["error"]["code"] == "upstream_failure"
    assert [row.reason for row in library.road.executions()] == ["address_denied"]
    assert len(library.server.upstream.requests) == asked


def test_what_is_sent(empty_library: Library) -> None:
    library = empty_library
    library.make_model(apiKey=KEY)
    library.make_store()
    library.add("a.md", "About ferries.")
    request = library.server.upstream.last
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {"model": "m", "input": ["About ferries."], "encoding_format": "float"}
    assert EmbeddingModel.objects.get().dimension == 3


def test_a_server_without_a_key_gets_none(library: Library) -> None:
    library.add("a.md", "About ferries.")
    assert "authorization" not in library.server.upstream.last.headers


def test_a_key_from_the_workspaces_vault(library: Library, empty_library: Library) -> None:
    library.make_model("vaulted", apiKey="${vault://local/EMBEDDINGS}")
    library.make_store("vaulted", "vaulted")
    document = accept_document(library.workspace_id, OPERATOR, "vaulted", "a.md", b"About ferries.").document
    asked = len(library.server.upstream.requests)
    assert work_once(document_id=document.id).error == (
        "The embedding model's key is missing or cannot be read; enter it again."
    )
    assert len(library.server.upstream.requests) == asked

    assert library.api("PUT", "secrets/EMBEDDINGS", {"value": KEY}).status_code in (200, 201, 204)
    assert work_once(document_id=document.id).error is None
    assert library.server.upstream.last.headers["authorization"] == f"Bearer {KEY}"


def test_a_key_under_another_master_key_is_an_unavailable_credential(library: Library, settings: Any) -> None:
    library.api("PATCH", "embedding-models/writer", {"apiKey": KEY})
    library.add("a.md", "About ferries.")
    asked = len(library.server.upstream.requests)
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE="
    response = library.search()
    assert (response.status_code, response.json()["error"]["code"]) == (424, "provider_auth_unavailable")
    assert len(library.server.upstream.requests) == asked


def test_batches_grow_once_the_dimension_is_known(library: Library) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number}. " + "Ferries sail every hour. " * 30 for number in range(12))
    document = library.add("long.md", paragraphs)
    assert document.passages == 12
    assert [len(request.json["input"]) for request in library.server.upstream.requests] == [1, 11]


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/api", "/api/embeddings"),
    ],
)
def test_where_embeddings_are_asked_for(upstream: Upstream, settings: Any, base: str, path: str) -> None:
    from apps.knowledge.embedding.addresses import clean_base_url

    settings.AGENTTEAM_EMBEDDING_ORIGINS = [upstream.url]
    upstream.reply(json=answer([[1, 0, 0]]))
    url = clean_base_url(upstream.url + base)
    RemoteEmbedder(url, "m", None, Secret(KEY), ("embedding:path", 1)).embed(["ferries"])
    assert upstream.last.path == path


def test_a_failed_document_is_tried_again_later(library: Library) -> None:
    library.server.upstream.reply(500)
    uploaded = accept_document(library.workspace_id, OPERATOR, "handbook", "a.md", b"About ferries.").document
    assert work_once().error == "The embedding server answered with an error."
    assert work_once() is None
    Document.objects.update(due_at="2020-01-01T00:00:00Z")
    library.server.upstream.reply_with(library.server._answer)
    assert work_once().passages == 1
    uploaded.refresh_from_db()
    assert (uploaded.status, uploaded.error, uploaded.attempts) == (Document.Status.READY, "", 0)
