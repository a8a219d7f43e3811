"""Members, agents, tokens that are shown once, secrets, and a person's own account."""

import re
from typing import Any

import pytest
from django.utils import timezone

from apps.marketplace.models import WorkspaceSecret
from apps.workspaces import tokens
from apps.workspaces.models import Agent, AgentToken, Membership, PersonToken, ServiceToken, User
from tests.console.conftest import Window, connected, html, installed, state
from tests.workspaces.conftest import House


def number(response: Any) -> str:
    """The number of the form that makes something new."""
    return str(response.context["once"])


def shown_token(response: Any) -> str:
    found = re.search(r'<code id="issued-token">(at[aps]_[\w-]{43})</code>', html(response))
    assert found is not None
    return found[1]


def test_a_new_person_gets_a_one_time_password_shown_once(house: House, admin: Window) -> None:
    response = admin.post("members", email="New@harbour.example", role="member")
    password = re.search(r'<code id="password">([^<]+)</code>', html(response))
    assert password is not None
    person = User.objects.get(email="new@harbour.example")
    assert person.check_password(password[1])
    assert password[1] not in html(admin.get("members"))
    again = admin.post("members", email="new@harbour.example", role="member")
    assert again.status_code == 409
    assert "This person is a member already." in html(again)


def test_somebody_known_joins_without_a_password(house: House, other_house: House, admin: Window) -> None:
    response = admin.post("members", email=other_house.owner.user.email, role="member", follow=True)
    assert "owner@lighthouse.example is a member now." in html(response)
    assert 'id="password"' not in html(response)


def test_wrong_addresses_come_back(admin: Window) -> None:
    response = admin.post("members", email="nowhere", role="member")
    assert response.status_code == 400
    assert 'value="nowhere"' in html(response)
    assert "An email address of at most 254 characters." in html(response)


def test_an_administrator_offers_and_touches_no_owner(house: House, admin: Window) -> None:
    shown = html(admin.get("members"))
    assert '<option value="owner"' not in shown
    before = state()
    owner = house.owner.member.id
    assert "Only an owner may do this." in html(admin.post("change-role", owner, follow=True, role="member"))
    assert "Only an owner may do this." in html(admin.post("remove-member", owner, follow=True))
    assert "Only an owner may do this." in html(admin.post("members", email="x@y.example", role="owner"))
    assert state() == before


def test_the_last_owner_stays(house: House, owner: Window) -> None:
    stays = "The last owner of a workspace stays an owner."
    assert stays in html(owner.post("change-role", house.owner.member.id, follow=True, role="member"))
    assert stays in html(owner.post("remove-member", house.owner.member.id, follow=True))
    assert Membership.objects.get(pk=house.owner.member.id).role == "owner"


def test_roles_change_and_members_go(house: House, owner: Window) -> None:
    owner.post("change-role", house.member.member.id, role="admin")
    assert Membership.objects.get(pk=house.member.member.id).role == "admin"
    assert "member@harbour.example" in html(owner.get("remove-member", house.member.member.id))
    owner.post("remove-member", house.member.member.id)
    assert not Membership.objects.filter(pk=house.member.member.id).exists()


def test_an_agent_is_created_once(admin: Window) -> None:
    assert "Give it a token now." in html(admin.post("agents", name="researcher", follow=True))
    again = admin.post("agents", name="researcher")
    assert again.status_code == 409
    assert "The workspace has an agent of this name already." in html(again)
    assert Agent.objects.count() == 1


def test_a_token_is_shown_once_and_made_once(house: House, admin: Window) -> None:
    agent = house.agent()
    form = admin.get("agent", agent.id)
    data = {"name": "laptop", "expires": "30", "once": number(form)}
    issued = admin.post("agent-tokens", agent.id, **data)
    text = shown_token(issued)
    found = tokens.find("agent", text)
    assert found is not None
    assert found.expires_at is not None
    assert 29 <= (found.expires_at - timezone.now()).days <= 30
    assert text not in html(admin.get("agent", agent.id))
    again = admin.post("agent-tokens", agent.id, **data)
    assert again.status_code == 409
    assert "This form was sent already" in html(again)
    assert AgentToken.objects.count() == 1
    admin.post("agent-tokens", agent.id, **data | {"once": number(again)})
    assert AgentToken.objects.count() == 2


@pytest.mark.parametrize(
    "wrong", [{"once": ""}, {"once": "-1"}, {"once": "9" * 40}, {"expires": "1"}, {"name": "x" * 101}]
)
def test_a_broken_token_form_makes_nothing(house: House, admin: Window, wrong: dict[str, str]) -> None:
    agent = house.agent()
    data = {"name": "", "expires": "", "once": "5"} | wrong
    assert admin.post("agent-tokens", agent.id, **data).status_code == 400
    assert AgentToken.objects.count() == 0


