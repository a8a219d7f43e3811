"""The marketplace, installing from it, asking for an App, and a workspace's own Apps."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.app_page import AppPage
from apps.console.base import AdministratorPage, WorkspacePage
from apps.console.cards import INSTALLED, card, starters
from apps.console.wording import NEEDS, Words
from apps.marketplace import selectors
from apps.marketplace.api.apps import CUSTOM_APP_BODY, REQUEST_BODY
from apps.marketplace.selectors import ListedApp, State
from apps.marketplace.services import custom_apps, installations, requests
from apps.workspaces.errors import Problem


@dataclass(frozen=True, slots=True)
class Filter:
    """A link that shows some of the Apps."""

    name: str
    label: Words
    keeps: Callable[[ListedApp], bool]


def _needing(needs: str) -> Callable[[ListedApp], bool]:
    return lambda listed: listed.engine is not None and listed.needs == needs


FILTERS = (
    Filter("all", gettext_lazy("All"), lambda listed: True),
    Filter("installed", gettext_lazy("Installed"), lambda listed: listed.installation is not None),
    Filter("attention", gettext_lazy("Attention"), lambda listed: listed.state is State.ATTENTION),
    *(Filter(needs.value, label, _needing(needs.value)) for needs, label in NEEDS.items()),
)


class Marketplace(WorkspacePage):
    section = "marketplace"

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        listed = selectors.listed_apps(self.workspace.id)
        wanted = request.GET.get("show", "all")
        chosen = next((item for item in FILTERS if item.name == wanted), FILTERS[0])
        cards = [card(self.workspace.id, item, self.manages) for item in listed]
        shown = [item for item in cards if chosen.keeps(item.listed)]
        connected = sum(1 for item in listed if item.state in (State.CONNECTED, State.ATTENTION))
        nothing_yet = not any(item.state in INSTALLED for item in listed)
        return self.page(
            "marketplace",
            cards=shown,
            filters=FILTERS,
            chosen=chosen,
            connected=connected,
            starters=starters(cards) if nothing_yet and chosen is FILTERS[0] else [],
        )


class Install(AppPage, AdministratorPage):
    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        try:
            installations.install(self.workspace.id, self.listed.app.id, self.actor)
        except Problem as problem:
            # Sent twice: the first did it.
            if problem.code != "already_installed":
                return self.not_done(problem, "app", *self.place)
        name = self.listed.app.display_name
        return self.done(_("%(app)s is installed.") % {"app": name}, "app", *self.place)


class RequestApp(AppPage):
    """A member asks for an App and says why."""

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        return self.page("request_app", card=self.card)

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        reason = request.POST.get("reason", "")
        try:
            values = REQUEST_BODY.clean({"appId": self.listed.app.id, "reason": " ".join(reason.split())})
            requests.request_app(self.membership, values["appId"], values["reason"], self.actor)
        except Problem as problem:
            if problem.code == "invalid_input":
                return self.refused("request_app", problem, card=self.card, reason=reason)
            return self.not_done(problem, "app", *self.place)
        return self.done(_("Requested. An administrator will see it."), "app", *self.place)


class NewCustomApp(AdministratorPage):
    section = "marketplace"

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("custom_app")

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        typed = {name: request.POST.get(name, "") for name in ("slug", "displayName", "description")}
        try:
            values = CUSTOM_APP_BODY.clean({**typed, "description": " ".join(typed["description"].split())})
            app = custom_apps.create_custom_app(
                self.workspace.id, values["slug"], values["displayName"], values["description"], self.actor
            )
        except Problem as problem:
            return self.refused("custom_app", problem, typed=typed)
        return self.done(_("%(app)s is listed.") % {"app": app.display_name}, "app", self.workspace.id, app.slug)
