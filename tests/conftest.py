"""Fixtures that every room's tests share."""

import os
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from apps.activity.limits import permits
from apps.activity.writer import writer
from extensions.web_engines import egress
from tests.road import Road
from tests.upstream import Upstream, tls_upstream, upstream  # noqa: F401 - fixtures
from tests.workspaces.conftest import House, build_house

SLOW = os.environ.get("AGENTTEAM_TEST_SLOW") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    on_postgresql = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
    for item in items:
        if item.get_closest_marker("slow") and not SLOW:
            item.add_marker(pytest.mark.skip(reason="slow: set AGENTTEAM_TEST_SLOW=1"))
        if item.get_closest_marker("postgres") and not on_postgresql:
            item.add_marker(pytest.mark.skip(reason="needs PostgreSQL: set AGENTTEAM_TEST_DATABASE=postgresql"))
        if item.get_closest_marker("sqlite") and on_postgresql:
            item.add_marker(pytest.mark.skip(reason="is about SQLite"))
        _bring_first_rows_back(item)


def _bring_first_rows_back(item: pytest.Item) -> None:
    """A transactional test empties every table; the rows that migrations made come back for the next one."""
    names: list[str] = getattr(item, "fixturenames", [])
    mark = item.get_closest_marker("django_db")
    transactional = {"live_server", "transactional_db"} & set(names) or (mark and mark.kwargs.get("transaction"))
    if transactional and "django_db_serialized_rollback" not in names:
        names.append("django_db_serialized_rollback")


@pytest.fixture(autouse=True)
def clean_process() -> Iterator[None]:
    """No queued execution, granted call or kept socket goes from one test to the next."""
    yield
    writer.queue.clear()
    writer.used_tokens.clear()
    permits.forget()
    if egress.cache_info().currsize:
        egress().close()
        egress.cache_clear()


@pytest.fixture
def house(db: None) -> House:
    return build_house("harbour")


@pytest.fixture
def other_house(db: None) -> House:
    return build_house("lighthouse")


@pytest.fixture
def road(transactional_db: None, upstream: Upstream, settings: object) -> Road:  # noqa: F811
    """A workspace with people and an agent, and every engine's origin pointed at the upstream server."""
    assert not connection.in_atomic_block
    return Road.build(build_house("harbour"), upstream, settings)


@pytest.fixture
def desk(house: House, upstream: Upstream, settings: object) -> Road:  # noqa: F811
    """As `road`, inside one transaction and so faster: for what calls no engine."""
    return Road.build(house, upstream, settings)
