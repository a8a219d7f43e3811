from collections.abc import Iterator

import pytest

from searchengines.egress.gate import Egress
from searchengines.egress.settings import EgressSettings
from tests.searchengines.stage import Stage
from tests.upstream import Upstream


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    egress = Egress(EgressSettings())
    with Upstream() as upstream:
        yield Stage(upstream, egress)
    egress.close()
