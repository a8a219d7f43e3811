"""Many calls that wait for a slow provider: what they hold, whom they disturb, and when the next is refused."""

import sqlite3
import time
from datetime import UTC, datetime
from statistics import quantiles
from typing import Any

import psycopg
import pytest

from tests.operations.served import METRICS_TOKEN, Deployment, Served, Stuck, eventually
from tests.road import ANSWERS, APP_IDS
from tests.upstream import Upstream

# A rehearsal with served processes: CI plays it, a developer on demand.
pytestmark = pytest.mark.slow

STUCK = 100
BOUND_SECONDS = 0.5


def test_every_other_route_stays_quick_while_calls_are_stuck(server: Served) -> None:
    """Health, pages, the API, MCP, and searches of agents and services with another engine."""
    ids = server.deployment.ids
    with Upstream() as quick:
        quick.reply(json=ANSWERS["searxng"])
        _connect_searxng(server, quick)
        calls = _other_calls(server, ids, _service_token(server))
        with Stuck(server, STUCK) as stuck:
            times = {" ".join(call[:2]): [_time_of(server, *call) for _ in range(10)] for call in calls}
            assert stuck.release() == [200] * STUCK
    worst = {route: quantiles(seconds, n=20)[-1] for route, seconds in times.items()}
    assert max(worst.values()) < BOUND_SECONDS, worst


Call = tuple[str, str, str | None, Any]


def _other_calls(server: Served, ids: dict[str, str], service: str) -> list[Call]:
    workspace = f"/api/v1/workspaces/{ids['workspaceId']}"
    agent, owner = ids["agentToken"], ids["ownerToken"]
    search = {"name": "searxng_search", "arguments": {"query": "ferry times"}}
    return [
        ("GET", "/healthz", None, None),
        ("GET", "/readyz", None, None),
        ("GET", "/metrics", METRICS_TOKEN, None),
        ("GET", "/sign-in", None, None),
        ("GET", "/api/v1/exec", agent, None),
        ("GET", f"{workspace}/apps", owner, None),
        ("GET", f"{workspace}/activity", owner, None),
        ("POST", "/mcp", agent, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": search}),
        ("POST", "/api/v1/exec/searxng/search", agent, {"query": "ferry times"}),
        ("POST", "/api/v1/search-engines/searxng/search", service, {"query": "ferry times"}),
    ]


def _connect_searxng(server: Served, upstream: Upstream) -> None:
    installation = server.owner("POST", "app-installations", {"appId": APP_IDS["searxng"]}).json()["id"]
    body = {"config": {"baseUrl": upstream.url}}
    saved = server.owner("PUT", f"app-installations/{installation}/search-engine-connection", body)
    assert saved.status_code == 200, saved.text


def _service_token(server: Served) -> str:
    issued = server.owner("POST", "service-tokens", {"name": "indexer", "extensions": ["searxng"]})
    assert issued.status_code == 201, issued.text
    return str(issued.json()["token"])


def _time_of(server: Served, method: str, path: str, token: str | None, body: Any) -> float:
    started = time.perf_counter()
    answer = server.request(method, path, token, body)
    assert answer.status_code == 200, answer.text
    if body is not None:
        assert "https://" in answer.text, answer.text
    return time.perf_counter() - started


def test_calls_in_flight_of_a_workspace_are_bounded_over_all_processes(harbour: Deployment) -> None:
    with harbour.served(workers=2, AGENTTEAM_CALLS_IN_FLIGHT="20") as server:
        server.connect()
        with Stuck(server, 20) as stuck:
            # No process has all twenty, so what refuses is what they told each other.
            _wait_until_every_process_has_heard(harbour, 20)
            refused = [_refusal(server) for _ in range(20)]
            assert refused == [(429, "throttled", "1")] * 20
            assert len(harbour.upstream.requests) == 20
            assert stuck.release() == [200] * 20
        eventually(lambda: server.search().status_code == 200)
        eventually(lambda: len(server.executions()) >= 21)
        assert {row["code"] for row in server.executions()} == {"ok"}


def _in_flight(harbour: Deployment) -> tuple[int, str]:
    """How many calls all processes told of, and when the one that told last did so."""
    with sqlite3.connect(harbour.path) as database:
        row = database.execute("SELECT coalesce(sum(calls), 0), coalesce(min(at), '') FROM activity_callsinflight")
        calls, oldest = row.fetchone()
    return calls, oldest


def _wait_until_every_process_has_heard(harbour: Deployment, calls: int) -> None:
    """Each tells and then reads; so after two more rounds of all, each has read what all had told."""
    eventually(lambda: _in_flight(harbour)[0] == calls)
    for _ in range(2):
        now = str(datetime.now(UTC).replace(tzinfo=None))
        eventually(lambda now=now: _in_flight(harbour)[1] > now)


def _refusal(server: Served) -> tuple[int, str, str]:
    answer = server.search()
    return answer.status_code, answer.json()["error"]["code"], answer.headers["Retry-After"]


def test_no_database_connection_waits_with_the_calls(postgresql_url: str, upstream: Upstream) -> None:
    deployment = Deployment.build(postgresql_url, upstream, AGENTTEAM_DB_POOL_MAX="20")
    with deployment.served(threads=256) as server, psycopg.connect(postgresql_url, autocommit=True) as watcher:
        server.connect()
        with Stuck(server, 200) as stuck:
            eventually(lambda: _busy(watcher) == [])
            assert _connections(watcher) <= 20
            assert server.request("GET", "/readyz").status_code == 200
            assert stuck.release() == [200] * 200
        eventually(lambda: len(_codes(watcher)) == 200)
        assert set(_codes(watcher)) == {"ok"}


def _connections(watcher: psycopg.Connection) -> int:
    row = watcher.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    ).fetchone()
    assert row is not None
    return int(row[0])


def _busy(watcher: psycopg.Connection) -> list[tuple[str, str]]:
    """Every other session that is in a transaction or runs a statement."""
    return watcher.execute(
        "SELECT state, query FROM pg_stat_activity WHERE backend_type = 'client backend' "
        "AND pid <> pg_backend_pid() AND state <> 'idle'"
    ).fetchall()


def _codes(watcher: psycopg.Connection) -> list[str]:
    return [row[0] for row in watcher.execute("SELECT code FROM activity_execution").fetchall()]
