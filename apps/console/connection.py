"""The connection form of an installed App, its test, and disconnecting."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console import agent_access
from apps.console.app_page import InstalledAppPage
from apps.console.base import Confirmation
from apps.console.declared_form import CONFIG, connection_body, connection_fields
from apps.console.wording import Advice, advice
from apps.marketplace import selectors
from apps.marketplace.models import Installation
from apps.marketplace.services import connections
from apps.workspaces.errors import Problem
from extensions import administrator
from searchengines.contract import Engine


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """How a test ended: without ``advice`` it passed.

    ``seconds`` is known right after the test, ``at`` when it was an earlier one. ``retry_after`` is in seconds.
    """

    advice: Advice | None
    seconds: float | None = None
    retry_after: int | None = None
    at: datetime | None = None


def form_context(
    engine: Engine, installation: Installation, typed: Mapping[str, str] | None = None, problem: Problem | None = None
) -> dict[str, Any]:
    """The fields with stored values, or with what was typed and refused."""
    connection = selectors.connection_of(installation)
    stored = dict(connection.config) if connection is not None else {}
    credentials = connection.credentials.all() if connection is not None else ()
    errors = (problem.fields or {}) if problem is not None else {}
    return {
        "fields": connection_fields(
            engine,
            installation.workspace_id,
            stored if typed is None else typed,
            frozenset(item.field for item in credentials),
            errors,
        ),
    }


def last_outcome(installation: Installation) -> TestOutcome | None:
    """The stored outcome of the last test of what is connected now."""
    if installation.last_test_at is None:
        return None
    code, at = installation.last_test_code, installation.last_test_at
    if code == "ok":
        return TestOutcome(None, at=at)
    return TestOutcome(advice(code, installation.last_test_reason, _config(installation)), at=at)


class SaveConnection(InstalledAppPage):
    tab = "connection"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        return HttpResponseRedirect(reverse("console:app", args=self.place))

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        body = connection_body(self.engine, request.POST)
        try:
            connections.save_connection(self.workspace.id, self.installation.id, body, self.actor)
        except Problem as problem:
            typed = {item.name: request.POST.get(f"{CONFIG}.{item.name}", "") for item in self.engine.config_fields}
            context = form_context(self.engine, self.installation, typed, problem)
            return self.refused("app/connection", problem, **context, outcome=None)
        return self.done(_("The connection is saved. Test it now."), "app", *self.place)


class TestConnection(InstalledAppPage):
    """Tests what is saved: for a part of the page where scripts run, else as a page of its own."""

    tab = "connection"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        return HttpResponseRedirect(reverse("console:app", args=self.place))

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        outcome = self.tested()
        if request.headers.get("HX-Request"):
            return render(request, "console/app/test_outcome.html", {"outcome": outcome})
        return self.page("app/connection", **form_context(self.engine, self.installation), outcome=outcome)

    def tested(self) -> TestOutcome:
        started = time.monotonic()
        try:
            administrator.test_connection(self.workspace.id, self.installation.id, self.actor)
        except Problem as problem:
            words = advice(problem.code, problem.reason or "", _config(self.installation))
            return TestOutcome(words, time.monotonic() - started, problem.retry_after)
        return TestOutcome(None, time.monotonic() - started)


class Disconnect(InstalledAppPage, Confirmation):
    title = gettext_lazy("Disconnect")
    action = gettext_lazy("Disconnect")

    def question(self) -> dict[str, Any]:
        name = self.selection.name if self.selection is not None else self.listed.app.slug
        losses = [_("The stored connection and its key are destroyed; you would have to enter them again.")]
        return {
            "subject": self.listed.app.display_name,
            "losses": losses,
            "agents": agent_access.users_of(self.workspace.id, name),
            "keeps": _("The options, the Extension and who may use it stay as they are."),
            "back": reverse("console:app", args=self.place),
        }

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        connections.disconnect(self.workspace.id, self.installation.id, self.actor)
        name = self.listed.app.display_name
        return self.done(_("%(app)s is disconnected.") % {"app": name}, "app", *self.place)


def _config(installation: Installation) -> Mapping[str, object]:
    connection = selectors.connection_of(installation)
    return connection.config if connection is not None else {}
