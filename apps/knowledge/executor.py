"""Serves the Knowledge Base: the query is embedded, compared with the store's passages, and scored (spec B)."""

import time
from collections.abc import Mapping

import structlog

from apps.knowledge import selectors
from apps.knowledge.embedding.embedders import embedder_of, remember_dimension
from apps.knowledge.models import EmbeddingModel, EmbeddingStore
from apps.knowledge.nearest import Found, StaleSearch, nearest
from apps.knowledge.vectors import Vector
from extensions.release import release_database
from searchengines.contract import CallContext, ConnectionSnapshot, DropReason, Json, Result, SearchAnswer, SearchQuery
from searchengines.errors import Reason, SearchFailure
from searchengines.knowledge_base import KnowledgeBase
from searchengines.runtime import requested_count

log = structlog.get_logger("agentteam.knowledge")

ENGINE = KnowledgeBase()
MIN_SCORE = 0.5
SNIPPET_CHARACTERS = 4096
# How often a search starts again because the store changed under it.
ATTEMPTS = 3


def search(context: CallContext, snapshot: ConnectionSnapshot, query: SearchQuery) -> SearchAnswer:
    """Search once. Raises `SearchFailure`.

    The vectors that answer decide which model embeds the query: while a store moves to another model, the old one.
    """
    count = requested_count(ENGINE, snapshot.options, query)
    if query.limit is not None:
        count = min(count, query.limit)
    asked = _Question(query.query)
    for _ in range(ATTEMPTS):
        store = _store(context.workspace_id, snapshot.config)
        if not store.passages:
            return SearchAnswer(())
        vector = asked.vector_by(store.model)
        try:
            found = nearest(context.workspace_id, store, vector, count)
        except StaleSearch:
            continue
        return _answer(found, min_score(snapshot.options, query), asked.seconds)
    log.warning("a store changed faster than it could be searched", store=store.id)
    raise SearchFailure.upstream(Reason.BAD_SHAPE)


def min_score(options: Mapping[str, Json], query: SearchQuery) -> float:
    """The request's, else the stored option, else spec B's default."""
    if query.min_score is not None:
        return query.min_score
    stored = options.get("minScore")
    return float(stored) if isinstance(stored, int | float) else MIN_SCORE


class _Question:
    """A query and its vector, embedded once for each model. ``seconds`` is the time spent waiting for servers."""

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


def _store(workspace_id: str, config: Mapping[str, str]) -> EmbeddingStore:
    """The connection's store. Raises `SearchFailure` bad_shape when it, or the model, is gone since it was saved."""
    store = selectors.find_store(workspace_id, config.get("embeddingStore", ""))
    if store is None or not selectors.model_exists(workspace_id, config.get("embeddingModel", "")):
        log.error("a connection names a store or model that does not exist", workspace=workspace_id)
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    return store


def _answer(found: list[Found], lowest: float, seconds: float) -> SearchAnswer:
    results = [
        Result("", passage.title, passage.text[:SNIPPET_CHARACTERS], score(passage.distance)) for passage in found
    ]
    kept = tuple(result for result in results if result.score is not None and result.score >= lowest)
    dropped = {DropReason.LOW_SCORE: len(results) - len(kept)} if len(kept) < len(results) else {}
    return SearchAnswer(kept, dropped=dropped, upstream_seconds=seconds)


def score(distance: float) -> float:
    """(1 + cosine) / 2, from 0 to 1; six decimals, below which float32 is noise."""
    return round(min(max(1.0 - distance / 2.0, 0.0), 1.0), 6)
