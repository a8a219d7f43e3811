"""Serves the Knowledge Base: searches the connection's store and scores what was found (spec B)."""

from collections.abc import Mapping

import structlog

from apps.knowledge import selectors
from apps.knowledge.searching import Findings, search_store
from searchengines.contract import CallContext, ConnectionSnapshot, DropReason, Json, Result, SearchAnswer, SearchQuery
from searchengines.errors import Reason, SearchFailure
from searchengines.knowledge_base import KnowledgeBase
from searchengines.runtime import requested_count

log = structlog.get_logger("agentteam.knowledge")

ENGINE = KnowledgeBase()
MIN_SCORE = 0.5
SNIPPET_CHARACTERS = 4096


def search(context: CallContext, snapshot: ConnectionSnapshot, query: SearchQuery) -> SearchAnswer:
    """Search once. Raises `SearchFailure`; bad_shape also when the store or model is gone since it was saved."""
    config = snapshot.config
    if not selectors.model_exists(context.workspace_id, config.get("embeddingModel", "")):
        log.error("a connection names a model that does not exist", workspace=context.workspace_id)
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    count = requested_count(ENGINE, snapshot.options, query)
    if query.limit is not None:
        count = min(count, query.limit)
    findings = search_store(context.workspace_id, config.get("embeddingStore", ""), query.query, count)
    return _answer(findings, min_score(snapshot.options, query))


def min_score(options: Mapping[str, Json], query: SearchQuery) -> float:
    """The request's, else the stored option, else spec B's default."""
    if query.min_score is not None:
        return query.min_score
    stored = options.get("minScore")
    return float(stored) if isinstance(stored, int | float) else MIN_SCORE


def _answer(findings: Findings, lowest: float) -> SearchAnswer:
    kept = tuple(
        Result("", passage.title, passage.text[:SNIPPET_CHARACTERS], passage.score)
        for passage in findings.passages
        if passage.score >= lowest
    )
    left_out = len(findings.passages) - len(kept)
    dropped = {DropReason.LOW_SCORE: left_out} if left_out else {}
    return SearchAnswer(kept, dropped=dropped, upstream_seconds=findings.seconds)
