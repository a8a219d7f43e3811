from datetime import timedelta

import pytest
from django.utils import timezone

from apps.workspaces.api.shapes import iso_time
from apps.workspaces.models import PersonToken, Workspace
from apps.workspaces.services.tokens import issue_person_token
from tests.workspaces.conftest import OPERATOR, Caller, House, error, state

NOT_FOUND = {"error": {"code": "not_found", "message": "There is nothing here."}}
ROUTES = [
    ("GET", "", None),
    ("GET", "/members", None),
    ("POST", "/members", {"email": "new@x.example", "role": "member"}),
    ("PATCH", "/members/{member}", {"role": "owner"}),
    ("DELETE", "/members/{member}", None),
    ("GET", "/agents", None),
    ("POST", "/agents", {"name": "a"}),
    ("GET", "/agents/{agent}", None),
    ("DELETE", "/agents/{agent}", None),
    ("GET", "/agents/{agent}/tokens", None),
    ("POST", "/agents/{agent}/tokens", {}),
    ("DELETE", "/agents/{agent}/tokens/{token}", None),
    ("GET", "/service-tokens", None),
    ("POST", "/service-tokens", {"name": "s", "extensions": ["brave"]}),
    ("DELETE", "/service-tokens/{service}", None),
]


def ids(house: House) -> dict[str, str]:
    agent = house.agent()
    house.agent_token(agent)
    house.service_token()
    return {
        "member": house.member.member.id,
        "agent": agent.id,
        "token": agent.tokens.get().id,
        "service": house.workspace.service_tokens.get().id,
    }


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
def test_a_foreign_workspace_answers_like_a_missing_one(
    house: House, other_house: House, method: str, route: str, body: object
) -> None:
    suffix = route.format(**ids(other_house))
    before = state()
    foreign = house.owner.api(method, other_house.path + suffix, body)
    missing = house.owner.api(method, "workspaces/ws_missing" + suffix, body)
    nul = house.owner.api(method, "workspaces/ws_%00" + suffix, body)
    for response in (foreign, missing, nul):
        assert (response.status_code, response.json()) == (404, NOT_FOUND)
        assert response["Cache-Control"] == "no-store"
    assert state() == before


@pytest.mark.parametrize(("method", "route", "body"), [row for row in ROUTES if "{" in row[1]])
def test_an_object_of_another_workspace_answers_like_a_missing_one(
    house: House, other_house: House, method: str, route: str, body: object
) -> None:
    foreign_suffix = route.format(**ids(other_house))
    missing_suffix = route.format(member="mem_x", agent="agent_x", token="tok_x", service="tok_x")
    before = state()
    for suffix in (foreign_suffix, missing_suffix):
        response = house.owner.api(method, house.path + suffix, body)
        assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert state() == before


@pytest.mark.parametrize(("method", "route", "body"), ROUTES[1:])
def test_a_member_is_denied_what_administrators_do(house: House, method: str, route: str, body: object) -> None:
    suffix = route.format(**ids(house))
    before = state()
    response = house.member.api(method, house.path + suffix, body)
    assert (response.status_code, error(response)) == (
        403,
        {"code": "permission_denied", "message": "You may not do this."},
    )
    assert state() == before


def test_own_workspaces(house: House, other_house: House) -> None:
    expected = {
        "id": house.workspace.id,
        "name": "harbour",
        "role": "member",
        "createdAt": iso_time(house.workspace.created_at),
    }
    assert house.member.api("GET", "workspaces").json() == {"items": [expected], "next": None}
    response = house.member.api("GET", house.path)
    assert (response.status_code, response.json()) == (200, expected)
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_not_allowed(house: House, method: str) -> None:
    response = house.owner.api(method, "workspaces")
    assert (response.status_code, error(response)["code"]) == (405, "method_not_allowed")


def test_agents_come_and_go(house: House) -> None:
    created = house.admin.api("POST", f"{house.path}/agents", {"name": " Reader "})
    agent = created.json()
    assert created.status_code == 201
    assert set(agent) == {"id", "name", "createdAt"}
    assert agent["name"] == "Reader"
    assert house.admin.api("GET", f"{house.path}/agents").json() == {"items": [agent], "next": None}
    assert house.admin.api("GET", f"{house.path}/agents/{agent['id']}").json() == agent
    before = state()
    again = house.admin.api("POST", f"{house.path}/agents", {"name": "Reader"})
    assert (again.status_code, error(again)["code"]) == (409, "conflict")
    assert state() == before
    members = house.admin.api("GET", f"{house.path}/members").json()["items"]
    assert [(row["kind"], row["role"], row["name"], row["agentId"], row["email"]) for row in members][-1] == (
        "agent",
        "agent",
        "Reader",
        agent["id"],
        None,
    )
    assert house.admin.api("DELETE", f"{house.path}/agents/{agent['id']}").status_code == 204
    assert house.admin.api("GET", f"{house.path}/agents").json() == {"items": [], "next": None}
    assert len(house.admin.api("GET", f"{house.path}/members").json()["items"]) == 3


