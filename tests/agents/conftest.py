"""The whole site behind a real socket, for clients that are not ours."""

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.road import Road
from tests.upstream import Upstream
from tests.workspaces.conftest import build_house


@pytest.fixture
def desk(db: None, upstream: Upstream, settings: object) -> Road:
    """As `road`, in a transaction that is rolled back: quick, and good for all that stops before an engine."""
    return Road.build(build_house("harbour"), upstream, settings)


@pytest.fixture
def site(road: Road, live_server: LiveServer) -> str:
    """The address of a server that has `road`'s workspace."""
    return str(live_server.url)
