"""Every write to agents."""

from apps.workspaces import audit, selectors
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.locks import membership_lock
from apps.workspaces.models import Agent, Membership
from apps.workspaces.permissions import require_role
from apps.workspaces.roles import MemberKind, Role


def create_agent(workspace_id: str, actor: Actor, name: str) -> Agent:
    """An agent and its membership. Problem `conflict`: the workspace has an agent of this name."""
    with membership_lock(workspace_id) as workspace:
        require_role(workspace_id, actor, Role.ADMIN)
        if Agent.objects.filter(workspace=workspace, name=name).exists():
            raise Problem.conflict("The workspace has an agent of this name already.")
        agent = Agent.objects.create(workspace=workspace, name=name)
        Membership.objects.create(workspace=workspace, kind=MemberKind.AGENT, role=Role.AGENT, agent=agent)
        audit.record(workspace_id, actor, "agent.created", "agent", agent.id, {"name": name})
    return agent


def delete_agent(workspace_id: str, actor: Actor, agent_id: str) -> None:
    """Removes an agent with its membership and tokens, which end at once. Problem `not_found`."""
    with membership_lock(workspace_id):
        require_role(workspace_id, actor, Role.ADMIN)
        agent = selectors.agent(workspace_id, agent_id)
        agent.delete()
        audit.record(workspace_id, actor, "agent.deleted", "agent", agent_id, {"name": agent.name})
