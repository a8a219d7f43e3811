"""What the database says about one agent and one Extension name, for an explanation."""

from dataclasses import dataclass

from django.utils import timezone

from apps.marketplace.capabilities import pin_holds
from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    AppVersion,
    Connection,
    EngineOptions,
    ExtensionSelection,
    Installation,
)
from apps.marketplace.selectors import visible_apps
from apps.workspaces import selectors, tokens
from apps.workspaces.models import Agent
from extensions.registry import Builtin, builtin_of


@dataclass(frozen=True, slots=True)
class Facts:
    """Rows as they are; None where there is none. ``version`` is the installation's, else what would be installed.

    ``selection`` is the installation's active one, which may have another name than the one asked for.
    ``allowed`` is the agent's own authorization. ``tokens`` are the agent's that are not revoked.
    """

    agent: Agent
    name: str
    app: App | None
    builtin: Builtin | None
    version: AppVersion | None
    installation: Installation | None
    selection: ExtensionSelection | None
    connections: tuple[Connection, ...]
    options: dict[str, object]
    allowed: bool | None
    tokens: int
    usable_tokens: int

    def request_is_pending(self) -> bool:
        """Whether somebody has asked for the App."""
        return AppRequest.objects.filter(
            workspace_id=self.agent.workspace_id, app=self.app, status=AppRequest.Status.PENDING
        ).exists()

    def newest_version_holds(self) -> bool:
        """Whether a fresh installation would pin what this process runs."""
        return self.app is not None and pin_holds(self.app.id, _newest_version(self.app))

    def installed_names(self) -> list[str]:
        """The Extension names of the workspace, sorted."""
        rows = ExtensionSelection.objects.filter(workspace_id=self.agent.workspace_id, active=True)
        return sorted(rows.values_list("name", flat=True))


def facts_of(workspace_id: str, agent_id: str, name: str) -> Facts:
    """Raises `Problem` not_found when the workspace has no such agent."""
    agent = selectors.agent(workspace_id, agent_id)
    selection = _selection(workspace_id, name)
    if selection is not None:
        app: App | None = selection.installation.app
        installation: Installation | None = selection.installation
    else:
        app = next((app for app in visible_apps(workspace_id) if app.slug == name), None)
        installation = _installation(workspace_id, app)
        selection = None if installation is None else installation.selections.filter(active=True).first()
    version = installation.app_version if installation is not None else _newest_version(app)
    agent_tokens = selectors.agent_tokens(agent)
    return Facts(
        agent=agent,
        name=name,
        app=app,
        builtin=builtin_of(app.id, app.slug) if app is not None else None,
        version=version,
        installation=installation,
        selection=selection,
        connections=_connections(installation),
        options=_options(installation),
        allowed=_allowed(selection, agent),
        tokens=agent_tokens.count(),
        usable_tokens=agent_tokens.filter(tokens.usable(timezone.now())).count(),
    )


def _selection(workspace_id: str, name: str) -> ExtensionSelection | None:
    rows = ExtensionSelection.objects.select_related("installation__app", "installation__app_version")
    return rows.filter(workspace_id=workspace_id, name=name, active=True).first()


def _installation(workspace_id: str, app: App | None) -> Installation | None:
    rows = Installation.objects.select_related("app", "app_version")
    return rows.filter(workspace_id=workspace_id, app=app, status=Installation.Status.ACTIVE).first() if app else None


def _newest_version(app: App | None) -> AppVersion | None:
    return app.versions.order_by("-id").first() if app is not None else None


def _connections(installation: Installation | None) -> tuple[Connection, ...]:
    if installation is None:
        return ()
    return tuple(installation.connections.filter(active=True).order_by("id").prefetch_related("credentials"))


def _options(installation: Installation | None) -> dict[str, object]:
    stored = None if installation is None else EngineOptions.objects.filter(installation=installation).first()
    return {} if stored is None else dict(stored.options)


def _allowed(selection: ExtensionSelection | None, agent: Agent) -> bool | None:
    rows = AgentAuthorization.objects.filter(selection=selection, agent=agent)
    return rows.values_list("allowed", flat=True).first() if selection is not None else None
