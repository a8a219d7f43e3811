"""What every answer carries, whatever it says: of pages, API, MCP, health, admin and files (abuse 20, 22)."""

import json
from typing import Any

import pytest
from django.test import Client

from apps.workspaces.models import User
from tests.security import faulty_urls
from tests.security.pages import filled, page_routes
from tests.security.routes import ENTRIES
from tests.security.world import World, build_world
from tests.workspaces.conftest import Caller

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def world(db: None) -> World:
    return build_world("harbour")


def check(answer: Any, what: object) -> None:
    headers = answer.headers
    policy = headers.get("Content-Security-Policy", "")
    assert "frame-ancestors 'none'" in policy, (what, policy)
    assert "unsafe-inline" not in policy and "unsafe-eval" not in policy, (what, policy)
    assert headers.get("X-Content-Type-Options") == "nosniff", what
    assert headers.get("Referrer-Policy") in ("no-referrer", "same-origin"), what
    assert len(headers.get("X-Request-Id", "")) == 16, what
    assert "Server" not in headers and "X-Powered-By" not in headers, what


def check_api(answer: Any, what: object) -> None:
    check(answer, what)
    assert answer.headers["Cache-Control"] == "no-store", what
    assert answer.headers["X-Frame-Options"] == "DENY", what
    if answer.content:
        assert answer.headers["Content-Type"] == "application/json", what
        json.loads(answer.content)


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")


def test_every_route_of_the_api_with_every_method(world: World) -> None:
    for route in dict.fromkeys(route for route, _, _ in ENTRIES):
        allowed = {method for other, method, _ in ENTRIES if other == route}
        for method in METHODS:
            for caller in (Caller(None), world.house.member.api) if method in ("GET", "POST") else (Caller(None),):
                answer = caller(method, world.fill(route), {})
                check_api(answer, (method, route, answer.status_code))
                assert answer.status_code < 500, (method, route)
                if method not in allowed | {"HEAD"}:
                    assert answer.status_code in (401, 403, 404, 405), (method, route, answer.status_code)


@pytest.mark.parametrize(
    "path", ["", "v1/", "v1/nothing", "v1/workspaces/", "v2/x", "v1//exec", "v1/exec/a/b/c", "docs/x"]
)
@pytest.mark.parametrize("method", METHODS)
def test_paths_of_the_api_that_are_no_routes(db: None, method: str, path: str) -> None:
    answer = Client().generic(method, f"/api/{path}")
    check_api(answer, (method, path))
    assert answer.status_code == 404
    if method != "HEAD":
        assert answer.json() == {"error": {"code": "not_found", "message": "There is nothing here."}}


def test_a_method_in_a_header_or_a_form_is_no_method(world: World) -> None:
    path = f"/api/v1/{world.fill('workspaces/{workspace_id}/app-installations/{installation_id}')}"
    headers = {
        "Authorization": f"Bearer {world.house.owner.api.token}",
        "X-HTTP-Method-Override": "DELETE",
        "X-HTTP-Method": "DELETE",
        "X-Method-Override": "DELETE",
    }
    assert Client().get(f"{path}?_method=DELETE", headers=headers).status_code == 200
    body = json.dumps({"_method": "DELETE"})
    answer = Client().post(f"{path}?_method=DELETE", body, content_type="application/json", headers=headers)
    assert answer.status_code == 405
    assert Client().get(path, headers=headers).json()["status"] == "active"


# They wait for a provider, which a test's transaction does not allow; see `test_leaks.py`.
WAITING = ("/connection/test", "/playground/{slug}")


