"""On SQLite the request that brings a document embeds it, for a while: there need not be a worker beside it."""

from time import monotonic

from django.db import connection

from apps.knowledge.work import work_once

# What takes longer than this is left to `manage.py knowledge_worker`, or to the next `knowledge_ingest`.
SECONDS = 20.0


def embed_inline(store_id: str, document_id: str | None = None) -> None:
    """Embed what is due in a store, or one document of it. Does nothing on PostgreSQL: that is the worker's."""
    if connection.vendor == "postgresql":
        return
    ends = monotonic() + SECONDS

    def is_late() -> bool:
        return monotonic() >= ends

    while not is_late():
        worked = work_once(store_id, document_id, stop=is_late)
        if worked is None or worked.left or worked.error or document_id is not None:
            return
