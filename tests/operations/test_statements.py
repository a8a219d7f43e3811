"""What a call asks of the database before it asks the provider (counted, on whichever database the tests run)."""

import json
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.workspaces import tokens
from extensions import catalog
from tests.road import Road
from tests.upstream import Reply, Request


@contextmanager
def statements_before_the_upstream_call(road: Road) -> Any:
    """What was run until the provider was asked, and after it, one list each."""
    # The provider's answer is given on another thread, which has a connection of its own.
    with CaptureQueriesContext(connections["default"]) as captured:
        seen: dict[str, list[str]] = {"before": [], "after": []}
        default = road.upstream._default

        def answer(request: Request) -> Reply:
            seen["before"] = [query["sql"] for query in list(captured.captured_queries)]
            return default(request)

        road.upstream.reply_with(answer)
        yield seen
        seen["after"] = [query["sql"] for query in captured.captured_queries[len(seen["before"]) :]]
    road.upstream.reply_with(default)


def kinds(statements: list[str]) -> list[str]:
    return [statement.split()[0] for statement in statements]


def test_one_reading_query_when_no_limit_and_no_rotation_is_on(road: Road) -> None:
    road.connect("brave")
    with statements_before_the_upstream_call(road) as seen:
        assert road.search("brave").status_code == 200
    assert kinds(seen["before"]) == ["SELECT"]
    assert seen["after"] == []


def test_one_more_statement_for_the_limit(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "100/min"
    road.connect("brave")
    with statements_before_the_upstream_call(road) as seen:
        assert road.search("brave").status_code == 200
    assert kinds(seen["before"]) == ["SELECT", "INSERT"]
    assert seen["after"] == []


def test_the_same_statement_serves_limit_and_rotation(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "100/min"
    road.connect("brave", "key-one-0000,key-two-0000")
    with statements_before_the_upstream_call(road) as seen:
        assert road.search("brave").status_code == 200
    assert kinds(seen["before"]) == ["SELECT", "INSERT"]


def test_none_for_the_limit_and_rotation_when_redis_counts(
    road: Road,
    settings: Any,
    redis_url: str,
) -> None:
    settings.AGENTTEAM_EXEC_RATE = "100/min"
    settings.REDIS_URL = redis_url
    road.connect("brave", "key-one-0000,key-two-0000")
    with statements_before_the_upstream_call(road) as seen:
        assert road.search("brave").status_code == 200
    assert kinds(seen["before"]) == ["SELECT"]
    assert seen["after"] == []


@pytest.mark.parametrize("rate", ["0", "100/min"])
def test_a_service_asks_no_more_than_an_agent(road: Road, settings: Any, rate: str) -> None:
    settings.AGENTTEAM_EXEC_RATE = rate
    road.connect("brave")
    service = road.service("brave")
    with statements_before_the_upstream_call(road) as seen:
        assert service("POST", "search-engines/brave/search", {"query": "ferry times"}).status_code == 200
    assert kinds(seen["before"]) == (["SELECT"] if rate == "0" else ["SELECT", "INSERT"])
    assert seen["after"] == []


@pytest.mark.parametrize("rate", ["0", "100/min"])
def test_a_call_over_mcp_asks_no_more_either(road: Road, settings: Any, rate: str) -> None:
    settings.AGENTTEAM_EXEC_RATE = rate
    road.connect("brave")
    params = {"name": "brave_search", "arguments": {"query": "ferry times"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Authorization": f"Bearer {road.agent.token}"}
    with statements_before_the_upstream_call(road) as seen:
        answer = Client().post("/mcp", body, content_type="application/json", headers=headers)
        assert answer.json()["result"]["isError"] is False
    assert kinds(seen["before"]) == (["SELECT"] if rate == "0" else ["SELECT", "INSERT"])
    assert seen["after"] == []


def test_one_more_for_a_vault_reference(road: Road) -> None:
    road.house.admin.api("PUT", f"{road.house.path}/secrets/BRAVE_KEY", {"value": "kept-in-the-vault"})
    road.connect("brave", "${vault://local/BRAVE_KEY}")
    with statements_before_the_upstream_call(road) as seen:
        assert road.search("brave").status_code == 200
    # A reference may hold several keys, so it takes turns.
    assert kinds(seen["before"]) == ["SELECT", "INSERT", "SELECT"]
    assert road.upstream.last.headers["x-subscription-token"] == "kept-in-the-vault"


def test_the_compiled_statements_are_the_orm_queries(road: Road) -> None:
    road.connect("brave")
    road.connect("duckduckgo")
    agent = tokens.digest(road.agent.token or "")
    service = tokens.digest(road.house.service_token())
    for digest, name in [(agent, "brave"), (agent, "duckduckgo"), (agent, "tavily"), ("unknown", "brave")]:
        assert compiled(catalog.agent_statement(), digest, name) == by_orm(catalog.agent_query, digest, name)
    for digest, name in [(service, "brave"), (service, "duckduckgo"), ("unknown", "brave")]:
        assert compiled(catalog.service_statement(), digest, name) == by_orm(catalog.service_query, digest, name)
    assert len(compiled(catalog.agent_statement(), agent, "brave")) == 1
    assert compiled(catalog.agent_statement(), "unknown", "brave") == []


def compiled(statement: catalog.Statement, digest: str, name: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.parameters(digest, name))
        return [as_the_orm_gives_it(row) for row in cursor.fetchall()]


def by_orm(query: Any, digest: str, name: str) -> list[tuple[Any, ...]]:
    return [as_the_orm_gives_it(row) for row in query(digest, name)]


def as_the_orm_gives_it(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Converters do not run on a cursor: JSON is text there, and SQLite's truth a number."""
    return tuple(_plain(value) for value in row)


def _plain(value: Any) -> Any:
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value
