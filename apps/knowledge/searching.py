"""One question to one store: embedded with the model that made the vectors which answer, and compared with them."""

import time
from dataclasses import dataclass

import structlog

from apps.knowledge import selectors
from apps.knowledge.embedding.embedders import embedder_of, remember_dimension
from apps.knowledge.models import EmbeddingModel
from apps.knowledge.nearest import Found, StaleSearch, nearest
from apps.knowledge.vectors import Vector
from extensions.release import release_database
from searchengines.errors import Reason, SearchFailure

log = structlog.get_logger("agentteam.knowledge")

# How often a search starts again because the store changed under it.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Findings:
    """``seconds`` is the time spent waiting for an embedding server; 0.0 when none was asked."""

    passages: tuple[Found, ...]
    seconds: float = 0.0


def search_store(workspace_id: str, store_id: str, text: str, count: int) -> Findings:
    """The `count` passages that are most like `text`, best first, whatever their score. ``store_id`` is public.

    An empty store has none, and nothing is embedded for it. While a store moves to another model, the old one answers.
    Raises `SearchFailure`: bad_shape when there is no such store, else what the embedding raises. Refuses to run in a
    transaction when a server is to be waited for.
    """
    question = _Question(text)
    for _ in range(ATTEMPTS):
        store = selectors.find_store(workspace_id, store_id)
        if store is None:
            log.error("a search names a store that does not exist", workspace=workspace_id)
            raise SearchFailure.upstream(Reason.BAD_SHAPE)
        if not store.passages:
            return Findings((), question.seconds)
        vector = question.vector_by(store.model)
        try:
            return Findings(tuple(nearest(workspace_id, store, vector, count)), question.seconds)
        except StaleSearch:
            continue
    log.warning("a store changed faster than it could be searched", workspace=workspace_id)
    raise SearchFailure.upstream(Reason.BAD_SHAPE)


class _Question:
    """A text and its vector, embedded once for each model."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._vectors: dict[str, Vector] = {}
        self.seconds = 0.0

    def vector_by(self, model: EmbeddingModel) -> Vector:
        if model.id not in self._vectors:
            self._vectors[model.id] = self._embed(model)
        return self._vectors[model.id]

    def _embed(self, model: EmbeddingModel) -> Vector:
        embedder = embedder_of(model)
        if not embedder.waits:
            return _only(embedder.embed([self._text]))
        release_database()
        started = time.monotonic()
        vectors = embedder.embed([self._text])
        self.seconds += time.monotonic() - started
        remember_dimension(model, vectors)
        return _only(vectors)


def _only(vectors: Vector) -> Vector:
    first: Vector = vectors[0]
    return first
