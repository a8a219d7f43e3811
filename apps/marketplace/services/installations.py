"""Installing and uninstalling Apps."""

from django.utils import timezone

from apps.marketplace.kept_sockets import close_after_commit
from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import App, AppRequest, EngineOptions, ExtensionSelection, Installation
from apps.marketplace.product_apps import engine_of
from apps.workspaces import audit
from apps.workspaces.errors import Problem


def install(workspace_id: str, app_id: str, actor: audit.Actor) -> Installation:
    """Install an App's newest version and create its default selection; it stays unconnected (spec A 2, 3).

    Raises `Problem`: not_found, already_installed, conflict (unavailable, or its name is taken).
    """
    with app_mutation_lock(workspace_id):
        return install_locked(workspace_id, _installable(workspace_id, app_id), actor)


def install_locked(workspace_id: str, app: App, actor: audit.Actor) -> Installation:
    """As `install`, for callers that hold the App mutation lock."""
    if not (app.enabled and app.available):
        raise Problem.conflict("This App is not available now.")
    if Installation.objects.filter(workspace_id=workspace_id, app=app, status=Installation.Status.ACTIVE).exists():
        raise Problem("already_installed")
    version = app.versions.order_by("-id").first()
    installation = Installation.objects.create(workspace_id=workspace_id, app=app, app_version=version)
    if version is not None:
        _select(installation, version.default_name, version.default_enabled)
    # Everybody who asked for it is answered.
    AppRequest.objects.filter(workspace_id=workspace_id, app=app, status=AppRequest.Status.PENDING).update(
        status=AppRequest.Status.APPROVED, decided_at=timezone.now()
    )
    audit.record(workspace_id, actor, "app.installed", "installation", installation.id, {"app": app.id})
    return installation


def uninstall(workspace_id: str, installation_id: str, actor: audit.Actor) -> None:
    """End an installation: connection, credential and options are destroyed, the selection ends.

    Raises `Problem` not_found.
    """
    with app_mutation_lock(workspace_id):
        installation = active_installation(workspace_id, installation_id)
        end_connections(installation)
        EngineOptions.objects.filter(installation=installation).delete()
        ExtensionSelection.objects.filter(installation=installation, active=True).update(active=False, enabled=False)
        installation.status = Installation.Status.UNINSTALLED
        installation.uninstalled_at = timezone.now()
        installation.save(update_fields=["status", "uninstalled_at"])
        audit.record(
            workspace_id, actor, "app.uninstalled", "installation", installation.id, {"app": installation.app_id}
        )


def end_connections(installation: Installation) -> list[str]:
    """Delete the installation's connections with their credentials; the ids they had. Wants the lock."""
    ids = list(installation.connections.order_by("id").values_list("id", flat=True))
    installation.connections.all().delete()
    for connection_id in ids:
        close_after_commit(connection_id)
    return ids


def active_installation(workspace_id: str, installation_id: str) -> Installation:
    """A current installation of this workspace. Raises `Problem` not_found."""
    installation = (
        Installation.objects.select_related("app", "app_version")
        .filter(pk=installation_id, workspace_id=workspace_id, status=Installation.Status.ACTIVE)
        .first()
    )
    if installation is None:
        raise Problem.not_found()
    return installation


def _installable(workspace_id: str, app_id: str) -> App:
    app = App.objects.filter(pk=app_id).first()
    if app is None or not is_visible(app, workspace_id):
        raise Problem.not_found()
    return app


def is_visible(app: App, workspace_id: str) -> bool:
    """A Product App is there for all, a custom App for its own workspace; anything else is nobody's."""
    return engine_of(app) is not None or (app.kind == App.Kind.CUSTOM and app.workspace_id == workspace_id)


def _select(installation: Installation, name: str, enabled: bool) -> None:
    taken = ExtensionSelection.objects.filter(workspace_id=installation.workspace_id, name=name, active=True).exists()
    if taken:
        raise Problem.conflict("Another Extension of this workspace has this name.")
    ExtensionSelection.objects.create(
        workspace_id=installation.workspace_id, installation=installation, name=name, enabled=enabled
    )