def test_revoking_asks_and_ends_the_token(house: House, admin: Window) -> None:
    agent = house.agent()
    text = house.agent_token(agent)
    token = AgentToken.objects.get()
    assert "refused at once" in html(admin.get("revoke-agent-token", agent.id, token.id))
    assert tokens.find("agent", text) is not None
    admin.post("revoke-agent-token", agent.id, token.id)
    assert tokens.find("agent", text) is None
    assert admin.get("revoke-agent-token", agent.id, token.id).status_code == 404


def test_deleting_an_agent_ends_its_tokens(house: House, admin: Window) -> None:
    agent = house.agent()
    text = house.agent_token(agent)
    assert "its tokens end at once" in html(admin.get("delete-agent", agent.id))
    admin.post("delete-agent", agent.id)
    assert tokens.find("agent", text) is None


def test_why_an_agent_cannot_use_an_extension(house: House, admin: Window) -> None:
    agent = house.agent()
    house.agent_token(agent)
    installed(house, "exa")
    connected(house, "brave")
    shown = html(admin.get("agent", agent.id))
    assert "There is no active connection." in shown
    assert shown.count("Can use it") == 1
    admin.post("agent", agent.id, extension="brave", rule="deny")
    shown = html(admin.get("app-agents", "brave"))
    assert "This agent is not allowed to use it." in shown
    admin.post("app-agents", "brave", agent=agent.id, rule="default")
    assert "Can use it" in html(admin.get("app-agents", "brave"))
    admin.post("app-extension", "brave", enabled="true", agentAccess="selected")
    assert "Only selected agents may use it" in html(admin.get("agent", agent.id))
    admin.post("agent", agent.id, extension="brave", rule="allow")
    assert "Can use it" in html(admin.get("agent", agent.id))
    assert "One of: default, allow, deny." not in html(admin.post("agent", agent.id, extension="brave", rule="x"))


def test_service_tokens(house: House, admin: Window) -> None:
    assert "Install an App first" in html(admin.get("service-tokens"))
    connected(house, "brave")
    form = admin.get("service-tokens")
    data = {"name": "nightly", "extensions": ["brave"], "expires": "", "once": number(form)}
    text = shown_token(admin.post("service-tokens", **data))
    found = tokens.find("service", text)
    assert isinstance(found, ServiceToken)
    assert found.extensions == ["brave"]
    assert admin.post("service-tokens", **data).status_code == 409
    nothing = admin.post("service-tokens", name="x", once="8")
    assert nothing.status_code == 400
    assert "A list of 1 to 50 different names" in html(nothing)
    assert ServiceToken.objects.count() == 1
    admin.post("revoke-service-token", found.id)
    assert tokens.find("service", text) is None


def test_secrets_are_written_and_never_read(house: House, admin: Window) -> None:
    stored = admin.post("secrets", name="SHARED", value="canary-2222", follow=True)
    assert "SHARED is stored." in html(stored)
    assert "${vault://local/SHARED}" in html(stored)
    changed = admin.post("secrets", name="SHARED", value="canary-3333", follow=True)
    assert "SHARED has a new value." in html(changed)
    refused = admin.post("secrets", name="NOT OK", value="canary-4444")
    assert refused.status_code == 400
    for response in (stored, changed, refused, admin.get("secrets")):
        assert "canary-" not in html(response)
    assert "stops working at once" in html(admin.get("delete-secret", "SHARED"))
    admin.post("delete-secret", "SHARED")
    assert WorkspaceSecret.objects.count() == 0
    assert admin.get("delete-secret", "SHARED").status_code == 404


def test_the_account(house: House, member: Window) -> None:
    user = house.member.user
    user.set_password("correct horse battery")
    user.save()
    member.client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    wrong = member.client.post(
        "/account/password",
        {"old_password": "wrong", "new_password1": "another staple 9", "new_password2": "another staple 9"},
    )
    assert wrong.status_code == 400
    right = {
        "old_password": "correct horse battery",
        "new_password1": "another staple 9",
        "new_password2": "another staple 9",
    }
    assert "Your password is changed." in html(member.client.post("/account/password", right, follow=True))
    user.refresh_from_db()
    assert user.check_password("another staple 9")
    before = PersonToken.objects.count()
    form = member.client.get("/account")
    text = shown_token(member.client.post("/account/tokens", {"name": "cli", "once": number(form)}))
    assert PersonToken.objects.count() == before + 1
    found = tokens.find("person", text)
    assert found is not None
    for _ in range(2):
        member.client.post(f"/account/tokens/{found.id}/revoke")
    assert tokens.find("person", text) is None
