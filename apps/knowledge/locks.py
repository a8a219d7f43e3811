"""The lock of one store: its documents, passages and model change under it, one change at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from apps.knowledge.models import EmbeddingStore


@contextmanager
def store_lock(store_id: str) -> Iterator[EmbeddingStore | None]:
    """A transaction that holds the store's row; None when it is gone. ``store_id`` is the row's own id.

    On SQLite the transaction itself is exclusive. Searches do not wait for it.
    """
    with transaction.atomic():
        yield EmbeddingStore.objects.select_for_update(no_key=True).filter(pk=store_id).first()
