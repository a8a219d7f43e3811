"""Databases for the tests of served processes. They start their own, whatever the other tests run on."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from bench.processes import free_port
from bench.product import database
from tests.operations.served import Deployment, Served
from tests.upstream import Upstream

# These bring their own database, so running them on the second one too would show nothing new.
WITH_A_DATABASE_OF_THEIR_OWN = {"template", "postgresql_url"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        for item in items:
            if WITH_A_DATABASE_OF_THEIR_OWN & set(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.skip(reason="starts its own database: runs with SQLite's tests"))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """A migrated SQLite database with a workspace, to be copied."""
    path = tmp_path_factory.mktemp("template") / "template.sqlite3"
    with Upstream() as nobody:
        return Deployment.build(f"sqlite:///{path}", nobody)


@pytest.fixture
def harbour(template: Deployment, tmp_path: Path, upstream: Upstream) -> Deployment:
    """On SQLite."""
    return template.copy(tmp_path / "harbour.sqlite3", upstream)


@pytest.fixture(scope="module")
def shared_upstream() -> Iterator[Upstream]:
    with Upstream() as server:
        yield server


@pytest.fixture(scope="module")
def server(
    template: Deployment, tmp_path_factory: pytest.TempPathFactory, shared_upstream: Upstream
) -> Iterator[Served]:
    """Two workers on SQLite with brave connected, for all tests of a module."""
    deployment = template.copy(tmp_path_factory.mktemp("served") / "served.sqlite3", shared_upstream)
    with deployment.served(workers=2, threads=96) as running:
        running.connect()
        yield running


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    with database("postgresql") as url:
        yield url


@contextmanager
def running_redis(port: int) -> Iterator[str]:
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


def require_redis() -> None:
    if shutil.which("redis-server") is None:
        assert os.environ.get("AGENTTEAM_REQUIRE_REDIS") != "1", "redis-server is not installed"
        pytest.skip("redis-server is not installed")


@pytest.fixture
def redis_url() -> Iterator[str]:
    """A Redis of this test's own."""
    require_redis()
    with running_redis(free_port()) as url:
        import redis

        from tests.operations.served import eventually

        client = redis.Redis.from_url(url)

        def answers() -> bool:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False

        eventually(answers)
        yield url
