"""Where a person starts."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from apps.console.base import Page
from apps.workspaces import selectors


class Home(Page):
    """Leads to the person's first workspace; somebody without one is told what to do."""

    def get(self, request: HttpRequest) -> HttpResponse:
        first = selectors.memberships_of(self.person).order_by("created_at", "id").first()
        if first is None:
            return self.page("no_workspace")
        return HttpResponseRedirect(reverse("console:marketplace", args=[first.workspace_id]))
