"""The vectors of a store in memory, for databases that cannot compare vectors themselves.

Each is loaded once a process and brought up to date when its store has changed. Together they stay within
`AGENTTEAM_KNOWLEDGE_MEMORY_MIB`; a store that is larger by itself is read in slices, and nothing of it is kept.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.conf import settings
from django.db.models import QuerySet
from numpy.typing import NDArray

from apps.knowledge.models import Passage
from apps.knowledge.vectors import Vector

MEBIBYTE = 1 << 20
SLICE_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Matrix:
    """``vectors`` has one row for each of ``ids``, which ascend."""

    version: tuple[int, int]
    ids: NDArray[np.int64]
    vectors: Vector

    @property
    def size(self) -> int:
        return self.ids.nbytes + self.vectors.nbytes


class MatrixCache:
    """Least recently used first. Threads share it; each store is loaded by one of them at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Matrix] = OrderedDict()
        self._loading: dict[str, threading.Lock] = {}

    def get(self, store_id: str, version: tuple[int, int], rows: QuerySet[Passage], max_bytes: int) -> Matrix:
        """The matrix of a store as it is, or was a moment ago, at `version` (generation, revision)."""
        with self._lock:
            loading = self._loading.setdefault(store_id, threading.Lock())
        with loading:
            held = self._find(store_id)
            if held is None or held.version != version:
                held = _updated(held, version, rows)
                self._keep(store_id, held, max_bytes)
            return held

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._held.clear()
            self._loading.clear()

    def size(self) -> int:
        """Bytes held."""
        with self._lock:
            return sum(matrix.size for matrix in self._held.values())

    def _find(self, store_id: str) -> Matrix | None:
        with self._lock:
            held = self._held.get(store_id)
            if held is not None:
                self._held.move_to_end(store_id)
            return held

    def _keep(self, store_id: str, matrix: Matrix, max_bytes: int) -> None:
        with self._lock:
            self._held[store_id] = matrix
            self._held.move_to_end(store_id)
            total = sum(held.size for held in self._held.values())
            while total > max_bytes and self._held:
                evicted, dropped = self._held.popitem(last=False)
                self._loading.pop(evicted, None)
                total -= dropped.size


matrices = MatrixCache()


def nearest_ids(
    store_id: str, version: tuple[int, int], rows: QuerySet[Passage], expected: int, query: Vector, count: int
) -> list[int]:
    """The ids of the `count` passages of `rows` that are most like `query`, in no order.

    ``expected`` is how many rows there are, about: it decides whether the store fits into memory.
    """
    limit = settings.AGENTTEAM_KNOWLEDGE_MEMORY_MIB * MEBIBYTE
    if expected * (query.nbytes + 8) > limit:
        return _nearest_in_slices(rows, query, count)
    matrix = matrices.get(store_id, version, rows, limit)
    return [int(key) for key in _best(matrix.ids, matrix.vectors, query, count)[0]]


def _nearest_in_slices(rows: QuerySet[Passage], query: Vector, count: int) -> list[int]:
    best_ids, best_vectors = _empty(len(query))
    for ids, vectors in _slices(rows):
        best_ids, best_vectors = _best(
            np.concatenate((best_ids, ids)), np.concatenate((best_vectors, vectors)), query, count
        )
    return [int(key) for key in best_ids]


def _best(ids: NDArray[np.int64], vectors: Vector, query: Vector, count: int) -> tuple[NDArray[np.int64], Vector]:
    if len(ids) <= count:
        return ids, vectors
    chosen = np.argpartition(-(vectors @ query), count - 1)[:count]
    return ids[chosen], vectors[chosen]


def _updated(held: Matrix | None, version: tuple[int, int], rows: QuerySet[Passage]) -> Matrix:
    """Passages are added and deleted, never changed, and ids only ascend: what is new comes after what is held."""
    if held is None or held.version[0] != version[0] or not len(held.ids):
        return Matrix(version, *_loaded(rows))
    current = np.fromiter(rows.values_list("pk", flat=True).iterator(), dtype=np.int64)
    kept = np.isin(held.ids, current)
    ids, vectors = _loaded(rows.filter(pk__gt=int(held.ids[-1])))
    if not len(ids):
        return Matrix(version, held.ids[kept], held.vectors[kept])
    return Matrix(version, np.concatenate((held.ids[kept], ids)), np.concatenate((held.vectors[kept], vectors)))


def _loaded(rows: QuerySet[Passage]) -> tuple[NDArray[np.int64], Vector]:
    parts = list(_slices(rows))
    if not parts:
        return _empty(0)
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([vectors for _, vectors in parts])


def _slices(rows: QuerySet[Passage]) -> Iterator[tuple[NDArray[np.int64], Vector]]:
    last = 0
    while part := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", "vector")[:SLICE_ROWS]):
        ids, vectors = zip(*part, strict=True)
        last = ids[-1]
        yield np.array(ids, dtype=np.int64), np.stack(vectors)


def _empty(dimension: int) -> tuple[NDArray[np.int64], Vector]:
    return np.empty(0, dtype=np.int64), np.empty((0, dimension), dtype=np.float32)
