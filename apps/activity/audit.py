"""Writes an audit row in the transaction of the change it tells of."""

from collections.abc import Mapping
from typing import Any

import structlog

from apps.activity.models import AuditRow
from apps.workspaces.audit import Actor


def write_audit_row(
    workspace_id: str | None,
    actor: Actor,
    action: str,
    target_kind: str,
    target_id: str,
    details: Mapping[str, Any] | None,
) -> None:
    AuditRow.objects.create(
        workspace_id=workspace_id or "",
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_member_id=actor.member_id or "",
        actor_label=actor.label[:200],
        action=action,
        target_kind=target_kind,
        target_id=target_id,
        details=dict(details or {}),
        request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
    )
