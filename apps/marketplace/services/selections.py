"""Which agents may use an installed Extension."""

from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import AgentAuthorization, ExtensionSelection
from apps.marketplace.services.installations import active_installation
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent


def change_selection(
    workspace_id: str, installation_id: str, actor: audit.Actor, *, enabled: bool | None, agent_access: str | None
) -> ExtensionSelection:
    """Enable or disable, and set who may use it; None leaves a member as it is. Raises `Problem` not_found."""
    with app_mutation_lock(workspace_id):
        installation = active_installation(workspace_id, installation_id)
        selection = installation.selections.filter(active=True).first()
        if selection is None:
            raise Problem.not_found()
        if enabled is not None:
            selection.enabled = enabled
        if agent_access is not None:
            selection.agent_access = agent_access
        selection.save(update_fields=["enabled", "agent_access"])
        audit.record(
            workspace_id,
            actor,
            "extension.changed",
            "installation",
            installation.id,
            {"name": selection.name, "enabled": selection.enabled, "agentAccess": selection.agent_access},
        )
        return selection


def set_authorization(
    workspace_id: str, agent_id: str, name: str, allowed: bool, actor: audit.Actor
) -> AgentAuthorization:
    """Override agent access for one agent. Raises `Problem` not_found (agent or Extension)."""
    with app_mutation_lock(workspace_id):
        agent, selection = _agent_and_selection(workspace_id, agent_id, name)
        authorization, _ = AgentAuthorization.objects.update_or_create(
            selection=selection, agent=agent, defaults={"allowed": allowed}
        )
        audit.record(
            workspace_id, actor, "authorization.set", "agent", agent.id, {"extension": name, "allowed": allowed}
        )
        return authorization


def remove_authorization(workspace_id: str, agent_id: str, name: str, actor: audit.Actor) -> None:
    """Back to the selection's agent access; nothing happens when there is no override. Raises `Problem` not_found."""
    with app_mutation_lock(workspace_id):
        agent, selection = _agent_and_selection(workspace_id, agent_id, name)
        removed, _ = AgentAuthorization.objects.filter(selection=selection, agent=agent).delete()
        if removed:
            audit.record(workspace_id, actor, "authorization.removed", "agent", agent.id, {"extension": name})


def _agent_and_selection(workspace_id: str, agent_id: str, name: str) -> tuple[Agent, ExtensionSelection]:
    agent = Agent.objects.filter(pk=agent_id, workspace_id=workspace_id).first()
    selection = ExtensionSelection.objects.filter(workspace_id=workspace_id, name=name, active=True).first()
    if agent is None or selection is None:
        raise Problem.not_found()
    return agent, selection
