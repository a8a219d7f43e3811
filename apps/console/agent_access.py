"""Which agents may use which Extension, and why not, as the pages show it."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.marketplace.api.apps import AUTHORIZATION_BODY
from apps.marketplace.models import AgentAuthorization, ExtensionSelection
from apps.marketplace.services import selections
from apps.workspaces import selectors
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent
from extensions.agent_catalog import catalog_of
from extensions.explain import Explanation, explain

RULES = ("default", "allow", "deny")


@dataclass(frozen=True, slots=True)
class Access:
    """One agent and one Extension. ``rule`` is the agent's own: one of `RULES`."""

    agent: Agent
    selection: ExtensionSelection
    rule: str
    explanation: Explanation


def of_extension(selection: ExtensionSelection) -> list[Access]:
    """Every agent of the workspace, by name."""
    agents = selectors.agents(selection.workspace_id).order_by("name")
    rules = _rules(AgentAuthorization.objects.filter(selection=selection))
    return [_access(agent, selection, rules) for agent in agents]


def of_agent(agent: Agent) -> list[Access]:
    """Every Extension of the agent's workspace, by name."""
    rows = ExtensionSelection.objects.filter(workspace_id=agent.workspace_id, active=True)
    rules = _rules(AgentAuthorization.objects.filter(agent=agent))
    return [_access(agent, row, rules) for row in rows.select_related("installation__app").order_by("name")]


def set_rule(workspace_id: str, agent_id: str, name: str, rule: str, actor: Actor) -> None:
    """Raises `Problem`: invalid_input, not_found."""
    if rule not in RULES:
        raise Problem.invalid({"rule": f"One of: {', '.join(RULES)}."})
    if rule == "default":
        selections.remove_authorization(workspace_id, agent_id, name, actor)
        return
    allowed = AUTHORIZATION_BODY.clean({"allowed": rule == "allow"})["allowed"]
    selections.set_authorization(workspace_id, agent_id, name, allowed, actor)


def users_of(workspace_id: str, name: str) -> list[str]:
    """The names of the agents that have this Extension in their catalog now."""
    agents = selectors.agents(workspace_id).order_by("name")
    return [agent.name for agent in agents if any(entry.name == name for entry in catalog_of(agent))]


def _rules(rows: Iterable[AgentAuthorization]) -> dict[tuple[str, int], bool]:
    return {(row.agent_id, row.selection_id): row.allowed for row in rows}


def _access(agent: Agent, selection: ExtensionSelection, rules: dict[tuple[str, int], bool]) -> Access:
    own = rules.get((agent.id, selection.pk))
    rule = "default" if own is None else "allow" if own else "deny"
    return Access(agent, selection, rule, explain(agent.workspace_id, agent.id, selection.name))
