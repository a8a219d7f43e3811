"""Figures of a workspace's calls: for charts, tables, lists and CSV. Each is one query over an index.

Times are in UTC, durations in milliseconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, F, Q, QuerySet, Window
from django.db.models.functions import Cast, RowNumber, Substr
from django.utils import timezone

from apps.activity.models import AuditRow, Execution

# How many characters of "2026-12-01 15:04:05" name the hour, and the day.
HOUR, DAY = 13, 10
EXPORTED_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Period:
    """The last ``length``; ``digits`` is how much of a moment names its slot in a chart (`HOUR` or `DAY`)."""

    length: timedelta
    digits: int

    @property
    def slot(self) -> timedelta:
        return timedelta(hours=1) if self.digits == HOUR else timedelta(days=1)


PERIODS = {
    "24h": Period(timedelta(hours=24), HOUR),
    "7d": Period(timedelta(days=7), DAY),
    "30d": Period(timedelta(days=30), DAY),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What is looked at; an empty member does not narrow. ``outcome``: "ok", "failed" or an error code."""

    since: datetime | None = None
    caller: str = ""
    extension: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """The calls of one hour or day."""

    start: datetime
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """The calls of one Extension. Percentiles are by nearest rank, over all calls, failed ones too."""

    extension: str
    calls: int
    errors: int
    p50: float
    p95: float


def executions(workspace_id: str, filters: Filters) -> "QuerySet[Execution]":
    rows = Execution.objects.filter(workspace_id=workspace_id)
    if filters.since is not None:
        rows = rows.filter(at__gte=filters.since)
    if filters.caller:
        rows = rows.filter(caller_id=filters.caller)
    if filters.extension:
        rows = rows.filter(extension=filters.extension)
    if filters.outcome == "failed":
        return rows.exclude(code="ok")
    return rows.filter(code=filters.outcome) if filters.outcome else rows


def audit_rows(workspace_id: str) -> "QuerySet[AuditRow]":
    return AuditRow.objects.filter(workspace_id=workspace_id)


def recent_executions(workspace_id: str, installation_id: str, count: int) -> list[Execution]:
    """The newest calls of one installation."""
    rows = Execution.objects.filter(installation_id=installation_id, workspace_id=workspace_id)
    return list(rows.order_by("-at")[:count])


def calls_over_time(rows: "QuerySet[Execution]", period: Period, now: datetime | None = None) -> list[Slot]:
    """Every slot of the period up to now, also those without calls."""
    until = now or timezone.now()
    # The text of a moment begins alike in every database; truncating functions cost a call a row in SQLite.
    grouped = (
        rows.order_by()
        .annotate(slot=Substr(Cast("at", CharField()), 1, period.digits))
        .values("slot")
        .annotate(calls=Count("pk"), errors=Count("pk", filter=~Q(code="ok")))
    )
    found = {row["slot"]: (row["calls"], row["errors"]) for row in grouped}
    start = _floor(until - period.length + period.slot, period)
    slots = []
    while start <= until:
        calls, errors = found.get(str(start)[: period.digits], (0, 0))
        slots.append(Slot(start, calls, errors))
        start += period.slot
    return slots


def by_engine(rows: "QuerySet[Execution]") -> list[EngineFigures]:
    """One entry an Extension, the busiest first."""
    partition: dict[str, Any] = {"partition_by": F("extension")}
    ranked = rows.order_by().annotate(
        calls=Window(Count("pk"), **partition),
        errors=Window(Count("pk", filter=~Q(code="ok")), **partition),
        place=Window(RowNumber(), order_by=[F("milliseconds"), F("pk")], **partition),
    )
    half, most = _nearest_rank(50), _nearest_rank(95)
    at_ranks = ranked.filter(Q(place=half) | Q(place=most)).values("extension", "calls", "errors", "milliseconds")
    figures: dict[str, EngineFigures] = {}
    for row in at_ranks:
        name, value = row["extension"], row["milliseconds"]
        known = figures.get(name)
        low, high = (value, value) if known is None else (min(known.p50, value), max(known.p95, value))
        figures[name] = EngineFigures(name, row["calls"], row["errors"], low, high)
    return sorted(figures.values(), key=lambda item: (-item.calls, item.extension))


def extensions_called(workspace_id: str) -> list[str]:
    """The names that calls of the workspace were made under, sorted."""
    rows = Execution.objects.filter(workspace_id=workspace_id).order_by("extension")
    return list(rows.values_list("extension", flat=True).distinct())


def exported(rows: "QuerySet[Execution]") -> Iterator[Execution]:
    """Newest first, read in pieces."""
    return rows.order_by("-at", "-id").iterator(chunk_size=EXPORTED_AT_ONCE)


def _nearest_rank(percent: int) -> Any:
    """The rank of a percentile among `calls` values: the ceiling of their share, in whole numbers."""
    return (F("calls") * percent + 99) / 100


def _floor(moment: datetime, period: Period) -> datetime:
    floor = moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return floor if period.digits == HOUR else floor.replace(hour=0)
