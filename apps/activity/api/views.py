"""Audit rows and executions of a workspace (contract section 4)."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.activity.models import AuditRow, Execution
from apps.workspaces.api.pagination import paginate_together
from apps.workspaces.api.shapes import iso_time
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.roles import Role


class ActivityView(WorkspaceView):
    """Audit rows and executions in one list, newest first; `?kind=` keeps one of the two."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        wanted = request.query_params.get("kind")
        if wanted is not None and wanted not in KINDS:
            raise Problem.invalid({"kind": f"One of: {', '.join(KINDS)}."})
        kinds = [
            (model.objects.filter(workspace_id=self.workspace.id), shape)
            for kind, (model, shape) in KINDS.items()
            if wanted in (None, kind)
        ]
        return Response(paginate_together(kinds, request, time_field="at"))


def audit_shape(row: AuditRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": "audit",
        "at": iso_time(row.at),
        "actor": {
            "kind": row.actor_kind,
            "id": row.actor_id,
            "memberId": row.actor_member_id or None,
            "label": row.actor_label,
        },
        "action": row.action,
        "target": {"kind": row.target_kind, "id": row.target_id},
        "details": row.details,
        "requestId": row.request_id,
    }


def execution_shape(row: Execution) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": "execution",
        "at": iso_time(row.at),
        "caller": {"kind": row.caller, "id": row.caller_id, "memberId": row.caller_member_id or None},
        "installationId": row.installation_id,
        "extension": row.extension,
        "action": row.action,
        "code": row.code,
        "reason": row.reason or None,
        "results": row.results,
        "milliseconds": row.milliseconds,
        "upstreamMilliseconds": row.upstream_milliseconds,
        "keyOrdinal": row.key_ordinal,
        "requestId": row.request_id,
    }


KINDS: dict[str, tuple[type[AuditRow] | type[Execution], Callable[[Any], dict[str, Any]]]] = {
    "audit": (AuditRow, audit_shape),
    "execution": (Execution, execution_shape),
}
