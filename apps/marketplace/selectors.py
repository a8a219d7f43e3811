"""What the marketplace shows of a workspace. Every read starts from the workspace's id."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from apps.activity.models import Execution
from apps.marketplace.capabilities import pin_holds
from apps.marketplace.models import (
    App,
    AppRequest,
    Connection,
    EngineOptions,
    ExtensionSelection,
    Installation,
    WorkspaceSecret,
)
from apps.marketplace.product_apps import ENGINES_BY_APP, engine_of
from apps.workspaces.errors import Problem
from searchengines.contract import Engine, Needs

# How many calls in a row must have failed for an engine to want attention (contract section 4).
FAILED_CALLS = 5


class State(StrEnum):
    """An App in a workspace (contract section 4)."""

    NOT_INSTALLED = "not_installed"
    REQUESTED = "requested"
    NEEDS_SETUP = "needs_setup"
    CONNECTED = "connected"
    ATTENTION = "attention"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class ListedApp:
    """An App as one workspace sees it. ``engine`` is None for a custom App."""

    app: App
    engine: Engine | None
    state: State
    installation: Installation | None

    @property
    def needs(self) -> str:
        return (self.engine.needs if self.engine is not None else Needs.NOTHING).value


def listed_apps(workspace_id: str) -> list[ListedApp]:
    """The marketplace in the order of the product's own table, then custom Apps by name."""
    installed = {installation.app_id: installation for installation in installations(workspace_id)}
    requested = set(
        AppRequest.objects.filter(workspace_id=workspace_id, status=AppRequest.Status.PENDING).values_list(
            "app_id", flat=True
        )
    )
    apps = [app for app in visible_apps(workspace_id) if app.available or app.id in installed]
    return [_listed(app, installed.get(app.id), app.id in requested) for app in sorted(apps, key=_order)]


def listed_app(workspace_id: str, slug: str) -> ListedApp:
    """Raises `Problem` not_found."""
    for listed in listed_apps(workspace_id):
        if listed.app.slug == slug:
            return listed
    raise Problem.not_found()


def visible_apps(workspace_id: str) -> list[App]:
    """Trusted Product Apps, and the workspace's own custom Apps; a row that only resembles one is not shown."""
    rows = App.objects.filter(Q(pk__in=list(ENGINES_BY_APP)) | Q(kind=App.Kind.CUSTOM, workspace_id=workspace_id))
    return [app for app in rows if engine_of(app) is not None or app.workspace_id == workspace_id]


def installations(workspace_id: str) -> QuerySet[Installation]:
    """Current installations with all that their state needs, in one query and three prefetches."""
    recent = Execution.objects.filter(installation_id=OuterRef("pk")).order_by("-at")
    # Inside the subquery the outer reference is one level further out.
    recent_of = Execution.objects.filter(installation_id=OuterRef(OuterRef("pk"))).order_by("-at")[:FAILED_CALLS]
    return (
        Installation.objects.filter(workspace_id=workspace_id, status=Installation.Status.ACTIVE)
        .select_related("app", "app_version", "engine_options")
        .prefetch_related(
            Prefetch("selections", ExtensionSelection.objects.filter(active=True), to_attr="current_selections"),
            Prefetch(
                "connections",
                Connection.objects.filter(active=True).prefetch_related("credentials"),
                to_attr="current_connections",
            ),
        )
        .annotate(
            fifth_call=Subquery(recent.values("pk")[FAILED_CALLS - 1 : FAILED_CALLS]),
            recent_success=Exists(Execution.objects.filter(pk__in=Subquery(recent_of.values("pk")), code="ok")),
        )
        .order_by("installed_at", "id")
    )


def installation(workspace_id: str, installation_id: str) -> Installation:
    """A current installation. Raises `Problem` not_found."""
    found = installations(workspace_id).filter(pk=installation_id).first()
    if found is None:
        raise Problem.not_found()
    return found


def selection_of(installation: Installation) -> ExtensionSelection | None:
    selections: list[ExtensionSelection] = installation.current_selections  # type: ignore[attr-defined]
    return selections[0] if selections else None


def connection_of(installation: Installation) -> Connection | None:
    connections: list[Connection] = installation.current_connections  # type: ignore[attr-defined]
    return connections[0] if connections else None


def options_of(installation: Installation) -> dict[str, object]:
    stored: EngineOptions | None = getattr(installation, "engine_options", None)
    return dict(stored.options) if stored is not None else {}


def state_of(installation: Installation) -> State:
    """How an installed App stands."""
    app = installation.app
    if not (app.available and app.enabled):
        return State.UNAVAILABLE
    if engine_of(app) is not None and not pin_holds(app.id, installation.app_version):
        return State.UNAVAILABLE
    if connection_of(installation) is None:
        return State.NEEDS_SETUP
    return State.ATTENTION if _wants_attention(installation) else State.CONNECTED


def pending_requests(workspace_id: str) -> QuerySet[AppRequest]:
    return app_requests(workspace_id).filter(status=AppRequest.Status.PENDING)


def app_requests(workspace_id: str) -> QuerySet[AppRequest]:
    return AppRequest.objects.filter(workspace_id=workspace_id).select_related("app", "requested_by__user")


def secrets(workspace_id: str) -> QuerySet[WorkspaceSecret]:
    """Names and times; nobody reads what is in them."""
    return WorkspaceSecret.objects.filter(workspace_id=workspace_id).defer("envelope")


def _wants_attention(installation: Installation) -> bool:
    test_failed = installation.last_test_code not in ("", "ok")
    calls_failed = installation.fifth_call is not None and not installation.recent_success  # type: ignore[attr-defined]
    return test_failed or calls_failed


def _listed(app: App, installation: Installation | None, requested: bool) -> ListedApp:
    if installation is not None:
        state = state_of(installation)
    elif not (app.available and app.enabled):
        state = State.UNAVAILABLE
    else:
        state = State.REQUESTED if requested else State.NOT_INSTALLED
    return ListedApp(app, engine_of(app), state, installation)


def _order(app: App) -> tuple[int, str]:
    known = list(ENGINES_BY_APP)
    return (known.index(app.id) if app.id in known else len(known), app.display_name.casefold())
