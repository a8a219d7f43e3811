"""The passages of a store that are most like a query: one query of the ORM on both databases."""

from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import QuerySet

from apps.knowledge.matrices import nearest_ids
from apps.knowledge.models import EmbeddingStore, Passage
from apps.knowledge.vectors import MAX_INDEXED_DIMENSION, CosineDistance, HasDimension, Vector

# From here on a store is searched through an HNSW index; below, exactly.
INDEXED_FROM = 100_000
# How many candidates HNSW looks at. Reading on when a store's share of them is small costs little and misses less.
_HNSW = "SELECT set_config('hnsw.ef_search', '100', true), set_config('hnsw.iterative_scan', 'strict_order', true)"


@dataclass(frozen=True, slots=True)
class Found:
    """``distance`` is 1 - cosine."""

    title: str
    text: str
    distance: float

    @property
    def score(self) -> float:
        """(1 + cosine) / 2, from 0 to 1; six decimals, below which float32 is noise."""
        return round(min(max(1.0 - self.distance / 2.0, 0.0), 1.0), 6)


class StaleSearch(Exception):
    """The store's passages changed while it was searched."""


def nearest(workspace_id: str, store: EmbeddingStore, query: Vector, count: int) -> list[Found]:
    """The `count` nearest passages, nearest first. ``query`` has length 1 and the dimension of the store's model.

    Raises `StaleSearch` when the passages have changed since `store` was read; read it again then.
    """
    rows = passages_of(workspace_id, store)
    wanted = min(count, store.passages)
    if connection.vendor != "postgresql":
        version = (store.generation, store.revision)
        ids = nearest_ids(store.id, version, rows, store.passages, query, count)
        found = _read(ranked(rows.filter(pk__in=ids), query), count)
        wanted = len(ids) if ids else wanted
    elif is_indexed(store.passages, len(query)):
        found = _read_indexed(ranked(rows, query, indexed=True), count)
        if len(found) < wanted:
            # The index gave up before enough of its candidates were of this store.
            found = _read(ranked(rows, query), count)
    else:
        found = _read(ranked(rows, query), count)
    if len(found) < wanted:
        raise StaleSearch
    return found


def passages_of(workspace_id: str, store: EmbeddingStore) -> QuerySet[Passage]:
    """The passages that answer, and only if the store is of that workspace."""
    return Passage.objects.filter(workspace_id=workspace_id, store_id=store.id, generation=store.generation)


def ranked(rows: QuerySet[Passage], query: Vector, *, indexed: bool = False) -> QuerySet[Passage]:
    """`rows`, nearest first. ``indexed`` casts to the dimension, so that PostgreSQL can use its HNSW index."""
    if not indexed:
        return rows.annotate(distance=CosineDistance("vector", query)).order_by("distance", "pk")
    dimension = len(query)
    narrowed = rows.filter(HasDimension("vector", dimension))
    # A second column to order by would take the index out of the plan.
    return narrowed.annotate(distance=CosineDistance("vector", query, dimension)).order_by("distance")


def is_indexed(passages: int, dimension: int) -> bool:
    return passages >= INDEXED_FROM and dimension <= MAX_INDEXED_DIMENSION


def _read_indexed(rows: QuerySet[Passage], count: int) -> list[Found]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_HNSW)
        return _read(rows, count)


def _read(rows: QuerySet[Passage], count: int) -> list[Found]:
    return [Found(row.title, row.text, row.distance) for row in rows.only("title", "text")[:count]]  # type: ignore[attr-defined]
