"""A first person, workspace and agent in one step, for `manage.py bootstrap` (contract section 8)."""

from dataclasses import dataclass, field

from django.db import transaction

from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent, Membership, User, Workspace
from apps.workspaces.roles import Role
from apps.workspaces.services.agents import create_agent
from apps.workspaces.services.members import add_member, change_role, create_workspace, ensure_person
from apps.workspaces.services.tokens import issue_agent_token, issue_person_token

AGENT_NAME = "agent"
ACTOR = Actor.operator("manage.py bootstrap")


@dataclass(frozen=True)
class Bootstrapped:
    """Ids, fresh tokens, and the password of a new person (None: the person was known)."""

    workspace_id: str
    user_id: str
    agent_id: str
    owner_token: str = field(repr=False)
    agent_token: str = field(repr=False)
    password: str | None = field(repr=False)


def bootstrap(workspace_name: str, email: str, role: Role = Role.OWNER) -> Bootstrapped:
    """Makes sure that they exist; only the tokens are new each time. Problem `conflict`: no owner would be left."""
    with transaction.atomic():
        user, password = ensure_person(email)
        workspace = _workspace(workspace_name, user, role)
        agent = Agent.objects.filter(workspace=workspace, name=AGENT_NAME).first()
        if agent is None:
            agent = create_agent(workspace.id, ACTOR, AGENT_NAME)
        owner_token = issue_person_token(user, ACTOR, name="bootstrap")
        agent_token = issue_agent_token(workspace.id, ACTOR, agent.id, name="bootstrap")
    return Bootstrapped(
        workspace_id=workspace.id,
        user_id=user.id,
        agent_id=agent.id,
        owner_token=owner_token.text,
        agent_token=agent_token.text,
        password=password,
    )


def _workspace(name: str, user: User, role: Role) -> Workspace:
    """The person's own workspace of this name before another's, the oldest of several; they hold `role` in it."""
    named = Workspace.objects.filter(name=name).order_by("created_at", "id")
    workspace = named.filter(memberships__user=user).first() or named.first()
    if workspace is None:
        if role != Role.OWNER:
            raise Problem.conflict("A new workspace needs an owner.")
        return create_workspace(name, user, ACTOR)
    membership = Membership.objects.filter(workspace=workspace, user=user).first()
    if membership is None:
        add_member(workspace.id, ACTOR, user.email, role)
    elif membership.role != role:
        change_role(workspace.id, ACTOR, membership.id, role)
    return workspace
