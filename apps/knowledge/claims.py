"""Which document is embedded next, and by whom. A claim runs out, so a worker that stops loses nothing."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from apps.knowledge.models import Document, DocumentSource, EmbeddingModel, Passage
from apps.knowledge.reading.documents import MediaType
from apps.knowledge.reading.splitting import split

# Renewed with every batch; a batch waits for 15 seconds at most.
LEASE = timedelta(seconds=120)
# After a failure the next try waits, longer each time.
FIRST_RETRY_SECONDS = 30
LAST_RETRY_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Job:
    """One document's passages to be embedded with ``model`` for ``generation``.

    ``moving`` says that they are for the store's next model and come from its present passages, not from new content.
    """

    document_id: str
    name: str
    store_id: str
    claim: str
    model: EmbeddingModel
    generation: int
    moving: bool
    texts: list[str]


def claim(store_id: str | None = None, document_id: str | None = None) -> Job | None:
    """Take one document that is due; None when there is none. Others skip what is being taken (PostgreSQL).

    With ``document_id`` that document, also when an earlier failure has put it off.
    """
    free = Q(due_at__lte=timezone.now())
    rows = waiting()
    if store_id is not None:
        rows = rows.filter(store_id=store_id)
    rows = rows.filter(free) if document_id is None else rows.filter(free | Q(claim=""), pk=document_id)
    row = _take(rows)
    return None if row is None else _job(row)


def _take(rows: QuerySet[Document]) -> Document | None:
    with transaction.atomic():
        row = (
            rows.select_related("store__model", "store__next_model")
            .order_by("status", "due_at", "pk")
            .select_for_update(skip_locked=True, of=("self",), no_key=True)
            .first()
        )
        if row is None:
            return None
        row.claim = secrets.token_hex(16)
        row.due_at = timezone.now() + LEASE
        row.save(update_fields=["claim", "due_at"])
        return row


def waiting() -> QuerySet[Document]:
    """Documents with new content, and those whose store moves to a model that they have no vectors of yet."""
    return Document.objects.filter(
        Q(source__isnull=False)
        | Q(passages__gt=0, store__next_model__isnull=False, generation__lt=F("store__next_generation"))
    )


def renew(job: Job) -> bool:
    """Whether the claim still holds, for another while: new content, deletion or another worker ends it."""
    due_at = timezone.now() + LEASE
    return _held(job).update(due_at=due_at) == 1


def release(job: Job) -> None:
    """Give a document back untouched."""
    _held(job).update(claim="", due_at=timezone.now())


def fail(job: Job, error: str) -> None:
    """Put the next try off and say why. ``error`` is our own sentence. What was there before goes on answering."""
    row = _held(job).first()
    if row is None:
        return
    seconds = min(FIRST_RETRY_SECONDS * 2 ** min(row.attempts, 10), LAST_RETRY_SECONDS)
    _held(job).update(
        claim="",
        due_at=timezone.now() + timedelta(seconds=seconds),
        attempts=row.attempts + 1,
        error=error,
        status=row.status if job.moving else Document.Status.FAILED,
    )


def _held(job: Job) -> QuerySet[Document]:
    return Document.objects.filter(pk=job.document_id, claim=job.claim)


def _job(row: Document) -> Job:
    store = row.store
    source = DocumentSource.objects.filter(document=row).first()
    if source is not None or store.next_model is None:
        texts = split(source.text, MediaType(row.media_type)) if source is not None else []
        return Job(row.id, row.name, store.id, row.claim, store.model, store.generation, False, texts)
    present = Passage.objects.filter(document=row, generation=store.generation).order_by("ordinal")
    texts = list(present.values_list("text", flat=True))
    return Job(row.id, row.name, store.id, row.claim, store.next_model, store.next_generation, True, texts)
