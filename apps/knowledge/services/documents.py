"""Documents of a store: added, changed, deleted."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from django.utils import timezone

from apps.knowledge import selectors
from apps.knowledge.inline import embed_inline
from apps.knowledge.locks import store_lock
from apps.knowledge.models import Document, DocumentSource, EmbeddingStore
from apps.knowledge.reading.documents import MediaType, ReadText, check_size, read_document
from apps.knowledge.reembedding import finish_if_done
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from extensions.release import release_database

TARGET = "document"


class Outcome(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A document that was read and waits to be embedded, or is known as it is."""

    document: Document
    outcome: Outcome


def add_document(
    workspace_id: str,
    actor: audit.Actor,
    store_id: str,
    name: str,
    data: bytes,
    media_type: MediaType | None = None,
) -> Accepted:
    """`accept_document`, and on SQLite embedded before this returns unless that takes long."""
    accepted = accept_document(workspace_id, actor, store_id, name, data, media_type)
    document = accepted.document
    if document.status != Document.Status.READY:
        embed_inline(document.store_id, document.id)
        document.refresh_from_db()
    return accepted


def accept_document(
    workspace_id: str,
    actor: audit.Actor,
    store_id: str,
    name: str,
    data: bytes,
    media_type: MediaType | None = None,
) -> Accepted:
    """Read a file and put its text in line to be embedded; a document of that name is changed by it.

    ``store_id`` is public, ``name`` 1 to 200 characters. The same content again changes nothing. Raises `Problem`
    not_found and `Unreadable`; nothing is written then.
    """
    store = selectors.find_store(workspace_id, store_id)
    if store is None:
        raise Problem.not_found()
    check_size(len(data))
    content_hash = hashlib.sha256(data).hexdigest()
    known = Document.objects.filter(store=store, name=name, content_hash=content_hash).first()
    if known is not None:
        return Accepted(known, Outcome.UNCHANGED)
    # Reading waits for another process.
    release_database()
    read = read_document(name, data, media_type)
    with store_lock(store.id) as locked:
        if locked is None:
            raise Problem.not_found()
        row, outcome = _write(locked, name, read, len(data), content_hash)
        details = {"store": store.public_id, "name": name, "bytes": len(data)}
        audit.record(workspace_id, actor, f"document.{outcome.value}", TARGET, row.id, details)
    return Accepted(row, outcome)


def delete_document(workspace_id: str, actor: audit.Actor, store_id: str, document_id: str) -> None:
    """With its passages. Raises `Problem` not_found."""
    found = selectors.document(workspace_id, store_id, document_id)
    with store_lock(found.store_id) as store:
        row = Document.objects.select_for_update().filter(pk=document_id).first()
        if store is None or row is None:
            raise Problem.not_found()
        store.passages -= row.passages
        store.revision += 1
        store.save(update_fields=["passages", "revision"])
        details = {"store": store_id, "name": row.name, "passages": row.passages}
        row.delete()
        finish_if_done(store)
        audit.record(workspace_id, actor, "document.deleted", TARGET, document_id, details)


def _write(store: EmbeddingStore, name: str, read: ReadText, size: int, content_hash: str) -> tuple[Document, Outcome]:
    row = Document.objects.select_for_update().filter(store=store, name=name).first()
    outcome = Outcome.ADDED if row is None else Outcome.CHANGED
    row = row or Document(store=store, name=name)
    row.media_type, row.size, row.content_hash = read.media_type.value, size, content_hash
    # An empty claim ends the work of whoever is embedding the content before this one.
    row.status, row.claim, row.error, row.attempts, row.due_at = Document.Status.PENDING, "", "", 0, timezone.now()
    row.save()
    DocumentSource.objects.update_or_create(document=row, defaults={"text": read.text})
    return row, outcome
