"""People, workspaces and callers for the tests of this room."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from apps.activity.models import AuditRow
from apps.workspaces.audit import Actor
from apps.workspaces.models import (
    Agent,
    AgentToken,
    Membership,
    PersonToken,
    ServiceToken,
    User,
    Workspace,
)
from apps.workspaces.roles import Role
from apps.workspaces.services.agents import create_agent
from apps.workspaces.services.members import add_member, create_workspace
from apps.workspaces.services.tokens import issue_agent_token, issue_person_token, issue_service_token

OPERATOR = Actor.operator("tests")
MODELS = (User, Workspace, Membership, Agent, PersonToken, AgentToken, ServiceToken, AuditRow)


def state() -> dict[str, list[Any]]:
    """Every row of this room and the audit log, but for when a token was last used."""
    return {
        model.__name__: [
            {name: value for name, value in row.items() if name != "last_used_at"}
            for row in model.objects.order_by("pk").values()
        ]
        for model in MODELS
    }


@dataclass
class Caller:
    """Calls the API with one token."""

    token: str | None

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        data = b"" if body is None else json.dumps(body).encode()
        return self.raw(method, path, data, **headers)

    def raw(self, method: str, path: str, data: bytes, content_type: str = "application/json", **headers: str) -> Any:
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return Client().generic(method, f"/api/v1/{path}", data, content_type=content_type, headers=headers)


@dataclass
class Inhabitant:
    user: User
    member: Membership
    api: Caller

    @property
    def actor(self) -> Actor:
        return Actor.person(self.user, self.member)


@dataclass
class House:
    """One workspace with an owner, an admin and a member."""

    workspace: Workspace
    owner: Inhabitant
    admin: Inhabitant
    member: Inhabitant

    @property
    def path(self) -> str:
        return f"workspaces/{self.workspace.id}"

    def agent(self, name: str = "researcher") -> Agent:
        return create_agent(self.workspace.id, OPERATOR, name)

    def agent_token(self, agent: Agent) -> str:
        return issue_agent_token(self.workspace.id, OPERATOR, agent.id).text

    def service_token(self) -> str:
        return issue_service_token(self.workspace.id, OPERATOR, name="indexer", extensions=["brave"]).text


def inhabitant(user: User, workspace: Workspace) -> Inhabitant:
    member = Membership.objects.get(user=user, workspace=workspace)
    return Inhabitant(user, member, Caller(issue_person_token(user, OPERATOR).text))


def build_house(name: str) -> House:
    people = {
        role: User.objects.create_user(f"{role.value}@{name}.example") for role in (Role.OWNER, Role.ADMIN, Role.MEMBER)
    }
    workspace = create_workspace(name, people[Role.OWNER], OPERATOR)
    for role in (Role.ADMIN, Role.MEMBER):
        add_member(workspace.id, OPERATOR, people[role].email, role)
    owner, admin, member = (inhabitant(user, workspace) for user in people.values())
    return House(workspace, owner, admin, member)


@pytest.fixture
def house(db: None) -> House:
    return build_house("harbour")


@pytest.fixture
def other_house(db: None) -> House:
    return build_house("lighthouse")


def error(response: Any) -> dict[str, Any]:
    return response.json()["error"]
