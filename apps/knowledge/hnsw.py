"""The HNSW indexes of pgvector: one for each dimension that a large store has."""

import hashlib

import structlog
from django.db import connection, transaction

from apps.knowledge.models import EmbeddingStore, Passage
from apps.knowledge.nearest import is_indexed
from apps.knowledge.vectors import index_type

log = structlog.get_logger("agentteam.knowledge")

_TABLE = Passage._meta.db_table
_STATE = "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relname = %s"
# A build in memory is several times faster than one that spills.
_BUILD_MEMORY = "512MB"


def ensure_index(store_id: str) -> bool:
    """Build the index that a store has grown to need; True when it was built now.

    Nothing happens for small stores, on SQLite, and while another process builds. Searches go on meanwhile.
    """
    if connection.vendor != "postgresql":
        return False
    store = EmbeddingStore.objects.filter(pk=store_id).select_related("model").first()
    if store is None or store.model.dimension is None or not is_indexed(store.passages, store.model.dimension):
        return False
    return build_index(store.model.dimension)


def build_index(dimension: int) -> bool:
    """Build the index of one dimension unless it is there; True when it was built now. Outside of transactions."""
    name = index_name(dimension)
    if _is_valid(name) or not _lock(name):
        return False
    try:
        # Somebody else may have finished since; a build that broke off leaves an invalid index behind.
        if _is_valid(name):
            return False
        _build(name, dimension)
        # A table that was just filled may have no statistics yet; without them the planner takes the index for the
        # dearer way and sorts every passage.
        _run(f"ANALYZE {_TABLE}")
        log.info("built a vector index", dimension=dimension)
        return True
    finally:
        _run("SELECT pg_advisory_unlock(%s)", [_number(name)])


def index_name(dimension: int) -> str:
    return f"knowledge_passage_hnsw_{dimension}"


def _build(name: str, dimension: int) -> None:
    kind = index_type(dimension)
    operators = f"{kind.partition('(')[0]}_cosine_ops"
    _run(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    _run("SELECT set_config('maintenance_work_mem', %s, false)", [_BUILD_MEMORY])
    try:
        _run(
            f"CREATE INDEX CONCURRENTLY {name} ON {_TABLE} USING hnsw ((vector::{kind}) {operators}) "
            f"WHERE vector_dims(vector) = {int(dimension)}"
        )
    finally:
        _run("RESET maintenance_work_mem")


def _is_valid(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_STATE, [name])
        row = cursor.fetchone()
    return row is not None and bool(row[0])


def _lock(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_number(name)])
        return bool(cursor.fetchone()[0])


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _run(statement: str, parameters: list[str | int] | None = None) -> None:
    if transaction.get_connection().in_atomic_block:
        raise RuntimeError("an index is not built inside a transaction")
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
