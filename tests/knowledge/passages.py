"""Stores full of made-up vectors."""

from typing import Any

import numpy as np

from apps.knowledge.models import Document, EmbeddingStore, Passage


def unit_vectors(count: int, dimension: int, seed: int = 1) -> Any:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def fill_store(store: EmbeddingStore, count: int, *, name: str = "d", vectors: Any = None, seed: int = 1) -> Any:
    """One document with that many passages, called `d#1` and so on; their vectors."""
    if vectors is None:
        vectors = unit_vectors(count, store.model.dimension, seed)
    document = Document.objects.create(
        store=store,
        name=name,
        media_type="text/plain",
        size=1,
        content_hash="0" * 64,
        status="ready",
        generation=store.generation,
        passages=count,
    )
    Passage.objects.bulk_create(
        (
            Passage(
                workspace_id=store.workspace_id,
                store=store,
                document=document,
                generation=store.generation,
                ordinal=place,
                title=f"{name}#{place}",
                text=f"Passage {place}.",
                vector=vector,
            )
            for place, vector in enumerate(vectors, 1)
        ),
        batch_size=500,
    )
    store.passages += count
    store.revision += 1
    store.save()
    return vectors
