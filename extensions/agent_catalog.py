"""An agent's catalog: every Extension it may use now, as it is described to agents."""

from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, Subquery, Value, When

from apps.marketplace.capabilities import pin_holds
from apps.marketplace.models import AgentAuthorization, Connection, ExtensionSelection, Installation
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent
from extensions.registry import Builtin, builtin_of
from extensions.search_action import NAVIGATION_HINT

# A connection's own text for agents, where its engine has such a field.
DESCRIPTION_FIELD = "description"


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One Extension under the name it has in the workspace."""

    name: str
    builtin: Builtin
    description: str

    def document(self) -> dict[str, Any]:
        definition = self.builtin.definition
        return {
            "name": self.name,
            "displayName": definition.display_name,
            "description": self.description,
            "definition": self.builtin.capability.document(),
            "actions": [action.document() for action in definition.actions],
        }


def catalog_of(agent: Agent) -> list[CatalogEntry]:
    """Sorted by name. What makes an entry is what `catalog.resolve_agent` lets through."""
    entries = [_entry(selection) for selection in _usable_selections(agent)]
    return sorted((entry for entry in entries if entry is not None), key=lambda entry: entry.name)


def catalog_entry(agent: Agent, name: str) -> CatalogEntry:
    """Raises `Problem` extension_not_found."""
    for entry in catalog_of(agent):
        if entry.name == name:
            return entry
    raise Problem("extension_not_found")


def _usable_selections(agent: Agent) -> list[ExtensionSelection]:
    own = AgentAuthorization.objects.filter(selection=OuterRef("pk"), agent=agent)
    connections = Connection.objects.filter(installation=OuterRef("installation"), active=True)
    rows = (
        ExtensionSelection.objects.filter(
            workspace_id=agent.workspace_id,
            active=True,
            enabled=True,
            installation__status=Installation.Status.ACTIVE,
            installation__app__enabled=True,
            installation__app__available=True,
        )
        .annotate(own=Subquery(own.values("allowed")[:1], output_field=BooleanField()))
        .annotate(
            may=Case(
                When(Q(own__isnull=False), then=F("own")),
                default=Case(
                    When(agent_access=ExtensionSelection.AgentAccess.ALL, then=Value(True)), default=Value(False)
                ),
            ),
            connected=Exists(connections),
            connection_config=Subquery(connections.order_by("id").values("config")[:1]),
        )
        .filter(may=True, connected=True)
        .select_related("installation__app", "installation__app_version")
    )
    return list(rows)


def _entry(selection: ExtensionSelection) -> CatalogEntry | None:
    app = selection.installation.app
    builtin = builtin_of(app.id, app.slug)
    if builtin is None or not pin_holds(app.id, selection.installation.app_version):
        return None
    config: dict[str, Any] = selection.connection_config or {}  # type: ignore[attr-defined]
    own_text = config.get(DESCRIPTION_FIELD)
    # Every description says that results are hints (contract section 4), an administrator's own too.
    description = f"{own_text} {NAVIGATION_HINT}" if own_text else builtin.definition.description
    return CatalogEntry(selection.name, builtin, description)
