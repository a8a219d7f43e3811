"""A member asks for an App; an administrator approves, which installs, or declines."""

from django.utils import timezone

from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import App, AppRequest, Installation
from apps.marketplace.services.installations import install_locked, is_visible
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from apps.workspaces.models import Membership


def request_app(membership: Membership, app_id: str, reason: str, actor: audit.Actor) -> AppRequest:
    """Raises `Problem`: not_found, already_installed, conflict (asked for already, or unavailable)."""
    workspace_id = membership.workspace_id
    with app_mutation_lock(workspace_id):
        app = App.objects.filter(pk=app_id).first()
        if app is None or not is_visible(app, workspace_id):
            raise Problem.not_found()
        if not (app.enabled and app.available):
            raise Problem.conflict("This App is not available now.")
        if Installation.objects.filter(workspace_id=workspace_id, app=app, status=Installation.Status.ACTIVE).exists():
            raise Problem("already_installed")
        pending = AppRequest.objects.filter(app=app, requested_by=membership, status=AppRequest.Status.PENDING)
        if pending.exists():
            raise Problem.conflict("You asked for this App already.")
        request = AppRequest.objects.create(workspace_id=workspace_id, app=app, requested_by=membership, reason=reason)
        audit.record(workspace_id, actor, "app.requested", "app_request", request.id, {"app": app.id})
        return request


def approve(workspace_id: str, request_id: str, actor: audit.Actor) -> Installation:
    """Install what was asked for, which answers everybody who asked for the same App.

    Raises `Problem`: not_found, conflict (decided already), and what installing raises.
    """
    with app_mutation_lock(workspace_id):
        request = _pending(workspace_id, request_id)
        if not is_visible(request.app, workspace_id):
            raise Problem.not_found()
        installation = install_locked(workspace_id, request.app, actor)
        audit.record(workspace_id, actor, "app_request.approved", "app_request", request.id, {"app": request.app_id})
        return installation


def decline(workspace_id: str, request_id: str, actor: audit.Actor) -> AppRequest:
    """Raises `Problem`: not_found, conflict (decided already)."""
    with app_mutation_lock(workspace_id):
        request = _pending(workspace_id, request_id)
        request.status = AppRequest.Status.DECLINED
        request.decided_at = timezone.now()
        request.save(update_fields=["status", "decided_at"])
        audit.record(workspace_id, actor, "app_request.declined", "app_request", request.id, {"app": request.app_id})
        return request


def _pending(workspace_id: str, request_id: str) -> AppRequest:
    request = (
        AppRequest.objects.select_related("app", "requested_by__user")
        .filter(pk=request_id, workspace_id=workspace_id)
        .first()
    )
    if request is None:
        raise Problem.not_found()
    if request.status != AppRequest.Status.PENDING:
        raise Problem.conflict("This request is decided already.")
    return request
