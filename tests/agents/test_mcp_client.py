"""The official client of the protocol against a live server, at each revision that is served."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.road import RESULT, Road

NEWEST, HANDSHAKE, OLDEST = "2026-07-28", "2025-11-25", "2025-06-18"


@asynccontextmanager
async def connected(site: str, token: str, revision: str) -> AsyncIterator[Any]:
    """A client that has agreed on the revision."""
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    async with http:
        transport = streamable_http_client(f"{site}/mcp", http_client=http)
        if revision == OLDEST:
            async with transport as (reading, writing), ClientSession(reading, writing) as session:
                offer = types.InitializeRequestParams(
                    protocol_version=OLDEST,
                    capabilities=types.ClientCapabilities(),
                    client_info=types.Implementation(name="tests", version="1"),
                )
                session.adopt(await session.send_request(types.InitializeRequest(params=offer), types.InitializeResult))
                await session.send_notification(types.InitializedNotification())
                yield session
        else:
            async with Client(transport, mode="auto" if revision == NEWEST else "legacy") as client:
                yield client


def run(site: str, token: str, revision: str, steps: Callable[[Any], Awaitable[None]]) -> None:
    async def main() -> None:
        with anyio.fail_after(30):
            async with connected(site, token, revision) as client:
                await steps(client)

    anyio.run(main)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await anyio.to_thread.run_sync(lambda: function(*arguments))


@pytest.fixture(params=[NEWEST, HANDSHAKE, OLDEST])
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_lists_calls_and_follows_every_change(road: Road, site: str, revision: str) -> None:
    installation = road.connect("brave")
    connection, body = road.connection_path(installation), road.connection_body("brave")

    async def steps(client: Any) -> None:
        agreed = client.protocol_version if hasattr(client, "protocol_version") else OLDEST
        assert agreed == revision
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["brave_search"]
        (tool,) = tools
        catalog = road.agent("GET", "exec/brave").json()
        assert (tool.title, tool.description) == ("Brave Search", catalog["description"])
        assert "hints" in tool.description
        action = catalog["actions"][0]
        assert (tool.input_schema, tool.output_schema) == (action["inputSchema"], action["outputSchema"])
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)

        found = await client.call_tool("brave_search", {"query": "ferries", "limit": 3})
        assert (found.is_error, found.structured_content) == (False, {"results": [RESULT]})
        assert json.loads(found.content[0].text) == {"results": [RESULT]}
        Draft202012Validator(tool.output_schema).validate(found.structured_content)

        deleted = road.house.admin.api("DELETE", connection)
        assert deleted.status_code == 204
        assert (await client.list_tools()).tools == []
        gone = await client.call_tool("brave_search", {"query": "ferries"})
        assert (gone.is_error, gone.structured_content) == (True, None)
        assert json.loads(gone.content[0].text)["error"]["code"] == "extension_not_found"
        assert road.house.admin.api("PUT", connection, body).status_code == 200
        assert [tool.name for tool in (await client.list_tools()).tools] == ["brave_search"]

    run(site, road.agent.token, revision, steps)
    assert len(road.upstream.requests) == 1
    assert [(row.caller, row.code) for row in road.executions()] == [("agent", "ok")]


def test_a_failed_call_is_a_result_that_the_model_can_read(road: Road, site: str, revision: str) -> None:
    road.connect("brave")
    road.upstream.reply(status=429, headers={"Retry-After": "7"}, body=b"slow down, sk-live-1")

    async def steps(client: Any) -> None:
        limited = await client.call_tool("brave_search", {"query": "ferries"})
        assert limited.is_error is True
        error = json.loads(limited.content[0].text)["error"]
        assert (error["code"], error["retryAfter"]) == ("rate_limited", 7)
        assert "sk-live" not in str(limited)
        wrong = await client.call_tool("brave_search", {"q": "ferries"})
        error = json.loads(wrong.content[0].text)["error"]
        assert (wrong.is_error, error["code"], sorted(error["fields"])) == (True, "invalid_input", ["q", "query"])

    run(site, road.agent.token, revision, steps)
    assert len(road.upstream.requests) == 1


def test_no_connection_no_tools(road: Road, site: str) -> None:
    road.install("tavily")

    async def steps(client: Any) -> None:
        assert (await client.list_tools()).tools == []
        assert client.server_info.name == "agentteam-search"
        assert "hints" in client.instructions
        assert client.server_capabilities.tools is not None

    run(site, road.agent.token, NEWEST, steps)


def test_each_agent_sees_its_own_tools(road: Road, site: str) -> None:
    road.connect("brave")
    other = road.house.agent("writer")
    other_token = road.house.agent_token(other)
    path = f"{road.house.path}/agents/{other.id}/extension-authorizations/brave"
    assert road.house.admin.api("PUT", path, {"allowed": False}).status_code == 200

    async def sees(client: Any) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["brave_search"]

    async def sees_nothing(client: Any) -> None:
        assert (await client.list_tools()).tools == []

    run(site, road.agent.token, NEWEST, sees)
    run(site, other_token, NEWEST, sees_nothing)


@pytest.mark.parametrize("refused", [NEWEST, HANDSHAKE])
def test_a_refused_client_hears_why(road: Road, site: str, refused: str) -> None:
    async def steps(client: Any) -> None:
        raise AssertionError("it must not come to this")

    with pytest.raises((MCPError, ExceptionGroup)) as raised:
        run(site, "ata_" + "x" * 43, refused, steps)
    error: BaseException = raised.value
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, MCPError)
    assert error.error.message == "A valid bearer token is required."
