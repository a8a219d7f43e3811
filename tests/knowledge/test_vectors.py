"""The one field and the one query on both databases, and on PostgreSQL the plan that it gets."""

from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection

from apps.knowledge import hnsw
from apps.knowledge import nearest as nearest_module
from apps.knowledge.models import EmbeddingModel, EmbeddingStore, Passage
from apps.knowledge.nearest import nearest, passages_of, ranked
from tests.knowledge.passages import fill_store, unit_vectors
from tests.workspaces.conftest import House, build_house


@pytest.fixture
def no_indexes() -> Iterator[None]:
    """Building one cannot be undone by a rollback."""
    yield
    for dimension in (16, 32, 3072):
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX IF EXISTS {hnsw.index_name(dimension)}")


def make_store(house: House, dimension: int, name: str = "one") -> EmbeddingStore:
    model = EmbeddingModel.objects.create(
        workspace=house.workspace, kind="local", model="m", dimension=dimension, public_id=f"model-{name}"
    )
    return EmbeddingStore.objects.create(workspace=house.workspace, model=model, public_id=name)


def test_numbers_come_back_exactly(house: House) -> None:
    store = make_store(house, 5)
    given = np.array([[0.1, -1e-7, 3.4e38, 1 / 3, -0.0]], dtype=np.float32)
    fill_store(store, 1, vectors=given)
    stored = Passage.objects.get().vector
    assert stored.dtype == np.float32
    assert stored.tolist() == given[0].tolist()


@pytest.mark.parametrize("dimension", [3, 384, 1536])
def test_the_nearest_are_the_nearest(house: House, dimension: int) -> None:
    store = make_store(house, dimension)
    vectors = fill_store(store, 60)
    query = unit_vectors(1, dimension, seed=9)[0]
    found = nearest(house.workspace.id, store, query, 5)
    cosines = vectors @ query
    best = np.argsort(-cosines)[:5]
    assert [passage.title for passage in found] == [f"d#{place + 1}" for place in best]
    assert [passage.distance for passage in found] == pytest.approx(
        [1 - float(cosines[place]) for place in best], abs=1e-5
    )


@pytest.mark.postgres
def test_a_large_store_uses_its_index_and_a_small_one_does_not(
    transactional_db: None, django_db_serialized_rollback: None, no_indexes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = build_house("harbour")
    store, small = make_store(house, 32, "large"), make_store(house, 32, "small")
    vectors = fill_store(store, 3000)
    fill_store(small, 40, seed=2)
    assert hnsw.build_index(32)
    assert not hnsw.build_index(32)
    query = unit_vectors(1, 32, seed=9)[0]
    rows = passages_of(house.workspace.id, store)
    indexed = ranked(rows, query, indexed=True)[:5].explain()
    exact = ranked(rows, query)[:5].explain()
    assert "Index Scan using knowledge_passage_hnsw_32" in indexed, indexed
    assert "knowledge_passage_hnsw" not in exact, exact

    monkeypatch.setattr(nearest_module, "INDEXED_FROM", 1000)
    found = nearest(house.workspace.id, store, query, 5)
    best = np.argsort(-(vectors @ query))[:5]
    assert {passage.title for passage in found} == {f"d#{place + 1}" for place in best}
    assert [passage.distance for passage in found] == sorted(passage.distance for passage in found)
    assert len(nearest(house.workspace.id, small, query, 40)) == 40


@pytest.mark.postgres
def test_an_index_that_broke_off_is_built_again(
    transactional_db: None, django_db_serialized_rollback: None, no_indexes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(build_house("harbour"), 16)
    fill_store(store, 200)
    monkeypatch.setattr(nearest_module, "INDEXED_FROM", 100)
    assert hnsw.ensure_index(store.id)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'knowledge_passage_hnsw_16'::regclass"
        )
    assert hnsw.ensure_index(store.id)
    assert not hnsw.ensure_index(store.id)


@pytest.mark.postgres
def test_a_wide_model_is_indexed_in_half_precision(
    transactional_db: None, django_db_serialized_rollback: None, no_indexes: None
) -> None:
    house = build_house("harbour")
    store = make_store(house, 3072)
    vectors = fill_store(store, 50)
    assert hnsw.build_index(3072)
    [first] = ranked(passages_of(house.workspace.id, store), vectors[3], indexed=True)[:1]
    assert first.title == "d#4"
