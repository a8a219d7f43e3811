"""Fixtures of the knowledge base's tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.knowledge.matrices import matrices
from tests.knowledge.embedding_server import EmbeddingServer
from tests.knowledge.library import Library
from tests.road import Road
from tests.upstream import Upstream


@pytest.fixture(autouse=True)
def no_vectors_in_memory() -> Iterator[None]:
    matrices.forget()
    yield
    matrices.forget()


@pytest.fixture
def server(upstream: Upstream, settings: Any) -> EmbeddingServer:
    settings.AGENTTEAM_EMBEDDING_ORIGINS = [upstream.url]
    return EmbeddingServer(upstream)


@pytest.fixture
def empty_library(road: Road, server: EmbeddingServer) -> Library:
    """No model and no store yet."""
    return Library(road, server)


@pytest.fixture
def library(empty_library: Library) -> Library:
    """The model `writer`, the store `handbook`, and the App connected to both."""
    empty_library.make_model()
    empty_library.make_store()
    empty_library.connect()
    return empty_library
