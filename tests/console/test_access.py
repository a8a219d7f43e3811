"""Who may open which page, and that a refusal changes nothing."""

from typing import Any

import pytest
from django.test import Client

from tests.console.conftest import BACKEND, Window, connected, state, window
from tests.workspaces.conftest import House

OPEN_TO_MEMBERS = [("marketplace",), ("app", "brave"), ("request", "exa")]
FOR_ADMINISTRATORS = [
    ("custom-app",),
    ("app-options", "brave"),
    ("app-extension", "brave"),
    ("app-agents", "brave"),
    ("app-activity", "brave"),
    ("disconnect", "brave"),
    ("uninstall", "brave"),
    ("agents",),
    ("service-tokens",),
    ("members",),
    ("secrets",),
    ("activity",),
    ("activity-export",),
    ("playground",),
]
CHANGES: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("install", "exa"), {}),
    (("app-connection", "brave"), {"credentials.apiKey": "another-key-0000"}),
    (("app-test", "brave"), {}),
    (("disconnect", "brave"), {}),
    (("uninstall", "brave"), {}),
    (("app-options", "brave"), {"country": "FR"}),
    (("app-extension", "brave"), {"enabled": "false", "agentAccess": "selected"}),
    (("app-agents", "brave"), {"agent": "AGENT", "rule": "deny"}),
    (("custom-app",), {"slug": "wiki", "displayName": "Wiki"}),
    (("agents",), {"name": "another"}),
    (("agent", "AGENT"), {"extension": "brave", "rule": "deny"}),
    (("agent-tokens", "AGENT"), {"once": "7"}),
    (("delete-agent", "AGENT"), {}),
    (("service-tokens",), {"name": "x", "extensions": ["brave"], "once": "7"}),
    (("members",), {"email": "new@harbour.example", "role": "member"}),
    (("change-role", "MEMBER"), {"role": "owner"}),
    (("remove-member", "MEMBER"), {}),
    (("secrets",), {"name": "KEY", "value": "canary-9999"}),
    (("playground",), {"query": "x", "engines": ["brave"]}),
    (("playground-run", "brave"), {"query": "x"}),
]


@pytest.fixture
def furnished(house: House) -> dict[str, str]:
    """Stand-ins of the tables above."""
    connected(house, "brave")
    return {"AGENT": house.agent().id, "MEMBER": house.member.member.id}


def test_without_a_session_every_page_leads_to_sign_in(house: House, furnished: dict[str, str]) -> None:
    nobody = window(None, house.workspace.id)
    for name, *args in OPEN_TO_MEMBERS + FOR_ADMINISTRATORS:
        response = nobody.get(name, *args)
        assert response.status_code == 302, name
        assert response["Location"].startswith("/sign-in?next=/w/"), name


def test_a_workspace_of_others_is_not_there(house: House, other_house: House, furnished: dict[str, str]) -> None:
    stranger = window(other_house.owner.user, house.workspace.id)
    nowhere = window(other_house.owner.user, "ws_aaaaaaaaaaaaaaaaaaaaaaaa")
    for name, *args in OPEN_TO_MEMBERS + FOR_ADMINISTRATORS:
        response = stranger.get(name, *args)
        assert response.status_code == 404, name
        assert response.content == nowhere.get(name, *args).content, name


def test_what_each_role_may_open(house: House, furnished: dict[str, str]) -> None:
    windows = {role: window(getattr(house, role).user, house.workspace.id) for role in ("owner", "admin", "member")}
    for name, *args in OPEN_TO_MEMBERS:
        assert [windows[role].get(name, *args).status_code for role in windows] == [200, 200, 200], name
    for name, *args in FOR_ADMINISTRATORS:
        assert [windows[role].get(name, *args).status_code for role in windows] == [200, 200, 403], name


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change[0][0])
def test_members_and_strangers_change_nothing(
    house: House, other_house: House, member: Window, furnished: dict[str, str], change: Any
) -> None:
    (name, *args), data = change
    args = [furnished.get(item, item) for item in args]
    data = {key: furnished.get(value, value) if isinstance(value, str) else value for key, value in data.items()}
    stranger = window(other_house.owner.user, house.workspace.id)
    before = state()
    assert member.post(name, *args, **data).status_code == 403
    assert stranger.post(name, *args, **data).status_code == 404
    assert window(None, house.workspace.id).post(name, *args, **data).status_code == 302
    assert state() == before


def test_objects_of_another_workspace_are_not_there(house: House, other_house: House, owner: Window) -> None:
    agent, theirs = other_house.agent(), other_house.member.member.id
    before = state()
    assert owner.get("agent", agent.id).status_code == 404
    assert owner.post("agent-tokens", agent.id, once="7").status_code == 404
    assert owner.post("delete-agent", agent.id).status_code == 404
    owner.post("remove-member", theirs)
    owner.post("change-role", theirs, role="member")
    assert state() == before


def test_pages_are_not_cached_and_have_a_strict_policy(admin: Window) -> None:
    response = admin.get("marketplace")
    assert response["Cache-Control"] == "no-store"
    assert response["X-Frame-Options"] == "DENY"
    policy = response["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


def test_a_form_without_its_token_is_refused(house: House) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(house.admin.user, backend=BACKEND)
    before = state()
    response = client.post(f"/w/{house.workspace.id}/agents", {"name": "another"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()
    assert state() == before


def test_an_id_with_a_nul_is_not_there(admin: Window) -> None:
    assert admin.client.get(f"/w/{admin.workspace_id}/apps/a%00b").status_code == 404
    assert admin.client.get("/w/%00/").status_code == 404
