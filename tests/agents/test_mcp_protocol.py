"""What the protocol says on the wire, and what it does with what is not the protocol."""

import base64
import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.road import KEY, RESULT, Road

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

# One for all: building the middleware takes longer than a request.
CLIENT = Client()


def send(road: Road, body: Any, token: str | None = "", **headers: str) -> Any:
    """One POST; ``token`` "" stands for the agent's."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = road.agent.token if token == "" else token
    if given is not None:
        headers = {"Authorization": f"Bearer {given}", **headers}
    return CLIENT.generic("POST", "/mcp", data, content_type="application/json", headers=headers)


def request(method: str, params: dict[str, Any] | None = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


def stateless(road: Road, method: str, params: dict[str, Any] | None = None, **headers: str) -> Any:
    named = {"Mcp-Name": str(params["name"])} if params and "name" in params else {}
    given = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, **named, **headers}
    return send(road, request(method, {**(params or {}), "_meta": META}), **given)


def search(road: Road, arguments: Any, name: str = "brave_search") -> Any:
    """The result of a call at the revision before the newest."""
    answer = send(road, request("tools/call", {"name": name, "arguments": arguments}))
    assert answer.status_code == 200, answer.content
    return answer.json()["result"]


def code_of(result: Any) -> Any:
    assert (result["isError"], sorted(result)) == (True, ["content", "isError"])
    return json.loads(result["content"][0]["text"])["error"]["code"]


def test_discovery_says_all_that_a_client_needs(desk: Road) -> None:
    answer = stateless(desk, "server/discover")
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (
        200,
        "application/json",
        "no-store",
    )
    result = answer.json()["result"]
    assert result.pop("instructions")
    assert result == {
        "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"],
        "capabilities": {"tools": {"listChanged": False}},
        "ttlMs": 0,
        "cacheScope": "private",
        "resultType": "complete",
        "_meta": {
            "io.modelcontextprotocol/serverInfo": {
                "name": "agentteam-search",
                "title": "AgentTeam Search",
                "version": "1.0.0",
            }
        },
    }


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"), (None, "2025-11-25")],
)
def test_initialize_agrees_on_a_revision(desk: Road, offered: str | None, agreed: str) -> None:
    answer = send(desk, request("initialize", {"protocolVersion": offered, "capabilities": {}}))
    result = answer.json()["result"]
    assert (answer.status_code, result["protocolVersion"]) == (200, agreed)
    assert "Mcp-Session-Id" not in answer
    assert not result.keys() & {"resultType", "ttlMs", "cacheScope", "_meta"}


def test_lists_are_stale_at_once_and_private(desk: Road) -> None:
    desk.connect("brave")
    result = stateless(desk, "tools/list").json()["result"]
    assert (result["ttlMs"], result["cacheScope"], result["resultType"]) == (0, "private", "complete")
    older = send(desk, request("tools/list")).json()["result"]
    assert sorted(older) == ["tools"]
    assert older["tools"] == result["tools"]


def test_a_call_takes_the_road_with_its_one_query(road: Road) -> None:
    road.connect("brave")
    search(road, {"query": "warm"})
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found = search(road, {"query": "ferries"})
    assert (len(queries), found["structuredContent"]) == (1, {"results": [RESULT]})
    assert found["content"] == [{"type": "text", "text": json.dumps({"results": [RESULT]})}]


@pytest.mark.parametrize("given", ["5", "05", 5, 5.0])
def test_a_digit_string_is_a_number(road: Road, given: Any) -> None:
    road.connect("brave")
    assert search(road, {"query": "x", "limit": given})["isError"] is False
    assert road.upstream.last.param("count") == "5"
    strict = road.search("brave", limit=given)
    assert strict.status_code == (400 if isinstance(given, str) else 200)


@pytest.mark.parametrize("given", ["five", "", "5 ", "-1", "5.0", "٥", "9" * 5000, 5.5, True, -1, 0, 11, [5], {}])
def test_what_is_no_number_is_refused(desk: Road, given: Any) -> None:
    desk.connect("brave")
    result = search(desk, {"query": "x", "limit": given})
    assert code_of(result) == "invalid_input"
    assert list(json.loads(result["content"][0]["text"])["error"]["fields"]) == ["limit"]
    assert desk.upstream.requests == []


def test_a_null_that_is_optional_counts_as_left_out(road: Road) -> None:
    road.connect("searxng")
    assert search(road, {"query": "x", "limit": None}, "searxng_search")["isError"] is False
    assert code_of(search(road, {"query": None}, "searxng_search")) == "invalid_input"
    assert code_of(search(road, {"query": "x", "page": None}, "searxng_search")) == "invalid_input"
    assert road.search("searxng", limit=None).json()["error"]["code"] == "invalid_input"
    assert len(road.upstream.requests) == 1


def test_another_name_for_the_query_is_helped_on(desk: Road) -> None:
    desk.connect("brave")
    error = json.loads(search(desk, {"q": "harbor ferry times"})["content"][0]["text"])["error"]
    assert error["fields"]["query"].startswith("Required. ")
    assert "query" in error["fields"]["q"]
    assert desk.upstream.requests == []


@pytest.mark.parametrize("name", ["brave_search", "brave_fetch", "nothing", "", "_", "brave", "web-search_search"])
def test_a_tool_that_is_not_there(desk: Road, name: str) -> None:
    desk.install("brave")
    assert code_of(search(desk, {"query": "x"}, name)) == "extension_not_found"


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": "brave_search", "arguments": [1]}, {"name": None}])
def test_a_call_without_its_parameters(desk: Road, params: dict[str, Any]) -> None:
    answer = send(desk, request("tools/call", params))
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (200, -32602, 1)


def test_arguments_may_be_absent(desk: Road) -> None:
    desk.connect("brave")
    answer = send(desk, request("tools/call", {"name": "brave_search"}, id="seven"))
    assert (answer.json()["id"], code_of(answer.json()["result"])) == ("seven", "invalid_input")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b"", 400, -32600),
        (b"\xff{}", 400, -32700),
        (b'{"a":1,"a":2}', 400, -32700),
        (b"[" * 30000, 400, -32700),
        (b" " * 300_000, 413, -32600),
        (b"[]", 400, -32600),
        (b"null", 400, -32600),
        (b'{"id":1,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
    ],
)
def test_what_is_no_message(desk: Road, body: bytes, status: int, code: int) -> None:
    answer = send(desk, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["jsonrpc"] == "2.0"
    stranger = send(desk, body, token="ata_" + "x" * 43)
    assert (stranger.status_code, stranger.json()["error"]["data"]) == (401, {"code": "unauthenticated"})


def test_another_content_type(desk: Road) -> None:
    headers = {"Authorization": f"Bearer {desk.agent.token}"}
    answer = CLIENT.generic("POST", "/mcp", b"{}", content_type="text/plain", headers=headers)
    assert (answer.status_code, answer.json()["error"]["data"]) == (415, {"code": "unsupported_media_type"})


def test_notifications_are_taken_and_dropped(desk: Road) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "tools/call"):
        body = {"jsonrpc": "2.0", "method": method, "params": {"name": "brave_search", "arguments": {"query": "x"}}}
        answer = send(desk, body)
        assert (answer.status_code, answer.content) == (202, b"")
    assert desk.upstream.requests == []


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_post(desk: Road, method: str) -> None:
    answer = CLIENT.generic(method, "/mcp", headers={"Authorization": f"Bearer {desk.agent.token}"})
    assert answer.status_code == 405
    assert "POST" in answer["Allow"]


def test_unknown_methods(desk: Road) -> None:
    older = send(desk, request("resources/list"))
    assert (older.status_code, older.json()["error"]["code"]) == (200, -32601)
    newer = stateless(desk, "resources/list")
    assert (newer.status_code, newer.json()["error"]["code"]) == (404, -32601)
    assert stateless(desk, "ping").json()["error"]["code"] == -32601
    assert send(desk, request("ping")).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_revisions_that_are_not_served(desk: Road) -> None:
    answer = send(desk, request("tools/list"), **{"MCP-Protocol-Version": "2024-11-05"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32022)
    assert answer.json()["error"]["data"] == {
        "supported": ["2026-07-28", "2025-11-25", "2025-06-18"],
        "requested": "2024-11-05",
    }
    for served in ("2025-11-25", "2025-06-18"):
        assert send(desk, request("tools/list"), **{"MCP-Protocol-Version": served}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"MCP-Protocol-Version": "2026-07-28"},
        {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"},
        {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"},
        {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "tavily_search"},
        {"Mcp-Method": "tools/call", "Mcp-Name": "brave_search"},
    ],
)
def test_headers_that_say_something_else(desk: Road, headers: dict[str, str]) -> None:
    desk.connect("brave")
    params = {"name": "brave_search", "arguments": {"query": "x"}, "_meta": META}
    answer = send(desk, request("tools/call", params), **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
    assert desk.upstream.requests == []


def test_the_envelope_is_required(desk: Road) -> None:
    given = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    answer = send(desk, request("tools/list"), **given)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)


def test_a_name_may_be_encoded_in_its_header(road: Road) -> None:
    road.connect("brave")
    encoded = f"=?base64?{base64.b64encode(b'brave_search').decode()}?="
    params = {"name": "brave_search", "arguments": {"query": "x"}}
    assert stateless(road, "tools/call", params, **{"Mcp-Name": encoded}).json()["result"]["isError"] is False
    broken = stateless(road, "tools/call", params, **{"Mcp-Name": "=?base64?%?="})
    assert broken.json()["error"]["code"] == -32020


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 200),
        ("http://localhost:6274", 200),
        ("https://evil.example", 403),
        ("http://testserver.evil.example", 403),
        ("http://evil.example:80@testserver", 403),
        ("null", 403),
        ("file://", 403),
        ("http://[::1", 403),
        ("", 403),
    ],
)
def test_pages_of_other_sites(desk: Road, settings: Any, origin: str, status: int) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "localhost", "*"]
    answer = send(desk, request("ping"), Origin=origin)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["data"] == {"code": "permission_denied"}
        assert "Access-Control-Allow-Origin" not in answer


def test_who_is_let_in(desk: Road) -> None:
    desk.connect("brave")
    params = {"name": "brave_search", "arguments": {"query": "x"}}
    for method in ("initialize", "tools/list", "tools/call", "ping", "notifications/initialized"):
        body = request(method, params)
        for token in (None, "ata_" + "x" * 43, "nonsense"):
            answer = send(desk, body, token)
            assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
            assert answer.json()["error"]["data"] == {"code": "unauthenticated"}
        for token in (desk.house.owner.api.token, desk.house.service_token()):
            answer = send(desk, body, token)
            assert (answer.status_code, answer.json()["error"]["data"]) == (403, {"code": "permission_denied"})
    assert desk.upstream.requests == []


def test_nothing_but_the_code_of_what_went_wrong(road: Road) -> None:
    road.connect("brave")
    road.upstream.reply(status=401, json={"error": f"the key {KEY} is wrong"})
    result = search(road, {"query": "x"})
    assert json.loads(result["content"][0]["text"]) == {
        "error": {"code": "upstream_failure", "message": "The provider did not give a usable answer."}
    }
