"""The playground: one query on one named engine, or on several side by side."""

import time
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.console.base import AdministratorPage
from apps.console.cards import Card, card
from apps.console.wording import DROPS, Advice, advice
from apps.marketplace import selectors
from apps.marketplace.selectors import ListedApp, State
from apps.workspaces.errors import Problem
from extensions.administrator import search_as_administrator
from extensions.registry import builtin_of
from searchengines.contract import SearchAnswer, SearchQuery
from searchengines.errors import SearchFailure

SIDE_BY_SIDE = 4
LIMITS = (3, 5, 10)


@dataclass(frozen=True, slots=True)
class Shown:
    """What one engine gave: an answer, or a failure in words. ``dropped`` pairs words with a count."""

    card: Card
    seconds: float = 0.0
    answer: SearchAnswer | None = None
    advice: Advice | None = None
    dropped: tuple[tuple[str | Promise, int], ...] = ()


class PlaygroundBase(AdministratorPage):
    section = "playground"

    def engines(self) -> list[ListedApp]:
        """Connected engines."""
        listed = selectors.listed_apps(self.workspace.id)
        return [item for item in listed if item.engine and item.state in (State.CONNECTED, State.ATTENTION)]

    def query(self) -> SearchQuery:
        """What was typed, as an agent's input would be taken. Raises `Problem` invalid_input."""
        limit = self.request.POST.get("limit", "")
        text: dict[str, Any] = {"query": self.request.POST.get("query", "")}
        if limit.isascii() and limit.isdigit():
            text["limit"] = int(limit[:4])
        for listed in self.engines():
            builtin = builtin_of(listed.app.id, listed.app.slug)
            action = builtin.definition.action("search") if builtin is not None else None
            if action is not None:
                given = action.validate(text)
                return SearchQuery(given["query"], limit=given.get("limit", LIMITS[1]))
        raise Problem.conflict(_("No engine is connected."))

    def ask(self, listed: ListedApp, query: SearchQuery) -> Shown:
        assert listed.installation is not None
        shown = card(self.workspace.id, listed, self.manages)
        started = time.monotonic()
        try:
            answer = search_as_administrator(self.workspace.id, listed.installation.id, query, self.actor)
        except SearchFailure as failure:
            reason = failure.reason.value if failure.reason is not None else ""
            return Shown(shown, time.monotonic() - started, advice=advice(failure.code.value, reason))
        except Problem as problem:
            return Shown(shown, time.monotonic() - started, advice=advice(problem.code))
        dropped = tuple((DROPS[reason], count) for reason, count in answer.dropped.items() if count)
        return Shown(shown, time.monotonic() - started, answer, dropped=dropped)


class Playground(PlaygroundBase):
    """POST asks the chosen engines. Where scripts run each is asked on its own, all at the same time."""

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("playground", engines=self.cards(), limits=LIMITS, typed={"limit": LIMITS[1]})

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        names = request.POST.getlist("engines")
        engines = self.engines()
        typed = {"query": request.POST.get("query", ""), "limit": request.POST.get("limit", ""), "engines": names}
        shown: dict[str, Any] = {"engines": self.cards(), "limits": LIMITS, "typed": typed}
        try:
            query = self.query()
            chosen = [item for item in engines if item.app.slug in names]
            if not 1 <= len(chosen) <= SIDE_BY_SIDE:
                raise Problem.invalid({"engines": _("Choose one to %d engines.") % SIDE_BY_SIDE})
        except Problem as problem:
            return self.refused("playground", problem, **shown)
        if request.headers.get("HX-Request"):
            waiting = [card(self.workspace.id, item, self.manages) for item in chosen]
            return self.page("playground_panels", waiting=waiting, typed=typed)
        return self.page("playground", results=[self.ask(item, query) for item in chosen], **shown)

    def cards(self) -> list[Card]:
        return [card(self.workspace.id, item, self.manages) for item in self.engines()]


class PlaygroundRun(PlaygroundBase):
    """One engine's part of the page."""

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        listed = next((item for item in self.engines() if item.app.slug == slug), None)
        if listed is None:
            raise Problem.not_found()
        result = self.ask(listed, self.query())
        return render(request, "console/playground_result.html", {"result": result})
