"""Two web processes on one PostgreSQL and one Redis: what is done through one holds at the other at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.operations.served import Deployment, Served
from tests.road import ANSWERS
from tests.upstream import Reply, Request, Upstream

# A rehearsal with served processes: CI plays it, a developer on demand.
pytestmark = pytest.mark.slow


@pytest.fixture
def pair(postgresql_url: str, redis_url: str, upstream: Upstream) -> Iterator[tuple[Served, Served]]:
    deployment = Deployment.build(postgresql_url, upstream, REDIS_URL=redis_url, AGENTTEAM_EXEC_RATE="12/day")
    with deployment.served(threads=16) as one, deployment.served(threads=16) as other:
        yield one, other


def test_a_revocation_a_resting_key_and_a_throttle_hold_at_the_other_at_once(pair: tuple[Served, Served]) -> None:
    one, other = pair
    upstream = one.deployment.upstream
    one.connect("brave", "key-good-0000,key-poor-0000")

    def answer(request: Request) -> Reply:
        poor = request.headers["x-subscription-token"] == "key-poor-0000"
        return Reply(429, {"Retry-After": "600"}) if poor else Reply(json=ANSWERS["brave"])

    upstream.reply_with(answer)
    # Keys take turns over both processes: the second of two calls meets the poor one.
    first, second = one.search(), other.search()
    assert sorted((first.status_code, second.status_code)) == [200, 429]
    assert [one.search().status_code, other.search().status_code, one.search().status_code] == [200, 200, 200]
    keys = [request.headers["x-subscription-token"] for request in upstream.requests]
    assert sorted(keys[:2]) == ["key-good-0000", "key-poor-0000"]
    assert keys[2:] == ["key-good-0000"] * 3

    # Twelve in a day, counted over both at the same time: five are gone.
    with ThreadPoolExecutor(10) as pool:
        calls = [pool.submit((one, other)[number % 2].search) for number in range(10)]
        codes = sorted(call.result().status_code for call in calls)
    assert codes == [200] * 7 + [429] * 3
    assert len(upstream.requests) == 12
    assert {server.search().json()["error"]["code"] for server in pair} == {"throttled"}

    ids = one.deployment.ids
    tokens = f"agents/{ids['agentId']}/tokens"
    fresh = one.owner("POST", tokens, {}).json()
    catalog = other.request("GET", "/api/v1/exec", fresh["token"])
    assert [entry["name"] for entry in catalog.json()["extensions"]] == ["brave"]
    assert one.owner("DELETE", f"{tokens}/{fresh['id']}").status_code == 204
    assert other.request("GET", "/api/v1/exec", fresh["token"]).status_code == 401
    assert other.search(token=fresh["token"]).status_code == 401
    assert len(upstream.requests) == 12
