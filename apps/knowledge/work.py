"""Embeds documents: claims one, embeds it in batches, and puts its passages in place in one step."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.utils import timezone

from apps.knowledge import claims
from apps.knowledge.claims import Job
from apps.knowledge.embedding.embedders import embedder_of, remember_dimension
from apps.knowledge.embedding.failures import in_words
from apps.knowledge.hnsw import ensure_index
from apps.knowledge.locks import store_lock
from apps.knowledge.models import Document, DocumentSource, EmbeddingStore, Passage
from apps.knowledge.reembedding import finish_if_done
from apps.knowledge.vectors import Vector
from extensions.release import release_database
from searchengines.errors import SearchFailure

log = structlog.get_logger("agentteam.knowledge")

PASSAGES_A_STATEMENT = 500

Progress = Callable[[str, int, int], None]
"""Takes a document's name, how many of its passages are embedded, and how many it has."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What became of one document: its passages are in place, or there is an ``error``, or it was ``left`` alone."""

    document_id: str
    name: str
    passages: int
    error: str | None = None
    left: bool = False


def never() -> bool:
    return False


def silent(name: str, done: int, total: int) -> None:
    """No progress is shown."""


def work_once(
    store_id: str | None = None,
    document_id: str | None = None,
    *,
    stop: Callable[[], bool] = never,
    progress: Progress = silent,
) -> Worked | None:
    """Embed one document that is due; None when there is none. ``stop`` is asked between batches."""
    job = claims.claim(store_id, document_id)
    if job is None:
        return None
    try:
        vectors = _embed(job, stop, progress)
    except SearchFailure as failure:
        error = in_words(failure)
        claims.fail(job, error)
        log.warning("a document could not be embedded", document=job.document_id, why=error)
        return Worked(job.document_id, job.name, 0, error=error)
    if vectors is None or not _put(job, vectors):
        claims.release(job)
        return Worked(job.document_id, job.name, 0, left=True)
    ensure_index(job.store_id)
    return Worked(job.document_id, job.name, len(job.texts))


def _embed(job: Job, stop: Callable[[], bool], progress: Progress) -> list[Vector] | None:
    """One vector a passage; None when the claim ended or the work is to stop. Raises `SearchFailure`."""
    vectors: list[Vector] = []
    progress(job.name, 0, len(job.texts))
    while len(vectors) < len(job.texts):
        if stop() or not claims.renew(job):
            return None
        # Made anew for each batch: once the dimension is known, batches can be larger.
        embedder = embedder_of(job.model)
        batch = job.texts[len(vectors) : len(vectors) + embedder.batch_size]
        if embedder.waits:
            release_database()
        embedded = embedder.embed(batch)
        remember_dimension(job.model, embedded)
        vectors.extend(embedded)
        progress(job.name, len(vectors), len(job.texts))
    return vectors


def _put(job: Job, vectors: list[Vector]) -> bool:
    """Replace the document's passages of that generation in one step; False when the job is no longer wanted."""
    with store_lock(job.store_id) as store:
        row = Document.objects.select_for_update().filter(pk=job.document_id, claim=job.claim).first()
        if store is None or row is None or not _is_wanted(job, store):
            return False
        old = Passage.objects.filter(document=row)
        # New content makes vectors of any other model stale as well.
        (old.filter(generation=job.generation) if job.moving else old).delete()
        Passage.objects.bulk_create(_passages(job, store, vectors), batch_size=PASSAGES_A_STATEMENT)
        if not job.moving:
            _settle(row, store, len(vectors))
        row.generation, row.claim, row.attempts, row.error = job.generation, "", 0, ""
        # It may be wanted again at once, for a store that moves to another model.
        row.due_at = timezone.now()
        row.save()
        finish_if_done(store)
        return True


def _is_wanted(job: Job, store: EmbeddingStore) -> bool:
    """Whether the store still wants vectors of that model for that generation."""
    if job.moving:
        return (store.next_model_id, store.next_generation) == (job.model.id, job.generation)
    return (store.model_id, store.generation) == (job.model.id, job.generation)


def _settle(row: Document, store: EmbeddingStore, passages: int) -> None:
    DocumentSource.objects.filter(document=row).delete()
    store.passages += passages - row.passages
    store.revision += 1
    store.save(update_fields=["passages", "revision"])
    row.passages, row.status = passages, Document.Status.READY


def _passages(job: Job, store: EmbeddingStore, vectors: list[Vector]) -> list[Passage]:
    return [
        Passage(
            workspace_id=store.workspace_id,
            store=store,
            document_id=job.document_id,
            generation=job.generation,
            ordinal=ordinal,
            title=f"{job.name}#{ordinal}",
            text=text,
            vector=vector,
        )
        for ordinal, (text, vector) in enumerate(zip(job.texts, vectors, strict=True), 1)
    ]
