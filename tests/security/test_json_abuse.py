"""Bodies that are no JSON, or too much of it, or say more than they may, on every route with one (abuse 23, 24)."""

import json
from typing import Any

import pytest

from tests.security.routes import AGENT, ENTRIES, SERVICE, Access
from tests.security.world import World, build_world, state
from tests.workspaces.conftest import Caller

pytestmark = pytest.mark.django_db

WITH_BODY = [entry for entry in ENTRIES if entry[2].body is not None]

MALFORMED: dict[str, bytes] = {
    "nothing": b"{",
    "deep lists": b"[" * 30_000,
    "deep objects": b'{"a":' * 30_000,
    "closed deep lists": b"[" * 30_000 + b"]" * 30_000,
    "33 levels": b'{"a":' * 33 + b"1" + b"}" * 33,
    "repeated member": b'{"a": 1, "a": 2}',
    "repeated member below": b'{"a": {"b": 1, "b": 1}}',
    "NaN": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "5000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "beyond a double": b'{"a": 1e999}',
    "no UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "trailing text": b"{} {}",
    "list": b"[]",
    "text": b'"a"',
    "null": b"null",
    "number": b"1",
}


@pytest.fixture
def world(db: None) -> World:
    return build_world("harbour")


def caller_for(world: World, access: Access) -> Caller:
    return {AGENT: world.agent, SERVICE: world.service}.get(access.who, world.house.owner.api)


def refused(answer: Any, status: int, code: str) -> bool:
    return (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_bodies_are_refused_everywhere(world: World, kind: str) -> None:
    before = state()
    for route, method, access in WITH_BODY:
        answer = caller_for(world, access).raw(method, world.fill(route), MALFORMED[kind])
        assert refused(answer, 400, "invalid_input"), (method, route, answer.content)
    assert state() == before


def test_other_media_types_are_refused_everywhere(world: World) -> None:
    before = state()
    for route, method, access in WITH_BODY:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"):
            body = json.dumps(world.body(access.body)).encode()
            answer = caller_for(world, access).raw(method, world.fill(route), body, kind)
            assert refused(answer, 415, "unsupported_media_type"), (method, route, kind, answer.content)
    assert state() == before


def test_oversize_bodies_are_refused_everywhere(world: World) -> None:
    before = state()
    for route, method, access in WITH_BODY:
        if "documents" in route:
            continue  # As large as a document may be: `test_a_document_is_bounded_too`.
        answer = caller_for(world, access).raw(method, world.fill(route), b'{"a": "' + b"x" * 256 * 1024 + b'"}')
        assert refused(answer, 413, "payload_too_large"), (method, route, answer.content)
    assert state() == before


def test_a_document_is_bounded_too(world: World, settings: Any) -> None:
    settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = 1
    path = world.fill("workspaces/{workspace_id}/embedding-stores/{store_id}/documents")
    before = state()
    for size in (1024 * 1024 + 1, 2 * 1024 * 1024):
        body = {"name": "big.txt", "content": "x" * size}
        assert refused(world.house.owner.api("POST", path, body), 413, "payload_too_large")
    assert state() == before


EXTRA: dict[str, Any] = {
    "id": "inst_mine",
    "workspace": "ws_other",
    "workspaceId": "ws_other",
    "active": True,
    "provider": "tavily",
    "role": "owner",
    "kind": "product",
    "app": {"id": "app_tavily"},
    "__proto__": {"admin": True},
    "revision": 1,
    "external_subject_ref": "other",
    "envelope": "AQ==",
}


def test_no_route_takes_members_it_does_not_name(world: World) -> None:
    before = state()
    for route, method, access in WITH_BODY:
        good = world.body(access.body)
        for name, value in EXTRA.items():
            if name in good or _is_named(route, name):
                continue
            answer = caller_for(world, access)(method, world.fill(route), {**good, name: value})
            assert refused(answer, 400, "invalid_input"), (method, route, name, answer.content)
            assert list(answer.json()["error"]["fields"]) == [name], (method, route)
    assert state() == before


def _is_named(route: str, name: str) -> bool:
    """Where the caller may give the id (contract section 4)."""
    return name == "id" and route.endswith(("/embedding-models", "/embedding-stores"))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"config": {"baseUrl": "http://127.0.0.1:1"}}, "config.baseUrl"),
        ({"config": {"origin": "https://elsewhere.example"}}, "config.origin"),
        ({"config": []}, "config"),
        ({"config": None}, "config"),
        ({"credentials": {"apiKey": "good-key-1", "other": "x"}}, "credentials.other"),
        ({"credentials": {"apiKey": None}}, "credentials.apiKey"),
        ({"credentials": {"apiKey": ""}}, "credentials.apiKey"),
        ({"credentials": {"apiKey": 12345678}}, "credentials.apiKey"),
        ({"credentials": {"apiKey": ["good-key-1"]}}, "credentials.apiKey"),
        ({"credentials": {"apiKey": {"$ref": "x"}}}, "credentials.apiKey"),
        ({"credentials": None}, "credentials"),
        ({"credentials": ""}, "credentials"),
        ({"options": {}}, "options"),
    ],
)
def test_a_connection_takes_its_own_members_alone(world: World, body: Any, path: str) -> None:
    before = state()
    route = "workspaces/{workspace_id}/app-installations/{installation_id}/search-engine-connection"
    answer = world.house.owner.api("PUT", world.fill(route), body)
    assert refused(answer, 400, "invalid_input")
    assert list(answer.json()["error"]["fields"]) == [path]
    assert state() == before


def test_many_unknown_members_do_not_make_a_large_answer(world: World) -> None:
    before = state()
    for route, method, access in WITH_BODY:
        body = {f"{number:05}{'x' * 90}": 1 for number in range(2000)}
        answer = caller_for(world, access)(method, world.fill(route), body)
        assert refused(answer, 400, "invalid_input"), (method, route)
        assert len(answer.content) < 16_384, (method, route, len(answer.content))
    assert state() == before


HOSTILE = ["\x00", "a\x00b", "\ud800", "\u202edrowssap", "<script>alert(1)</script>", "' OR 1=1 --", "%00", "../../x"]


def test_hostile_ids_in_paths_are_not_found_or_refused(world: World) -> None:
    from urllib.parse import quote

    before = state()
    for route, method, access in ENTRIES:
        if route.endswith(":explain"):
            continue  # It explains any name.
        names = [
            name for name in ("installation_id", "agent_id", "request_id", "name", "slug") if f"{{{name}}}" in route
        ]
        for name in names:
            for text in HOSTILE[:2] + HOSTILE[4:]:
                path = world.fill(route, **{name: quote(text, safe="")})
                answer = caller_for(world, access)(method, path, world.body(access.body))
                # A slash in it makes another path, which may be one of another method.
                assert answer.status_code in (400, 404, 405), (method, route, text, answer.content)
    assert state() == before
