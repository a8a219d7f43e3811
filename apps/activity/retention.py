"""How long activity is kept, and what nobody needs any more."""

from datetime import datetime
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from apps.activity.limits import ended_counters
from apps.activity.models import AuditRow, Execution

# Small enough that a batch holds SQLite's write lock, or PostgreSQL's row locks, for some milliseconds only.
BATCH = 1000


def prune(before: datetime) -> dict[str, int]:
    """Delete what happened before that moment, and what has ended by now. How many of each were deleted.

    Safe while serving: nothing that a request may still count on is deleted. ``before`` is at least a day ago, longer
    than any lock of a sign-in.
    """
    now = timezone.now()
    sign_ins = [AccessAttempt, AccessFailureLog, AccessLog]
    return {
        "executions": _delete(Execution.objects.filter(at__lt=before).order_by("at")),
        "audit rows": _delete(AuditRow.objects.filter(at__lt=before).order_by("at")),
        "sign-in records": sum(_delete(table.objects.filter(attempt_time__lt=before).order_by()) for table in sign_ins),
        "expired sessions": _delete(Session.objects.filter(expire_date__lt=now).order_by("expire_date")),
        "ended counters": _delete(ended_counters(now.timestamp())),
    }


def _delete(old: "QuerySet[Any]") -> int:
    deleted = 0
    while ids := list(old.values_list("pk", flat=True)[:BATCH]):
        # Asked again in the statement that deletes: a row may have come to life since.
        _, by_model = old.filter(pk__in=ids).delete()
        deleted += by_model.get(old.model._meta.label, 0)
    return deleted
