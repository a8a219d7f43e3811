"""Audit rows and executions of a workspace (contract section 4)."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.activity.models import AuditRow, Execution
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.shapes import iso_time
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.roles import Role

KINDS = ("executions", "audit")


class ActivityView(WorkspaceView):
    """Newest first; `?kind=executions` (default) or `audit`."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        kind = request.query_params.get("kind", KINDS[0])
        if kind not in KINDS:
            raise Problem.invalid({"kind": f"One of: {', '.join(KINDS)}."})
        if kind == "audit":
            audited = AuditRow.objects.filter(workspace_id=self.workspace.id)
            return Response(paginate(audited, request, audit_shape, time_field="at", newest_first=True))
        executed = Execution.objects.filter(workspace_id=self.workspace.id)
        return Response(paginate(executed, request, execution_shape, time_field="at", newest_first=True))


def audit_shape(row: AuditRow) -> dict[str, Any]:
    return {
        "id": row.id,
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