def test_agent_tokens_are_shown_once(house: House) -> None:
    path = f"{house.path}/agents/{house.agent().id}/tokens"
    expires = iso_time(timezone.now() + timedelta(days=1))
    created = house.admin.api("POST", path, {"name": "laptop", "expiresAt": expires})
    token = created.json()
    assert created.status_code == 201
    assert set(token) == {"id", "name", "createdAt", "expiresAt", "token"}
    assert (token["name"], token["expiresAt"], token["token"][:4]) == ("laptop", expires, "ata_")
    listed = house.admin.api("GET", path).json()
    del token["token"]
    assert listed == {"items": [{**token, "lastUsedAt": None}], "next": None}
    assert house.admin.api("DELETE", f"{path}/{token['id']}").status_code == 204
    assert house.admin.api("GET", path).json()["items"] == []
    assert house.admin.api("DELETE", f"{path}/{token['id']}").json() == NOT_FOUND


def test_service_tokens(house: House) -> None:
    path = f"{house.path}/service-tokens"
    created = house.admin.api("POST", path, {"name": "indexer", "extensions": ["brave", "rag"]})
    token = created.json()
    assert created.status_code == 201
    assert set(token) == {"id", "name", "createdAt", "expiresAt", "extensions", "token"}
    assert (token["extensions"], token["expiresAt"], token["token"][:4]) == (["brave", "rag"], None, "ats_")
    del token["token"]
    assert house.admin.api("GET", path).json()["items"] == [{**token, "lastUsedAt": None}]
    assert house.admin.api("DELETE", f"{path}/{token['id']}").status_code == 204
    assert house.admin.api("GET", path).json()["items"] == []


def test_own_tokens(house: House) -> None:
    created = house.member.api("POST", "me/tokens").json()
    assert created["token"].startswith("atp_")
    assert [row["id"] for row in house.member.api("GET", "me/tokens").json()["items"]][-1] == created["id"]
    assert "token" not in house.member.api("GET", "me/tokens").json()["items"][-1]
    before = state()
    assert house.admin.api("DELETE", f"me/tokens/{created['id']}").json() == NOT_FOUND
    assert state() == before
    assert house.member.api("DELETE", f"me/tokens/{created['id']}").status_code == 204
    assert Caller(created["token"])("GET", "me/tokens").status_code == 401


def test_a_body_that_names_one_token_does_not_end_all(house: House) -> None:
    created = house.member.api("POST", "me/tokens").json()
    before = state()
    refused = house.member.api("DELETE", "me/tokens", {"id": created["id"]})
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["id"])
    assert state() == before


def test_all_own_tokens_end_together(house: House) -> None:
    issue_person_token(house.member.user, OPERATOR)
    assert house.member.api("DELETE", "me/tokens").status_code == 204
    assert house.member.api("GET", "me/tokens").status_code == 401
    assert house.admin.api("GET", "me/tokens").status_code == 200
    assert PersonToken.objects.filter(user=house.member.user, revoked_at=None).count() == 0


FUTURE = "A future time in ISO 8601 with its offset, or null."
EXTENSIONS = "A list of 1 to 50 different names of lower-case letters, digits and hyphens."
NAME = "Text of 1 to 100 characters, in one line."
REQUIRED = "This member is required."


