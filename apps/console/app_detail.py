"""What an App is, its options, its Extension, its agents, what happened, and uninstalling it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.activity import figures
from apps.console import agent_access, connection
from apps.console.app_page import AppPage, InstalledAppPage
from apps.console.base import Confirmation
from apps.console.declared_form import option_body, option_fields
from apps.marketplace import selectors
from apps.marketplace.api.apps import EXTENSION_BODY
from apps.marketplace.services import installations, options, selections
from apps.workspaces.errors import Problem

RECENT = 20


class AppOverview(AppPage):
    """An administrator of an installed App sees its connection; everybody else what the App is."""

    tab = "connection"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        installation, engine = self.listed.installation, self.listed.engine
        if installation is not None and engine is not None and self.manages:
            shown = connection.form_context(engine, installation)
            return self.page("app/connection", **shown, outcome=connection.last_outcome(installation))
        pending = selectors.pending_requests(self.workspace.id).filter(app=self.listed.app)
        return self.page("app/overview", mine=pending.filter(requested_by=self.membership).first())


class AppOptions(InstalledAppPage):
    tab = "options"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        stored: dict[str, Any] = selectors.options_of(self.installation)
        return self.page("app/options", fields=option_fields(self.engine, stored, {}))

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        typed = option_body(self.engine, request.POST)
        try:
            options.save_options(self.workspace.id, self.installation.id, typed, self.actor)
        except Problem as problem:
            fields = option_fields(self.engine, typed, problem.fields or {})
            return self.refused("app/options", problem, fields=fields)
        return self.done(_("The options are saved."), "app-options", *self.place)


class AppExtension(InstalledAppPage):
    tab = "extension"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        return self.page("app/extension")

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        body = {"enabled": request.POST.get("enabled") == "true", "agentAccess": request.POST.get("agentAccess")}
        try:
            values = EXTENSION_BODY.clean(body)
            selections.change_selection(
                self.workspace.id,
                self.installation.id,
                self.actor,
                enabled=values["enabled"],
                agent_access=values["agentAccess"],
            )
        except Problem as problem:
            return self.not_done(problem, "app-extension", *self.place)
        return self.done(_("The Extension is saved."), "app-extension", *self.place)


class AppAgents(InstalledAppPage):
    """Which agents may use the Extension, and why not."""

    tab = "agents"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        rows = agent_access.of_extension(self.selection) if self.selection is not None else []
        return self.page("app/agents", rows=rows)

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        if self.selection is None:
            raise Problem.not_found()
        rule, agent_id = request.POST.get("rule", ""), request.POST.get("agent", "")
        try:
            agent_access.set_rule(self.workspace.id, agent_id, self.selection.name, rule, self.actor)
        except Problem as problem:
            return self.not_done(problem, "app-agents", *self.place)
        return self.done(_("The agent's rule is saved."), "app-agents", *self.place)


class AppActivity(InstalledAppPage):
    tab = "activity"

    def get(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        recent = figures.recent_executions(self.workspace.id, self.installation.id, RECENT)
        return self.page("app/activity", recent=recent)


class Uninstall(AppPage, Confirmation):
    title = gettext_lazy("Uninstall")
    action = gettext_lazy("Uninstall")

    def question(self) -> dict[str, Any]:
        installation, engine = self.listed.installation, self.listed.engine
        if installation is None:
            raise Problem.not_found()
        question = {"subject": self.listed.app.display_name, "back": reverse("console:app", args=self.place)}
        if engine is None:
            return {**question, "losses": [_("The App leaves this workspace; its entry in the marketplace stays.")]}
        losses = [
            _("The connection and its stored key are destroyed."),
            _("The options, and the rules of single agents for it, end."),
        ]
        name = self.selection.name if self.selection is not None else self.listed.app.slug
        return {**question, "losses": losses, "agents": agent_access.users_of(self.workspace.id, name)}

    def post(self, request: HttpRequest, workspace_id: str, slug: str) -> HttpResponse:
        if self.listed.installation is not None:
            installations.uninstall(self.workspace.id, self.listed.installation.id, self.actor)
        name = self.listed.app.display_name
        return self.done(_("%(app)s is uninstalled.") % {"app": name}, "app", *self.place)
