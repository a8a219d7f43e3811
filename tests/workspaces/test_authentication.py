import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from apps.workspaces import tokens
from apps.workspaces.api.authentication import (
    AgentTokenAuthentication,
    PersonTokenAuthentication,
    ServiceTokenAuthentication,
    bearer_token,
)
from apps.workspaces.errors import Problem
from apps.workspaces.models import AgentToken, PersonToken, ServiceToken
from apps.workspaces.services.tokens import issue_agent_token, issue_person_token
from tests.workspaces.conftest import OPERATOR, Caller, House, error, state

UNAUTHENTICATED = {"code": "unauthenticated", "message": "A valid bearer token is required."}


def test_token_text_and_digest(house: House) -> None:
    issued = issue_person_token(house.owner.user, OPERATOR)
    assert re.fullmatch(r"atp_[A-Za-z0-9_-]{43}", issued.text)
    assert issued.row.digest == tokens.digest(issued.text)
    assert re.fullmatch(r"[0-9a-f]{64}", issued.row.digest)
    assert issued.text not in repr(issued)
    assert issued.text not in str(state())
    assert tokens.digest("atp_abc") == "ab14485c3fe29bc0acff8d12ddf11f0f6771d93b30ca042e6817f3657c96130e"


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Bearer atp_short", "Basic YTpi", "Bearer atx_" + "a" * 43, "Bearer atp_" + "a" * 43,
     "Token atp_" + "a" * 43, "Bearer ata_" + "a" * 43, "Bearer atp_" + "a" * 42 + "\u00e9", "Bearer atp_" + "a" * 44],
)  # fmt: skip
def test_missing_and_unknown_tokens_are_unauthenticated(house: House, header: str) -> None:
    before = state()
    response = Caller(None)("POST", f"{house.path}/agents", {"name": "a"}, Authorization=header)
    assert (response.status_code, error(response)) == (401, UNAUTHENTICATED)
    assert response["WWW-Authenticate"] == "Bearer"
    assert response["Cache-Control"] == "no-store"
    assert state() == before


def test_scheme_in_any_case() -> None:
    text = "atp_" + "a" * 43
    request = RequestFactory().get("/", headers={"Authorization": f"bEARER {text}"})
    assert bearer_token(request) == ("person", text)


def test_a_session_does_not_open_the_api(house: House, client) -> None:
    client.force_login(house.owner.user, backend="django.contrib.auth.backends.ModelBackend")
    response = client.get("/api/v1/workspaces")
    assert (response.status_code, error(response)) == (401, UNAUTHENTICATED)


def test_tokens_of_other_kinds_are_denied_and_invalid_ones_are_unknown(house: House) -> None:
    agent_token = house.agent_token(house.agent())
    service_token = house.service_token()
    before = state()
    for text in (agent_token, service_token):
        response = Caller(text)("POST", f"{house.path}/agents", {"name": "a"})
        assert (response.status_code, error(response)["code"]) == (403, "permission_denied")
    AgentToken.objects.update(revoked_at=timezone.now())
    assert Caller(agent_token)("GET", "workspaces").status_code == 401
    AgentToken.objects.update(revoked_at=None)
    assert state() == before


@pytest.mark.parametrize("taker", [PersonTokenAuthentication, AgentTokenAuthentication, ServiceTokenAuthentication])
def test_each_kind_opens_its_own_routes_only(house: House, taker: type) -> None:
    agent = house.agent()
    texts = {
        "person": issue_person_token(house.owner.user, OPERATOR).text,
        "agent": house.agent_token(agent),
        "service": house.service_token(),
    }
    principals = {"person": house.owner.user, "agent": agent, "service": house.workspace}
    for kind, text in texts.items():
        request = RequestFactory().get("/", headers={"Authorization": f"Bearer {text}"})
        if kind == taker.kind:
            assert taker().authenticate(request)[0] == principals[kind]
        else:
            with pytest.raises(Problem) as denied:
                taker().authenticate(request)
            assert denied.value.code == "permission_denied"


def test_expiry_and_revocation_end_a_token_at_once(house: House) -> None:
    issued = issue_person_token(house.owner.user, OPERATOR, expires_at=timezone.now() + timedelta(hours=1))
    caller = Caller(issued.text)
    assert caller("GET", "workspaces").status_code == 200
    PersonToken.objects.filter(pk=issued.row.pk).update(expires_at=timezone.now())
    assert caller("GET", "workspaces").status_code == 401
    PersonToken.objects.filter(pk=issued.row.pk).update(expires_at=None)
    assert caller("GET", "workspaces").status_code == 200
    assert caller("DELETE", f"me/tokens/{issued.row.pk}").status_code == 204
    assert caller("GET", "workspaces").status_code == 401


def test_agent_tokens_end_with_expiry_revocation_and_their_agent(house: House) -> None:
    agent = house.agent()
    issued = issue_agent_token(house.workspace.id, OPERATOR, agent.id, expires_at=timezone.now() + timedelta(hours=1))
    assert tokens.find("agent", issued.text) == issued.row
    AgentToken.objects.update(expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert tokens.find("agent", issued.text) is None
    AgentToken.objects.update(expires_at=None)
    assert house.admin.api("DELETE", f"{house.path}/agents/{agent.id}").status_code == 204
    assert tokens.find("agent", issued.text) is None
    assert AgentToken.objects.count() == 0


def test_an_inactive_person_is_unauthenticated(house: House) -> None:
    house.member.user.is_active = False
    house.member.user.save()
    response = house.member.api("GET", "workspaces")
    assert (response.status_code, error(response)) == (401, UNAUTHENTICATED)


def test_use_is_noted_at_most_once_a_minute(house: House) -> None:
    token = PersonToken.objects.get(user=house.member.user)
    assert token.last_used_at is None
    house.member.api("GET", "workspaces")
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    house.member.api("GET", "workspaces")
    token.refresh_from_db()
    assert token.last_used_at == first
    long_ago = first - timedelta(minutes=2)
    PersonToken.objects.update(last_used_at=long_ago)
    house.member.api("GET", "workspaces")
    token.refresh_from_db()
    assert token.last_used_at > long_ago


def test_service_token_keeps_its_extensions(house: House) -> None:
    house.service_token()
    assert ServiceToken.objects.get().extensions == ["brave"]