@pytest.mark.parametrize(
    ("route", "body", "fields"),
    [
        ("/agents", {}, {"name": REQUIRED}),
        ("/agents", {"name": 3}, {"name": NAME}),
        ("/agents", {"name": None}, {"name": NAME}),
        ("/agents", {"name": " "}, {"name": NAME}),
        ("/agents", {"name": "x" * 101}, {"name": NAME}),
        ("/agents", {"name": "a\x00b"}, {"name": NAME}),
        ("/agents", {"name": "a\ud800"}, {"name": NAME}),
        ("/agents", {"name": "a", "role": "x"}, {"role": "Unknown member. The body takes: name."}),
        ("/agents", {"Name": "a"}, {"name": REQUIRED, "Name": "Unknown member. The body takes: name."}),
        ("/members", {"email": "x", "role": "agent"},
         {"email": "An email address of at most 254 characters.", "role": "One of: owner, admin, member."}),
        ("/service-tokens", {"name": "s", "extensions": []}, {"extensions": EXTENSIONS}),
        ("/service-tokens", {"name": "s", "extensions": "brave"}, {"extensions": EXTENSIONS}),
        ("/service-tokens", {"name": "s", "extensions": ["brave", "brave"]}, {"extensions": EXTENSIONS}),
        ("/service-tokens", {"name": "s", "extensions": ["Brave"]}, {"extensions": EXTENSIONS}),
        ("/service-tokens", {"name": "s", "extensions": [1]}, {"extensions": EXTENSIONS}),
    ],
)  # fmt: skip
def test_bodies_are_closed_and_strict(house: House, route: str, body: object, fields: dict[str, str]) -> None:
    before = state()
    response = house.owner.api("POST", house.path + route, body)
    assert (response.status_code, error(response)) == (
        400,
        {"code": "invalid_input", "message": "The input is not valid.", "fields": fields},
    )
    assert state() == before


@pytest.mark.parametrize(
    "value",
    ["2001-01-01T00:00:00Z", "2999-01-01T00:00:00", "9999-12-31T23:59:59-23:00", 4102444800, "2999-99-01T00:00:00Z"],
)
def test_a_token_expires_at_a_future_moment_or_never(house: House, value: object) -> None:
    before = state()
    response = house.owner.api("POST", "me/tokens", {"expiresAt": value})
    assert (response.status_code, error(response)["fields"]) == (400, {"expiresAt": FUTURE})
    assert state() == before
    assert house.owner.api("POST", "me/tokens", {"expiresAt": None}).json()["expiresAt"] is None


@pytest.mark.parametrize("body", [b"[]", b"3", b'"x"', b"null"])
def test_a_body_is_an_object(house: House, body: bytes) -> None:
    before = state()
    response = house.owner.api.raw("POST", f"{house.path}/agents", body)
    assert (response.status_code, error(response)["message"]) == (400, "The body must be a JSON object.")
    assert state() == before


def test_pages_follow_one_another(house: House) -> None:
    names = [f"agent {number}" for number in range(5)]
    for name in names:
        house.agent(name)
    seen, cursor = [], ""
    while cursor is not None:
        page = house.owner.api("GET", f"{house.path}/agents?limit=2" + (f"&cursor={cursor}" if cursor else "")).json()
        seen.append([row["name"] for row in page["items"]])
        cursor = page["next"]
    assert seen == [names[0:2], names[2:4], names[4:5]]


def test_rows_of_the_same_moment_are_not_lost_between_pages(house: House) -> None:
    for number in range(4):
        house.agent(f"agent {number}")
    house.workspace.agents.update(created_at=timezone.now())
    first = house.owner.api("GET", f"{house.path}/agents?limit=3").json()
    second = house.owner.api("GET", f"{house.path}/agents?limit=3&cursor={first['next']}").json()
    assert (len(first["items"]), len(second["items"]), second["next"]) == (3, 1, None)
    assert len({row["id"] for row in first["items"] + second["items"]}) == 4


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.5", "x", "", "%D9%A3", "1" * 5000])
def test_limit_is_bounded(house: House, limit: str) -> None:
    response = house.owner.api("GET", f"workspaces?limit={limit}")
    assert (response.status_code, error(response)["fields"]) == (400, {"limit": "An integer from 1 to 100."})


@pytest.mark.parametrize(
    "cursor", ["", "x", "%00", "MTIz", "!!!!", "OTk5OTk5OTk5OTk5OTk5OTkgYQ" + "=" * 3, "é", "A" * 5000]
)
def test_a_malformed_cursor_is_invalid(house: House, cursor: str) -> None:
    response = house.owner.api("GET", f"workspaces?cursor={cursor}")
    assert (response.status_code, error(response)["fields"]) == (400, {"cursor": "The `next` of an earlier answer."})


def test_nothing_creates_or_renames_a_workspace(house: House) -> None:
    assert house.owner.api("POST", "workspaces", {"name": "x"}).status_code == 405
    assert house.owner.api("PATCH", house.path, {"name": "x"}).status_code == 405
    assert [row.name for row in Workspace.objects.all()] == ["harbour"]
