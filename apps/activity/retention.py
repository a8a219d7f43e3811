"""How long activity is kept."""

from datetime import datetime

from apps.activity.models import AuditRow, Execution

# Small enough that a batch holds SQLite's write lock, or PostgreSQL's row locks, for some milliseconds only.
BATCH = 1000


def prune(before: datetime) -> dict[str, int]:
    """Delete what happened before that moment, safe while serving. How many of each were deleted."""
    return {"executions": _delete(Execution, before), "audit rows": _delete(AuditRow, before)}


def _delete(model: type[Execution] | type[AuditRow], before: datetime) -> int:
    deleted = 0
    old = model._default_manager.filter(at__lt=before).order_by("at")
    while ids := list(old.values_list("pk", flat=True)[:BATCH]):
        model._default_manager.filter(pk__in=ids).delete()
        deleted += len(ids)
    return deleted
