"""Models, stores, documents with their progress, and a query to try."""

import base64
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore
from apps.knowledge.services.documents import accept_document
from tests.console.conftest import Window, html, window
from tests.console.test_hostile import MARKUP, inert
from tests.knowledge.conftest import empty_library, library, no_vectors_in_memory, server  # noqa: F401 - fixtures
from tests.knowledge.library import KEY, OPERATOR, Library, work_until_done


@pytest.fixture
def keeper(empty_library: Library) -> Window:  # noqa: F811
    return window(empty_library.house.admin.user, empty_library.workspace_id)


def upload(keeper: Window, name: str, data: bytes) -> Any:
    files = SimpleUploadedFile(name, data)
    return keeper.post("documents", "handbook", follow=True, files=files)


def test_from_nothing_to_a_query_with_scores(empty_library: Library, keeper: Window) -> None:  # noqa: F811
    assert "First add an embedding model" in html(keeper.get("knowledge"))
    body = {"kind": "openai_compatible", "id": "writer", "baseUrl": empty_library.server.url, "model": "m"}
    response = keeper.post("new-model", follow=True, apiKey=KEY, **body)
    assert "The model writer is added." in html(response)
    assert KEY not in html(response)
    assert "key configured" in html(response)
    keeper.post("new-store", id="handbook", embeddingModel="writer")
    assert "None yet." in html(keeper.get("store", "handbook"))
    assert "once the App is connected to this store" in html(keeper.get("store", "handbook"))
    upload(keeper, "ferries.md", b"# Ferries\n\nEvery hour.")
    work_until_done()
    keeper.post("install", "rag")
    saved = {"config.embeddingStore": "handbook", "config.embeddingModel": "writer"}
    assert "The connection is saved." in html(keeper.post("app-connection", "rag", follow=True, **saved))
    shown = html(keeper.get("app", "rag"))
    assert '<option value="handbook" selected>' in shown
    tried = html(keeper.post("try-store", "handbook", query="ferries"))
    assert "ferries.md#1" in tried
    assert "1 passage in" in tried
    assert "Score" in tried


def test_a_refused_model_comes_back_without_its_key(keeper: Window) -> None:
    response = keeper.post("new-model", kind="openai_compatible", baseUrl="nonsense", model="m", apiKey=KEY)
    assert response.status_code == 400
    assert 'value="nonsense"' in html(response)
    assert KEY not in html(response)
    assert EmbeddingModel.objects.count() == 0


def test_another_address_asks_for_the_key_again(empty_library: Library, keeper: Window) -> None:  # noqa: F811
    empty_library.make_model(apiKey=KEY)
    assert KEY not in html(keeper.get("change-model", "writer"))
    moved = keeper.post("change-model", "writer", baseUrl=f"{empty_library.server.url}/other", apiKey="")
    assert moved.status_code == 400
    assert "the key must be given again" in html(moved)
    keeper.post("change-model", "writer", baseUrl=f"{empty_library.server.url}/other", apiKey=KEY)
    assert EmbeddingModel.objects.get().base_url.endswith("/other")


def test_documents_while_they_are_read(library: Library, keeper: Window) -> None:  # noqa: F811
    accept_document(library.workspace_id, OPERATOR, "handbook", "slow.md", b"Slow.")
    shown = html(keeper.get("store", "handbook"))
    assert "1 document is being read." in shown
    assert 'hx-trigger="every 2s"' in shown
    part = keeper.client.get(keeper.url("documents", "handbook"), headers={"HX-Request": "true"})
    assert "<html" not in html(part)
    work_until_done()
    part = keeper.client.get(keeper.url("documents", "handbook"), headers={"HX-Request": "true"})
    assert "every 2s" not in html(part)
    assert "Ready" in html(part)


def test_the_same_file_twice_changes_nothing(library: Library, keeper: Window) -> None:  # noqa: F811
    assert "ferries.md is being read." in html(upload(keeper, "ferries.md", b"Every hour."))
    assert "ferries.md is there already, unchanged." in html(upload(keeper, "ferries.md", b"Every hour."))
    assert Document.objects.count() == 1


def test_what_cannot_be_read_is_told_by_name(library: Library, keeper: Window, settings: Any) -> None:  # noqa: F811
    assert "picture.png: " in html(upload(keeper, "picture.png", base64.b64decode("iVBORw0KGgo=") + bytes(50)))
    settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = 1
    assert "large.md: The body is too large." in html(upload(keeper, "large.md", b"x" * (2**20 + 1)))
    assert Document.objects.count() == 0
    nothing = keeper.post("documents", "handbook")
    assert "Choose a file, or enter a name and a text." in html(nothing)
    unnamed = keeper.post("documents", "handbook", name="", content="typed text")
    assert unnamed.status_code == 400
    assert "typed text</textarea>" in html(unnamed)


def test_deleting_names_what_is_lost(library: Library, keeper: Window) -> None:  # noqa: F811
    document = library.add("ferries.md", "Every hour.")
    assert "Its one passage is no longer found." in html(keeper.get("delete-document", "handbook", document.id))
    assert "Documents: 1, passages: 1." in html(keeper.get("delete-store", "handbook"))
    in_use = keeper.post("delete-model", "writer", follow=True)
    assert "A store uses this model." in html(in_use)
    keeper.post("delete-document", "handbook", document.id)
    keeper.post("delete-store", "handbook")
    keeper.post("delete-model", "writer")
    assert (Document.objects.count(), EmbeddingStore.objects.count(), EmbeddingModel.objects.count()) == (0, 0, 0)


def test_moving_to_another_model(library: Library, keeper: Window) -> None:  # noqa: F811
    library.add("ferries.md", "Every hour.")
    library.make_model("other")
    keeper.post("move-store", "handbook", embeddingModel="other")
    work_until_done()
    assert EmbeddingStore.objects.select_related("model").get().model.public_id == "other"
    shown = html(keeper.get("knowledge"))
    assert "Re-embedding is needed" in shown.replace("&#x27;", "'")


def test_hostile_documents_are_inert(library: Library, keeper: Window) -> None:  # noqa: F811
    library.add(MARKUP[:60], MARKUP)
    library.server.vectors["q"] = library.server.vector(MARKUP)
    for response in (keeper.get("store", "handbook"), keeper.post("try-store", "handbook", query="q")):
        inert(html(response))
        assert "&lt;img src=x" in html(response)


def test_only_administrators_and_only_their_own(library: Library) -> None:  # noqa: F811
    member = window(library.house.member.user, library.workspace_id)
    for name, *args in [
        ("knowledge",),
        ("store", "handbook"),
        ("change-model", "writer"),
        ("delete-store", "handbook"),
    ]:
        assert member.get(name, *args).status_code == 403
    for name, *args in [("new-model",), ("new-store",), ("documents", "handbook"), ("try-store", "handbook")]:
        assert member.post(name, *args).status_code == 403
    assert EmbeddingStore.objects.count() == 1
