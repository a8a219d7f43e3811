"""Activity: figures, calls, the audit list, and calls as CSV."""

import csv
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request

from apps.activity import figures
from apps.activity.figures import Filters, Period
from apps.console.base import AdministratorPage
from apps.marketplace import selectors as marketplace
from apps.marketplace.selectors import State
from apps.workspaces import selectors
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.shapes import iso_time

DEFAULT_PERIOD = "7d"
OUTCOMES = ("ok", "failed", "rate_limited", "provider_auth_unavailable", "upstream_failure")
COLUMNS = (
    "at",
    "caller",
    "caller_id",
    "caller_name",
    "extension",
    "action",
    "code",
    "reason",
    "results",
    "milliseconds",
    "upstream_milliseconds",
    "key_ordinal",
    "request_id",
)
# A spreadsheet takes a cell that begins like this for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


class ActivityBase(AdministratorPage):
    """What the page and the export share: the filters of the address."""

    section = "activity"

    def filters(self) -> tuple[Filters, Period]:
        """Narrowed by agent, engine, outcome and period; a value that is no choice does not narrow."""
        wanted = self.request.GET
        period = figures.PERIODS.get(wanted.get("period", ""), figures.PERIODS[DEFAULT_PERIOD])
        outcome = wanted.get("outcome", "")
        chosen = Filters(
            since=timezone.now() - period.length,
            caller=wanted.get("agent", "").replace("\0", ""),
            extension=wanted.get("engine", "").replace("\0", ""),
            outcome=outcome if outcome in OUTCOMES else "",
        )
        return chosen, period

    def caller_names(self) -> dict[str, str]:
        """Names by id of agents, service tokens and people."""
        names = dict(selectors.agents(self.workspace.id).values_list("id", "name"))
        names |= dict(selectors.service_tokens(self.workspace.id).values_list("id", "name"))
        people = selectors.members(self.workspace.id).filter(user__isnull=False)
        return names | dict(people.values_list("user_id", "user__email"))


class Activity(ActivityBase):
    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        if request.GET.get("show") == "audit":
            return self.page("audit", **_listed(figures.audit_rows(self.workspace.id), request))
        filters, period = self.filters()
        rows = figures.executions(self.workspace.id, filters)
        listed = _listed(rows, request)
        names = self.caller_names()
        for row in listed["rows"]:
            row.caller_name = names.get(row.caller_id, "")
        engines = figures.by_engine(rows)
        slots = figures.calls_over_time(rows, period)
        calls, errors = sum(item.calls for item in engines), sum(item.errors for item in engines)
        return self.page(
            "activity",
            **listed,
            engines=engines,
            slots=slots,
            calls=calls,
            errors=errors,
            chart=_chart(slots, engines, period),
            chosen=self.chosen(),
            agents=selectors.agents(self.workspace.id).order_by("name"),
            called=figures.extensions_called(self.workspace.id),
            outcomes=OUTCOMES,
            first=None if calls else self.first_engine(),
            query=self.query(),
        )

    def chosen(self) -> dict[str, str]:
        wanted = {name: self.request.GET.get(name, "") for name in ("agent", "engine", "outcome", "period")}
        if wanted["period"] not in figures.PERIODS:
            wanted["period"] = DEFAULT_PERIOD
        return wanted

    def query(self) -> str:
        """The address's filters, for the links to the next page and to the export."""
        kept = self.request.GET.copy()
        kept.pop("cursor", None)
        return kept.urlencode()

    def first_engine(self) -> str | None:
        """The name of an Extension that a first call could go to."""
        for listed in marketplace.listed_apps(self.workspace.id):
            if listed.installation is not None and listed.state in (State.CONNECTED, State.ATTENTION):
                selection = marketplace.selection_of(listed.installation)
                return selection.name if selection is not None else None
        return None


class ActivityExport(ActivityBase):
    """The calls that the filters leave, as CSV, newest first."""

    def get(self, request: HttpRequest, workspace_id: str) -> StreamingHttpResponse:
        filters, _period = self.filters()
        rows = figures.executions(self.workspace.id, filters)
        lines = _lines(rows, self.caller_names())
        response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = 'attachment; filename="activity.csv"'
        return response


def _listed(rows: "QuerySet[Any]", request: HttpRequest) -> dict[str, Any]:
    """One page of rows, as the API pages them: ``rows``, and ``next``, the cursor of what is older."""
    page = paginate(rows, Request(request), lambda row: {"row": row}, time_field="at", newest_first=True)
    return {"rows": [item["row"] for item in page["items"]], "next": page["next"]}


def _chart(slots: list[figures.Slot], engines: list[figures.EngineFigures], period: Period) -> dict[str, Any]:
    form = "%H:00" if period.digits == figures.HOUR else "%d %b"
    return {
        "slots": [{"label": slot.start.strftime(form), "calls": slot.calls, "errors": slot.errors} for slot in slots],
        "engines": [{"extension": item.extension, "p50": item.p50, "p95": item.p95} for item in engines],
        "words": {
            "answered": _("Answered"),
            "failed": _("Failed"),
            "calls": _("Calls"),
            "milliseconds": _("Milliseconds"),
        },
    }


class _Echo:
    """A file whose lines are handed on instead of kept."""

    def write(self, value: str) -> str:
        return value


def _lines(rows: Any, names: dict[str, str]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for row in figures.exported(rows):
        values = {name: getattr(row, name, "") for name in COLUMNS}
        values |= {"at": iso_time(row.at), "caller_name": names.get(row.caller_id, "")}
        yield writer.writerow([cell(values[name]) for name in COLUMNS])


def cell(value: object) -> str:
    """A value as a spreadsheet takes it for text, never for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
