"""Vectors in memory: loaded once, brought up to date, bounded; and a store beyond the bound in slices."""

from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.knowledge import matrices as matrices_module
from apps.knowledge.matrices import matrices
from apps.knowledge.models import EmbeddingModel, EmbeddingStore, Passage
from apps.knowledge.nearest import StaleSearch, nearest
from tests.knowledge.passages import fill_store, unit_vectors
from tests.workspaces.conftest import House

pytestmark = pytest.mark.sqlite


@pytest.fixture
def store(house: House) -> EmbeddingStore:
    return make_store(house)


def make_store(house: House, name: str = "one", dimension: int = 8) -> EmbeddingStore:
    model = EmbeddingModel.objects.create(
        workspace=house.workspace, kind="local", model="m", dimension=dimension, public_id=f"model-{name}"
    )
    return EmbeddingStore.objects.create(workspace=house.workspace, model=model, public_id=name)


def loads(store: EmbeddingStore, query: Any) -> tuple[list[str], int]:
    """The titles found, and how many statements it took."""
    with CaptureQueriesContext(
        connection,
    ) as statements:
        found = nearest(store.workspace_id, store, query, 3)
    return [passage.title for passage in found], len(statements)


def test_loaded_once_and_refreshed_when_the_store_changes(store: EmbeddingStore) -> None:
    vectors = fill_store(store, 50)
    query = vectors[7]
    first, with_loading = loads(store, query)
    again, cached = loads(store, query)
    assert (first[0], again, cached) == ("d#8", first, 1)
    assert with_loading > cached

    Passage.objects.filter(title="d#8").delete()
    store.passages, store.revision = 49, store.revision + 1
    store.save()
    assert "d#8" not in loads(store, query)[0]
    fill_store(store, 1, name="new", vectors=query[None, :])
    assert loads(store, query)[0][0] == "new#1"


def test_a_search_says_when_the_store_changed_under_it(store: EmbeddingStore) -> None:
    vectors = fill_store(store, 5)
    nearest(store.workspace_id, store, vectors[0], 3)
    Passage.objects.filter(title="d#1").delete()
    with pytest.raises(StaleSearch):
        nearest(store.workspace_id, store, vectors[0], 3)


def test_least_recently_used_stores_make_room(house: House, settings: Any) -> None:
    settings.AGENTTEAM_KNOWLEDGE_MEMORY_MIB = 1
    stores = [make_store(house, name, dimension=100) for name in ("one", "two", "three")]
    vectors = [fill_store(each, 1000) for each in stores]
    for each, rows in zip(stores, vectors, strict=True):
        nearest(each.workspace_id, each, rows[0], 3)
    assert 0 < matrices.size() <= 1 << 20
    assert [loads(each, rows[0])[1] for each, rows in zip(stores[1:], vectors[1:], strict=True)] == [1, 1]
    assert loads(stores[0], vectors[0][0])[1] > 1


def test_a_store_beyond_the_bound_is_read_in_slices(store: EmbeddingStore, settings: Any, monkeypatch: Any) -> None:
    vectors = fill_store(store, 200)
    query = unit_vectors(1, 8, seed=5)[0]
    in_memory, _ = loads(store, query)
    matrices.forget()
    monkeypatch.setattr(matrices_module, "SLICE_ROWS", 30)
    settings.AGENTTEAM_KNOWLEDGE_MEMORY_MIB = 0
    in_slices, statements = loads(store, query)
    assert (in_slices, matrices.size()) == (in_memory, 0)
    assert statements == 200 // 30 + 1 + 1 + 1
    best = np.argsort(-(vectors @ query))[:3]
    assert in_slices == [f"d#{place + 1}" for place in best]


def test_an_empty_store(store: EmbeddingStore) -> None:
    assert nearest(store.workspace_id, store, unit_vectors(1, 8)[0], 3) == []
