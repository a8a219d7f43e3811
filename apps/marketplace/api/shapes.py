"""What the marketplace's objects look like on the API (contract section 4)."""

from typing import Any

from apps.marketplace.capabilities import capability_of
from apps.marketplace.models import App, AppRequest, Connection, Installation, WorkspaceSecret
from apps.marketplace.product_apps import engine_of
from apps.marketplace.selectors import ListedApp, selection_of
from apps.workspaces.api.shapes import iso_time, iso_time_or_none
from searchengines.contract import Engine


def app_shape(listed: ListedApp) -> dict[str, Any]:
    app = listed.app
    return {
        "appId": app.id,
        "slug": app.slug,
        "displayName": app.display_name,
        "description": app.description,
        "icon": icon_of(app),
        "kind": "custom" if listed.engine is None else "product",
        "needs": listed.needs,
        "state": listed.state.value,
        "installationId": listed.installation.id if listed.installation is not None else None,
    }


def icon_of(app: App) -> str:
    """A Product App's own drawing, whatever avatar its row names; for others a plain one (spec A 1)."""
    slug = app.slug if engine_of(app) is not None else "custom"
    return f"/static/app-icons/{slug}.svg"


def installation_shape(installation: Installation) -> dict[str, Any]:
    return {
        "id": installation.id,
        "appId": installation.app_id,
        "slug": installation.app.slug,
        "status": installation.status,
        "installedAt": iso_time(installation.installed_at),
        "extension": extension_shape(installation),
        "lastTest": last_test_shape(installation),
    }


def extension_shape(installation: Installation) -> dict[str, Any] | None:
    """None for a custom App, which has no Extension."""
    selection = selection_of(installation)
    if selection is None:
        return None
    return {
        "name": selection.name,
        "enabled": selection.enabled,
        "agentAccess": selection.agent_access,
        "definition": definition_shape(installation.app_id),
    }


def definition_shape(app_id: str) -> dict[str, Any] | None:
    capability = capability_of(app_id)
    return None if capability is None else capability.document()


def last_test_shape(installation: Installation) -> dict[str, Any] | None:
    if installation.last_test_at is None:
        return None
    passed = installation.last_test_code == "ok"
    return {
        "at": iso_time_or_none(installation.last_test_at),
        "ok": passed,
        "code": None if passed else installation.last_test_code,
        "reason": installation.last_test_reason or None,
    }


def connection_shape(engine: Engine, connection: Connection | None) -> dict[str, Any]:
    """Non-secret config, active state, and whether each credential is configured: nothing else (spec A 5)."""
    configured = set() if connection is None else {credential.field for credential in connection.credentials.all()}
    return {
        "active": connection is not None,
        "config": {} if connection is None else dict(connection.config),
        "credentials": {item.name: {"configured": item.name in configured} for item in engine.secret_fields},
    }


def request_shape(request: AppRequest) -> dict[str, Any]:
    member = request.requested_by
    user = member.user if member is not None else None
    return {
        "id": request.id,
        "appId": request.app_id,
        "slug": request.app.slug,
        "status": request.status,
        "reason": request.reason,
        "requestedBy": {
            "memberId": member.id if member is not None else None,
            "email": user.email if user is not None else None,
        },
        "createdAt": iso_time(request.created_at),
        "decidedAt": iso_time_or_none(request.decided_at),
    }


def secret_shape(secret: WorkspaceSecret) -> dict[str, Any]:
    """The name and nothing else (contract section 4)."""
    return {"name": secret.name}
