"""What serving processes tell each other about their calls in flight.

A process that died takes nothing back, so what is older than a few seconds is not believed, and soon removed.
"""

import os
import socket
import uuid
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from apps.activity.models import CallsInFlight

BELIEVED = timedelta(seconds=5)
KEPT = timedelta(minutes=1)

_names: dict[int, str] = {}


def process_name() -> str:
    """Of this process, among all that ever use the database. A forked child has its own."""
    pid = os.getpid()
    if pid not in _names:
        _names.clear()
        _names[pid] = f"{socket.gethostname()[:20]}:{pid}:{uuid.uuid4().hex}"[:64]
    return _names[pid]


def tell(calls: Mapping[str, int]) -> None:
    """Replace what this process told before. ``calls`` are above 0, by workspace."""
    now = timezone.now()
    mine = CallsInFlight.objects.filter(process=process_name())
    rows = [
        CallsInFlight(process=process_name(), workspace_id=workspace_id, calls=count, at=now)
        for workspace_id, count in sorted(calls.items())
    ]
    with transaction.atomic():
        mine.exclude(workspace_id__in=calls).delete()
        CallsInFlight.objects.filter(at__lt=now - KEPT).delete()
        CallsInFlight.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["process", "workspace_id"], update_fields=["calls", "at"]
        )


def of_other_processes(workspaces: Collection[str]) -> dict[str, int]:
    """The others' calls in flight for each of these workspaces, as far as they told of any."""
    told = (
        CallsInFlight.objects.exclude(process=process_name())
        .filter(workspace_id__in=list(workspaces), at__gte=timezone.now() - BELIEVED)
        .values_list("workspace_id")
        .annotate(total=Sum("calls"))
    )
    return dict(told)
