"""Agents with their tokens, what each may use and why not; tokens of services."""

from typing import Any

from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console import agent_access, once
from apps.console.base import AdministratorPage, Confirmation
from apps.console.expiry import EXPIRIES, expires_at
from apps.marketplace.models import ExtensionSelection
from apps.workspaces import selectors
from apps.workspaces.api.agents import AGENT_BODY, SERVICE_TOKEN_BODY
from apps.workspaces.api.people import TOKEN_BODY
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent
from apps.workspaces.services import agents, tokens


class Agents(AdministratorPage):
    section = "agents"

    def context(self) -> dict[str, Any]:
        rows = selectors.agents(self.workspace.id).order_by("name")
        counted = rows.annotate(
            living=Count("tokens", filter=Q(tokens__revoked_at=None)), used_at=Max("tokens__last_used_at")
        )
        return {**super().context(), "agents": counted}

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("agents")

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        name = request.POST.get("name", "")
        try:
            agent = agents.create_agent(self.workspace.id, self.actor, AGENT_BODY.clean({"name": name})["name"])
        except Problem as problem:
            return self.refused("agents", problem, typed={"name": name})
        message = _("%(agent)s is created. Give it a token now.") % {"agent": agent.name}
        return self.done(message, "agent", self.workspace.id, agent.id)


class AgentPage(AdministratorPage):
    """A page of the agent of the path's id."""

    section = "agents"
    agent: Agent

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        self.agent = selectors.agent(self.workspace.id, kwargs["agent_id"])

    @property
    def place(self) -> tuple[str, str]:
        return (self.workspace.id, self.agent.id)

    def context(self) -> dict[str, Any]:
        return {
            **super().context(),
            "agent": self.agent,
            "tokens": selectors.agent_tokens(self.agent).order_by("-created_at"),
            "rows": agent_access.of_agent(self.agent),
            "expiries": EXPIRIES,
            "once": once.new_number(),
        }


class AgentDetail(AgentPage):
    """Tokens and Extensions; POST sets the agent's rule for one Extension."""

    def get(self, request: HttpRequest, workspace_id: str, agent_id: str) -> HttpResponse:
        return self.page("agent")

    def post(self, request: HttpRequest, workspace_id: str, agent_id: str) -> HttpResponse:
        name, rule = request.POST.get("extension", ""), request.POST.get("rule", "")
        try:
            agent_access.set_rule(self.workspace.id, self.agent.id, name, rule, self.actor)
        except Problem as problem:
            return self.not_done(problem, "agent", *self.place)
        return self.done(_("The agent's rule is saved."), "agent", *self.place)


class AgentTokens(AgentPage):
    """Issues a token and shows it, this once."""

    def get(self, request: HttpRequest, workspace_id: str, agent_id: str) -> HttpResponse:
        return HttpResponseRedirect(reverse("console:agent", args=self.place))

    def post(self, request: HttpRequest, workspace_id: str, agent_id: str) -> HttpResponse:
        try:
            once.require_first(self.person, request.POST.get("once", ""))
            name = TOKEN_BODY.clean({"name": request.POST.get("name", "")})["name"]
            issued = tokens.issue_agent_token(
                self.workspace.id,
                self.actor,
                self.agent.id,
                name=name,
                expires_at=expires_at(request.POST.get("expires", "")),
            )
        except Problem as problem:
            return self.refused("agent", problem)
        return self.page("agent", issued=issued)


class RevokeAgentToken(AgentPage, Confirmation):
    title = gettext_lazy("Revoke a token")
    action = gettext_lazy("Revoke")

    def question(self) -> dict[str, Any]:
        token = selectors.agent_tokens(self.agent).filter(pk=self.kwargs["token_id"]).first()
        if token is None:
            raise Problem.not_found()
        return {
            "subject": token.name or token.id,
            "losses": [_("Whoever calls with this token is refused at once. It cannot be brought back.")],
            "agents": [self.agent.name],
            "back": reverse("console:agent", args=self.place),
        }

    def post(self, request: HttpRequest, workspace_id: str, agent_id: str, token_id: str) -> HttpResponse:
        try:
            tokens.revoke_agent_token(self.workspace.id, self.actor, self.agent.id, token_id)
        except Problem as problem:
            return self.not_done(problem, "agent", *self.place)
        return self.done(_("The token is revoked."), "agent", *self.place)


class DeleteAgent(AgentPage, Confirmation):
    title = gettext_lazy("Delete an agent")
    action = gettext_lazy("Delete")

    def question(self) -> dict[str, Any]:
        return {
            "subject": self.agent.name,
            "losses": [_("The agent, its tokens and its own rules are deleted; its tokens end at once.")],
            "keeps": _("What it did stays in the activity."),
            "back": reverse("console:agent", args=self.place),
            "agents": [],
        }

    def post(self, request: HttpRequest, workspace_id: str, agent_id: str) -> HttpResponse:
        agents.delete_agent(self.workspace.id, self.actor, self.agent.id)
        return self.done(_("%(agent)s is deleted.") % {"agent": self.agent.name}, "agents", self.workspace.id)


class ServiceTokens(AdministratorPage):
    section = "service-tokens"

    def context(self) -> dict[str, Any]:
        rows = ExtensionSelection.objects.filter(workspace_id=self.workspace.id, active=True)
        return {
            **super().context(),
            "tokens": selectors.service_tokens(self.workspace.id).order_by("-created_at"),
            "names": rows.order_by("name").values_list("name", flat=True),
            "expiries": EXPIRIES,
            "once": once.new_number(),
        }

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("service_tokens")

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        typed = {"name": request.POST.get("name", ""), "extensions": request.POST.getlist("extensions")}
        try:
            values = SERVICE_TOKEN_BODY.clean(typed)
            once.require_first(self.person, request.POST.get("once", ""))
            issued = tokens.issue_service_token(
                self.workspace.id,
                self.actor,
                name=values["name"],
                extensions=values["extensions"],
                expires_at=expires_at(request.POST.get("expires", "")),
            )
        except Problem as problem:
            return self.refused("service_tokens", problem, typed=typed)
        return self.page("service_tokens", issued=issued)


class RevokeServiceToken(Confirmation):
    section = "service-tokens"
    title = gettext_lazy("Revoke a service token")
    action = gettext_lazy("Revoke")

    def question(self) -> dict[str, Any]:
        token = selectors.service_tokens(self.workspace.id).filter(pk=self.kwargs["token_id"]).first()
        if token is None:
            raise Problem.not_found()
        return {
            "subject": token.name or token.id,
            "losses": [_("The service that calls with it is refused at once. It cannot be brought back.")],
            "back": reverse("console:service-tokens", args=[self.workspace.id]),
        }

    def post(self, request: HttpRequest, workspace_id: str, token_id: str) -> HttpResponse:
        try:
            tokens.revoke_service_token(self.workspace.id, self.actor, token_id)
        except Problem as problem:
            return self.not_done(problem, "service-tokens", self.workspace.id)
        return self.done(_("The token is revoked."), "service-tokens", self.workspace.id)
