"""The knowledge base's part of the benchmark: search times, ingest rate and memory, with the bounds of the project.

`python -m bench.knowledge` measures on a SQLite file and a PostgreSQL of its own, each in a process of its own.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from bench.product import database

DIMENSION = 384
SQLITE_PASSAGES = 10_000
PGVECTOR_PASSAGES = 100_000
SEARCHES = 200
INGESTED_PARAGRAPHS = 150


@dataclass(frozen=True)
class Row:
    """One figure. ``limit`` is None where the project sets no bound."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def holds(self) -> bool:
        return self.limit is None or self.value <= self.limit


def run() -> list[Row]:
    """All figures; prints them as a table."""
    rows = [*_in_process("sqlite"), *_in_process("postgresql")]
    for row in rows:
        limit = "" if row.limit is None else f"  (at most {row.limit:g}{'' if row.holds else ': EXCEEDED'})"
        print(f"  {row.name:<58} {row.value:>9.2f} {row.unit}{limit}")
    return rows


def _in_process(kind: str) -> list[Row]:
    with database(kind) as url:
        environment = {
            **os.environ,
            "DATABASE_URL": url,
            "SECRET_KEY": "only for the benchmark",
            "AGENTTEAM_ENV_FILE": os.devnull,
            "AGENTTEAM_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        }
        command = [sys.executable, "-m", "bench.knowledge", kind]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return [Row(**row) for row in json.loads(done.stdout)]


def measure(kind: str) -> list[Row]:
    """In a process whose environment names a fresh database."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    return _measure_sqlite() if kind == "sqlite" else _measure_pgvector()


def _measure_sqlite() -> list[Row]:
    store, vectors = _filled(SQLITE_PASSAGES)
    before = _resident_mib()
    first, times = _search_times(store, vectors)
    loaded = _resident_mib() - before
    name = f"SQLite, {SQLITE_PASSAGES} passages"
    return [
        Row(f"{name}: first search, loads the vectors", first, "ms"),
        Row(f"{name}: search p50", statistics.median(times), "ms", 25),
        Row(f"{name}: search p95", _p95(times), "ms"),
        Row(f"{name}: memory of the vectors", loaded, "MiB"),
        *_ingest(),
    ]


def _measure_pgvector() -> list[Row]:
    from apps.knowledge.hnsw import build_index

    store, vectors = _filled(PGVECTOR_PASSAGES)
    started = time.perf_counter()
    build_index(DIMENSION)
    built = time.perf_counter() - started
    _, times = _search_times(store, vectors)
    name = f"pgvector, {PGVECTOR_PASSAGES} passages"
    return [
        Row(f"{name}: building the HNSW index", built, "s"),
        Row(f"{name}: search p50", statistics.median(times), "ms", 15),
        Row(f"{name}: search p95", _p95(times), "ms"),
        Row(f"{name}: recall@5 against the exact answer", _recall(store, vectors), ""),
    ]


def _filled(count: int) -> tuple[Any, Any]:
    """A store of that many passages around a few hundred subjects, as real texts have them; and the vectors."""
    import numpy as np

    from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore, Passage
    from apps.workspaces.models import Workspace

    workspace = Workspace.objects.create(name="bench")
    model = EmbeddingModel.objects.create(workspace=workspace, kind="local", model="bench", dimension=DIMENSION)
    store = EmbeddingStore.objects.create(workspace=workspace, model=model, passages=count)
    document = Document.objects.create(
        store=store, name="d", media_type="text/plain", size=1, content_hash="0" * 64, status="ready", passages=count
    )
    random = np.random.default_rng(1)
    subjects = random.standard_normal((300, DIMENSION))
    vectors = subjects[random.integers(0, 300, count)] + 0.8 * random.standard_normal((count, DIMENSION))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    for start in range(0, count, 5000):
        Passage.objects.bulk_create(
            (
                Passage(
                    workspace=workspace,
                    store=store,
                    document=document,
                    generation=1,
                    ordinal=place,
                    title=f"d#{place}",
                    text="A passage of the usual length. " * 20,
                    vector=vectors[place],
                )
                for place in range(start, min(start + 5000, count))
            ),
            batch_size=500,
        )
    return store, vectors


def _search_times(store: Any, vectors: Any) -> tuple[float, list[float]]:
    from apps.knowledge.nearest import nearest

    queries = _queries(vectors)
    first = _milliseconds(lambda: nearest(store.workspace_id, store, queries[0], 5))
    return first, [
        _milliseconds(lambda query=query: nearest(store.workspace_id, store, query, 5))  # type: ignore[misc]
        for query in queries
    ]


def _queries(vectors: Any) -> Any:
    import numpy as np

    random = np.random.default_rng(2)
    near = vectors[random.integers(0, len(vectors), SEARCHES)] + 0.03 * random.standard_normal((SEARCHES, DIMENSION))
    return (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)


def _recall(store: Any, vectors: Any) -> float:
    import numpy as np

    from apps.knowledge.nearest import nearest

    found = 0
    for query in _queries(vectors):
        exact = {f"d#{place}" for place in np.argpartition(-(vectors @ query), 4)[:5]}
        found += len(exact & {passage.title for passage in nearest(store.workspace_id, store, query, 5)})
    return found / (5 * SEARCHES)


def _ingest() -> list[Row]:
    """Real documents through the real model: the time of one query beside it."""
    from apps.knowledge.embedding.local import LocalEmbedder
    from apps.knowledge.services.documents import accept_document
    from apps.knowledge.services.models import create_model
    from apps.knowledge.services.stores import create_store
    from apps.knowledge.work import work_once
    from apps.workspaces.audit import Actor
    from apps.workspaces.models import Workspace

    workspace, actor = Workspace.objects.create(name="ingest"), Actor.operator("bench")
    create_model(workspace.id, actor, kind="local", public_id="mini")
    create_store(workspace.id, actor, "mini", "docs")
    before = _resident_mib()
    LocalEmbedder().embed(["warm"])
    loaded = _resident_mib() - before
    times = [_milliseconds(lambda: LocalEmbedder().embed(["how long may a query be"])) for _ in range(50)]
    sentence = "Ferries leave the harbour every hour, and twice in the night when the weather is fair. "
    text = "\n\n".join(f"## Rule {number}\n\n{sentence * 7}" for number in range(INGESTED_PARAGRAPHS))
    started = time.perf_counter()
    accept_document(workspace.id, actor, "docs", "rules.md", text.encode())
    worked = work_once()
    seconds = time.perf_counter() - started
    assert worked is not None and worked.error is None, worked
    return [
        Row("local model: one query p50", statistics.median(times), "ms"),
        Row("local model: memory", loaded, "MiB"),
        Row("ingest with the local model, 600 characters a passage", worked.passages / seconds, "passages/s"),
    ]


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _resident_mib() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss) / (1 << 20)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps([asdict(row) for row in measure(sys.argv[1])]))
    else:
        sys.exit(0 if all(row.holds for row in run()) else 1)
