"""The pages: forms only from our own pages, roles, workspaces, sign-in (abuse 16, 17, 19, 22)."""

from typing import Any

import pytest
from django.conf import settings as configured
from django.test import Client

from apps.workspaces.models import User
from tests.security.pages import filled, page_routes, writing_pages
from tests.security.world import World, build_world, state

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"
WITHOUT_SIGN_IN = {"sign-in"}


@pytest.fixture
def world(db: None) -> World:
    return build_world("harbour")


def signed_in(user: User, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user, backend=BACKEND)
    return client


def views(world: World, workspace: bool = False) -> list[tuple[str, Any]]:
    return [(route, view) for route, view in page_routes() if "{workspace_id}" in route or not workspace]


def test_nobody_sees_a_page_without_signing_in(world: World) -> None:
    before = state()
    for route, _ in page_routes():
        if route in WITHOUT_SIGN_IN:
            continue
        for method in ("get", "post"):
            answer = getattr(Client(), method)(filled(world, route))
            assert answer.status_code in (302, 405), (method, route, answer.status_code)
            if answer.status_code == 302:
                assert answer.headers["Location"].startswith("/sign-in"), (method, route)
    assert state() == before


def test_a_form_needs_its_token_and_comes_from_our_own_pages(world: World) -> None:
    before = state()
    client = signed_in(world.house.owner.user, enforce_csrf_checks=True)
    client.get(filled(world, "w/{workspace_id}/secrets"))
    token = client.cookies[configured.CSRF_COOKIE_NAME].value
    for route in writing_pages():
        path = filled(world, route)
        for given in (
            {},
            {"headers": {"X-CSRFToken": "wrong"}},
            {"headers": {"X-CSRFToken": token, "Origin": "https://evil.example"}},
            {"headers": {"X-CSRFToken": token, "Origin": "null"}},
            {"headers": {"X-CSRFToken": token, "Referer": "https://evil.example/"}, "secure": True},
        ):
            answer = client.post(path, {}, **given)
            assert answer.status_code == 403, (route, given, answer.status_code)
    assert state() == before


def test_the_api_takes_no_session(world: World) -> None:
    """Cookies are nothing there, so a form on another site can do nothing there either."""
    before = state()
    client = signed_in(world.house.owner.user, enforce_csrf_checks=True)
    for path in ("workspaces", "me/tokens", world.fill("workspaces/{workspace_id}/secrets")):
        assert client.get(f"/api/v1/{path}").status_code == 401
    installation = world.fill("workspaces/{workspace_id}/app-installations/{installation_id}")
    assert client.delete(f"/api/v1/{installation}").status_code == 401
    # And a token works without a form's token, wherever the request comes from.
    answer = Client(enforce_csrf_checks=True).post(
        f"/api/v1/{world.house.path}/agents",
        {"name": "from elsewhere"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {world.house.owner.api.token}", "Origin": "https://elsewhere.example"},
    )
    assert answer.status_code == 201
    assert state() != before


def test_a_member_is_refused_administrators_pages(world: World) -> None:
    before = state()
    client = signed_in(world.house.member.user)
    for route, view in views(world, workspace=True):
        if getattr(view, "minimum_role", "member") != "admin":
            continue
        for method in ("get", "post"):
            answer = getattr(client, method)(filled(world, route))
            assert answer.status_code in (403, 405), (method, route, answer.status_code)
    assert state() == before


def test_the_pages_of_another_workspace_are_not_there(world: World) -> None:
    before = state()
    owner = build_world("lighthouse").house.owner.user
    client = signed_in(owner)
    compared = state()
    for route, _ in views(world, workspace=True):
        for method in ("get", "post"):
            foreign = getattr(client, method)(filled(world, route))
            nothing = getattr(client, method)(filled(world, route, workspace_id="ws_nothing"))
            assert foreign.status_code == nothing.status_code, (method, route)
            assert foreign.status_code in (404, 405), (method, route, foreign.status_code)
            assert plain(foreign) == plain(nothing), (method, route)
    assert state() == compared
    assert all(row in compared["Connection"] for row in before["Connection"])


def plain(answer: Any) -> str:
    """The page without what differs from request to request."""
    text = answer.content.decode()
    for header in ("Content-Security-Policy",):
        for part in answer.headers.get(header, "").split():
            if part.startswith("'nonce-"):
                text = text.replace(part.removeprefix("'nonce-").rstrip("';"), "")
    return "\n".join(line for line in text.splitlines() if "csrf" not in line.lower())


def test_the_objects_of_another_workspace_are_not_there(world: World) -> None:
    stranger = build_world("lighthouse")
    client, before = signed_in(stranger.house.owner.user), state()
    for route, view in views(world, workspace=True):
        for name in ("agent_id", "token_id", "member_id", "request_id", "name"):
            if f"{{{name}}}" not in route:
                continue
            theirs = {"token_id": world.page_token(route), "name": world.ids["secret_name"]}.get(
                name, world.ids.get(name)
            )
            path = filled(stranger, route, **{name: str(theirs)})
            method = "post" if hasattr(view, "post") else "get"
            answer = getattr(client, method)(path, {"decision": "approve", "role": "member"})
            assert answer.status_code in (302, 400, 404), (method, route, name, answer.status_code)
    assert state() == before


def test_signing_in_begins_a_new_session(db: None) -> None:
    user = User.objects.create_user("person@x.example", "a long enough password")
    client = Client()
    client.get("/sign-in")
    session = client.session
    session["planted"] = "by a stranger"
    session.save()
    client.cookies[configured.SESSION_COOKIE_NAME] = planted = str(session.session_key)
    answer = client.post("/sign-in", {"username": user.email, "password": "a long enough password"})
    assert answer.status_code == 302
    cookie = answer.cookies[configured.SESSION_COOKIE_NAME]
    assert cookie.value != planted
    assert (bool(cookie["httponly"]), cookie["samesite"]) == (True, "Lax")
    with_planted = Client()
    with_planted.cookies[configured.SESSION_COOKIE_NAME] = planted
    assert with_planted.get("/account").status_code == 302


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "///evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "\thttps://evil.example",
        "https:///evil.example",
    ],
)
def test_signing_in_leads_to_our_own_pages_alone(db: None, target: str) -> None:
    user = User.objects.create_user("person@x.example", "a long enough password")
    given = {"username": user.email, "password": "a long enough password", "next": target}
    answer = Client().post("/sign-in", given)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert signed_in(user).get("/sign-in", {"next": target}).headers["Location"] == "/"


def test_our_own_page_is_returned_to(db: None) -> None:
    user = User.objects.create_user("person@x.example", "a long enough password")
    given = {"username": user.email, "password": "a long enough password", "next": "/account"}
    assert Client().post("/sign-in", given).headers["Location"] == "/account"