def test_every_page(world: World) -> None:
    for user in (None, world.house.owner.user, world.house.member.user):
        client = Client()
        if user is not None:
            client.force_login(user, backend=BACKEND)
        for route, _ in page_routes():
            if route == "sign-out":
                continue
            for method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "TRACE"):
                if method == "POST" and route.endswith(WAITING):
                    continue
                answer = client.generic(method, filled(world, route))
                check(answer, (user, method, route, answer.status_code))
                assert answer.status_code < 500, (method, route)
                if user is not None and answer.status_code == 200 and method == "GET":
                    assert "no-store" in answer.headers.get("Cache-Control", ""), route


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/readyz",
        "/metrics",
        "/nothing",
        "/w/x/y/z",
        "/static/nothing.js",
        "/admin/login/",
        "/mcp",
        "/mcp/x",
        "/api",
        "/static/app-icons/brave.svg",
        "/favicon.ico",
        "/%00",
        "/sign-in",
        "/.env",
        "/api/v1/schema",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_everything_else(db: None, method: str, path: str) -> None:
    answer = Client().generic(method, path)
    check(answer, (method, path, answer.status_code))
    assert answer.status_code < 500


def test_the_admin_site(world: World) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@x.example"), backend=BACKEND)
    for path in ("/admin/", "/admin/workspaces/user/", "/admin/nothing/"):
        check(client.get(path), path)


@pytest.mark.urls(faulty_urls.__name__)
@pytest.mark.parametrize("path", ["/broken", "/api/v1/broken", "/api/v1/unwritable", "/api/v1/plain"])
def test_faults(settings: Any, path: str) -> None:
    for debug in (False, True):
        settings.DEBUG = debug
        answer = Client(raise_request_exception=False).post(path, "{}", content_type="application/json")
        assert answer.status_code == 500
        if not (debug and path == "/broken"):
            check(answer, path)


HOSTS = ["evil.example", "localhost.evil.example", "localhost:80@evil.example", "localhost evil", "127.0.0.1/evil", ""]


@pytest.mark.parametrize("host", HOSTS)
def test_an_unknown_host_is_refused_everywhere(db: None, settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    for path in ("/api/v1/workspaces", "/sign-in", "/", "/healthz/", "/mcp", "/admin/", "/nothing"):
        for name in ("HTTP_HOST", "HTTP_X_FORWARDED_HOST"):
            given = {"HTTP_HOST": "localhost", name: host}
            answer = Client().get(path, **given)
            if name == "HTTP_HOST":
                assert answer.status_code == 400, path
                assert not host or host not in answer.content.decode()
            else:
                # Nothing reads it.
                assert host == "" or host not in answer.headers.get("Location", "") + answer.content.decode()
            check(answer, (path, host))


@pytest.mark.parametrize("host", [*HOSTS, "10.0.0.7:8000", "127.0.0.1"])
def test_probes_come_by_address(db: None, settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = ["search.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    settings.AGENTTEAM_METRICS_TOKEN = "metrics-0000"
    bearer = {"HTTP_AUTHORIZATION": "Bearer metrics-0000"}
    for path, more in (("/healthz", {}), ("/readyz", {}), ("/metrics", bearer)):
        answer = Client().get(path, HTTP_HOST=host, **more)
        assert answer.status_code == 200, path
        check(answer, (path, host))
        told = answer.content.decode() + str(answer.headers)
        assert not host or host not in told
    assert Client().get("/api/v1/workspaces", HTTP_HOST=host).status_code == 400


def test_over_https_answers_say_so(db: None, settings: Any) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    for path in ("/api/v1/workspaces", "/healthz", "/sign-in"):
        assert "max-age=31536000" in Client().get(path, secure=True).headers["Strict-Transport-Security"]
        assert "Strict-Transport-Security" not in Client().get(path).headers


def test_plain_http_is_sent_to_https_except_for_the_operators_probes(db: None, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    for path in ("/api/v1/workspaces?limit=1", "/mcp", "/api/v1/exec/brave/search"):
        for answer in (Client().get(path), Client().post(path, b"{}", content_type="application/json")):
            assert (answer.status_code, answer.headers["Location"]) == (308, f"https://testserver{path}")
            check(answer, path)
        assert Client().get(path, secure=True).status_code in (401, 405)
    assert Client().get("/sign-in").headers["Location"] == "https://testserver/sign-in"
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/metrics").status_code == 404
