"""Moving a store to another model: the old vectors answer until every document is done (RG-01)."""

import pytest

from apps.knowledge import inline
from apps.knowledge.models import Document, Passage
from apps.knowledge.services.documents import accept_document
from apps.knowledge.work import work_once
from tests.knowledge.embedding_server import answer
from tests.knowledge.library import OPERATOR, Library, state, work_until_done
from tests.upstream import Reply, Request

THREE = {"One.": [1, 0, 0], "Two.": [0, 1, 0], "ferries": [1, 0, 0]}
FOUR = {"One.": [0, 1, 0, 0], "Two.": [1, 0, 0, 0], "ferries": [1, 0, 0, 0]}


def prepare(library: Library) -> None:
    """Two documents by a model of dimension 3, and another model of dimension 4 at the same server."""

    def reply(request: Request) -> Reply:
        known = FOUR if request.json["model"] == "wide" else THREE
        return Reply(json=answer([known.get(text, [1] * len(known["One."])) for text in request.json["input"]]))

    library.server.upstream.reply_with(reply)
    library.add("one.md", "One.")
    library.add("two.md", "Two.")
    library.make_model("wide", model="wide")


@pytest.fixture(autouse=True)
def nothing_is_embedded_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the steps in between can be looked at on SQLite too."""
    monkeypatch.setattr(inline, "SECONDS", 0.0)


def move(library: Library, model: str) -> None:
    response = library.api("PATCH", "embedding-stores/handbook", {"embeddingModel": model})
    assert response.status_code == 200, response.content


def best(library: Library) -> tuple[str, float]:
    result = library.search().json()["results"][0]
    return result["title"], result["score"]


def shown(library: Library) -> dict[str, object]:
    return library.api("GET", "embedding-stores/handbook").json()


def test_old_vectors_answer_then_new_ones(library: Library) -> None:
    prepare(library)
    assert best(library) == ("one.md#1", 1.0)
    assert shown(library)["notice"] is None
    move(library, "wide")
    store = shown(library)
    assert (store["embeddingModel"], store["reembedding"]) == (
        "writer",
        {"embeddingModel": "wide", "done": 0, "total": 2},
    )
    assert store["notice"].startswith("Re-embedding is needed: the store moves to the model wide.")
    assert best(library) == ("one.md#1", 1.0)

    assert work_once().error is None
    assert shown(library)["reembedding"] == {"embeddingModel": "wide", "done": 1, "total": 2}
    assert best(library) == ("one.md#1", 1.0)
    assert Passage.objects.count() == 3

    assert work_once().error is None
    store = shown(library)
    assert (store["embeddingModel"], store["dimension"], store["passages"], store["reembedding"]) == (
        "wide",
        4,
        2,
        None,
    )
    assert best(library) == ("two.md#1", 1.0)
    assert sorted(Passage.objects.values_list("generation", flat=True)) == [2, 2]
    assert work_once() is None
    # The connection still names the other model, and says so.
    assert "the Knowledge Base connection names the model writer" in store["notice"]


def test_an_unknown_model_changes_nothing_and_the_former_one_is_free(library: Library) -> None:
    prepare(library)
    move(library, "wide")
    work_until_done()
    before = state()
    unknown = library.api("PATCH", "embedding-stores/handbook", {"embeddingModel": "none"})
    assert (unknown.status_code, list(unknown.json()["error"]["fields"])) == (400, ["embeddingModel"])
    assert state() == before
    assert library.api("DELETE", "embedding-models/writer").status_code == 204


def test_an_empty_store_moves_at_once(library: Library) -> None:
    library.make_model("wide", model="wide")
    move(library, "wide")
    assert (shown(library)["embeddingModel"], shown(library)["reembedding"]) == ("wide", None)


def test_a_change_of_mind_ends_the_move(library: Library) -> None:
    prepare(library)
    move(library, "wide")
    assert work_once().error is None
    move(library, "writer")
    assert (shown(library)["embeddingModel"], shown(library)["reembedding"]) == ("writer", None)
    assert (Passage.objects.count(), work_once()) == (2, None)
    assert best(library) == ("one.md#1", 1.0)
    move(library, "wide")
    work_until_done()
    assert best(library) == ("two.md#1", 1.0)


def test_documents_that_change_during_the_move(library: Library) -> None:
    prepare(library)
    move(library, "wide")
    assert work_once().error is None
    moved = Document.objects.get(generation=2)
    accept_document(library.workspace_id, OPERATOR, "handbook", moved.name, b"Three.")
    accept_document(library.workspace_id, OPERATOR, "handbook", "new.md", b"Four.")
    work_until_done()
    assert shown(library)["embeddingModel"] == "wide"
    texts = dict(Passage.objects.values_list("title", "text"))
    assert len(texts) == 3
    assert (texts[f"{moved.name}#1"], texts["new.md#1"]) == ("Three.", "Four.")
    assert shown(library)["passages"] == 3


def test_the_new_server_fails_and_the_old_vectors_go_on_answering(library: Library) -> None:
    prepare(library)
    library.server.upstream.reply(500, match=lambda request: request.json["model"] == "wide")
    move(library, "wide")
    work_until_done()
    assert best(library) == ("one.md#1", 1.0)
    assert set(Document.objects.values_list("status", "error")) == {
        ("ready", "The embedding server answered with an error.")
    }
    assert shown(library)["reembedding"] == {"embeddingModel": "wide", "done": 0, "total": 2}


def test_deleting_the_last_document_that_was_left_ends_the_move(library: Library) -> None:
    prepare(library)
    move(library, "wide")
    assert work_once().error is None
    left = Document.objects.get(generation=1)
    assert library.api("DELETE", f"embedding-stores/handbook/documents/{left.id}").status_code == 204
    store = shown(library)
    assert (store["embeddingModel"], store["passages"], store["reembedding"]) == ("wide", 1, None)
