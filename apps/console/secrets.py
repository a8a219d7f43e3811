"""Secrets of a workspace that connections refer to: names are listed, values are only written."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.base import AdministratorPage, Confirmation
from apps.marketplace import selectors
from apps.marketplace.services import secrets
from apps.workspaces.errors import Problem


class Secrets(AdministratorPage):
    section = "secrets"

    def context(self) -> dict[str, Any]:
        return {**super().context(), "secrets": selectors.secrets(self.workspace.id)}

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("secrets")

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        name = request.POST.get("name", "").strip()
        try:
            created = secrets.put_secret(self.workspace.id, name, request.POST.get("value", ""), self.actor)
        except Problem as problem:
            return self.refused("secrets", problem, typed={"name": name})
        message = _("%(name)s is stored.") if created else _("%(name)s has a new value.")
        return self.done(message % {"name": name}, "secrets", self.workspace.id)


class DeleteSecret(Confirmation):
    section = "secrets"
    title = gettext_lazy("Delete a secret")
    action = gettext_lazy("Delete")

    def question(self) -> dict[str, Any]:
        name = self.kwargs["name"]
        if not selectors.secrets(self.workspace.id).filter(name=name).exists():
            raise Problem.not_found()
        return {
            "subject": name,
            "losses": [
                _("Its value is destroyed."),
                _("Every connection that refers to %(reference)s stops working at once.")
                % {"reference": f"${{vault://local/{name}}}"},
            ],
            "back": reverse("console:secrets", args=[self.workspace.id]),
        }

    def post(self, request: HttpRequest, workspace_id: str, name: str) -> HttpResponse:
        try:
            secrets.delete_secret(self.workspace.id, name, self.actor)
        except Problem as problem:
            return self.not_done(problem, "secrets", self.workspace.id)
        return self.done(_("%(name)s is deleted.") % {"name": name}, "secrets", self.workspace.id)
