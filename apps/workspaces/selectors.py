"""Every read of people, workspaces, agents and tokens that is shown to someone."""

from django.db.models import QuerySet

from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent, AgentToken, Membership, PersonToken, ServiceToken, User
from apps.workspaces.roles import MemberKind


def memberships_of(user: User) -> QuerySet[Membership]:
    """The person's memberships, each with its workspace."""
    return Membership.objects.filter(user=user).select_related("workspace")


def membership_in(user: User, workspace_id: str) -> Membership:
    """The person's membership with its workspace. Problem `not_found`: not theirs, or no such workspace."""
    membership = memberships_of(user).filter(workspace_id=workspace_id).first()
    if membership is None:
        raise Problem.not_found()
    return membership


def members(workspace_id: str, kind: MemberKind | None = None) -> QuerySet[Membership]:
    """Members with their person or agent."""
    rows = Membership.objects.filter(workspace_id=workspace_id).select_related("user", "agent")
    return rows if kind is None else rows.filter(kind=kind)


def agents(workspace_id: str) -> QuerySet[Agent]:
    return Agent.objects.filter(workspace_id=workspace_id)


def agent(workspace_id: str, agent_id: str) -> Agent:
    """Problem `not_found`: the workspace has no such agent."""
    found = agents(workspace_id).filter(pk=agent_id).first()
    if found is None:
        raise Problem.not_found()
    return found


def person_tokens(user: User) -> QuerySet[PersonToken]:
    """Tokens that are not revoked; expired ones are still listed."""
    return PersonToken.objects.filter(user=user, revoked_at=None)


def agent_tokens(agent: Agent) -> QuerySet[AgentToken]:
    """Tokens that are not revoked; expired ones are still listed."""
    return AgentToken.objects.filter(agent=agent, revoked_at=None)


def service_tokens(workspace_id: str) -> QuerySet[ServiceToken]:
    """Tokens that are not revoked; expired ones are still listed."""
    return ServiceToken.objects.filter(workspace_id=workspace_id, revoked_at=None)
