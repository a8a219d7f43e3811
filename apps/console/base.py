"""Base views of the pages: who asks, in which workspace and with which role is settled before a handler runs."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.views import View
from django_htmx.http import HttpResponseClientRedirect, reselect, reswap, retarget

from apps.console.error_pages import problem_page
from apps.console.wording import problem_words
from apps.workspaces import selectors
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Membership, User, Workspace
from apps.workspaces.roles import Role, at_least

READING = frozenset({"GET", "HEAD"})


class Page(View):
    """For a person who is signed in. A `Problem` is shown as a page in words; nothing is cached."""

    http_method_names = ["get", "post", "head"]
    section: ClassVar[str] = ""
    person: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return self.sign_in_first(request)
        self.person = request.user
        try:
            self.prepare(request, **kwargs)
            response = super().dispatch(request, *args, **kwargs)
        except Problem as problem:
            response = problem_page(request, problem)
        except (OperationalError, InterfaceError):
            response = problem_page(request, Problem("unavailable"))
        response.headers["Cache-Control"] = "no-store"
        return response

    def sign_in_first(self, request: HttpRequest) -> HttpResponseBase:
        if request.headers.get("HX-Request"):
            # A part of a page cannot show the sign-in page.
            return HttpResponseClientRedirect(resolve_url("console:sign-in"))
        return redirect_to_login(request.get_full_path() if request.method in READING else reverse("console:home"))

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        """Settle what the handlers rely on. Raises `Problem`."""
        # PostgreSQL refuses NUL in text, so nothing is known by such a name.
        if any("\0" in value for value in kwargs.values()):
            raise Problem.not_found()

    @property
    def actor(self) -> Actor:
        return Actor.person(self.person)

    def context(self) -> dict[str, Any]:
        """What every page of this kind shows."""
        return {"section": self.section, "memberships": selectors.memberships_of(self.person).order_by("created_at")}

    def page(self, template: str, status: int = HTTPStatus.OK, **context: Any) -> HttpResponse:
        return render(self.request, f"console/{template}.html", {**self.context(), **context}, status=status)

    def refused(self, template: str, problem: Problem, **context: Any) -> HttpResponse:
        """The form again, with what is wrong in words; what was typed goes into `context`."""
        fields = problem.fields or {}
        response = self.page(template, problem.status, problem=problem_words(problem), errors=fields, **context)
        if self.request.headers.get("HX-Request"):
            # Asked for as a part of the page, but what is wrong may be shown anywhere on it.
            retarget(response, "#main")
            reselect(response, "#main")
            reswap(response, "outerHTML")
        return response

    def done(self, message: str, to: str, *args: str) -> HttpResponseRedirect:
        messages.success(self.request, message)
        return HttpResponseRedirect(reverse(f"console:{to}", args=args))

    def not_done(self, problem: Problem, to: str, *args: str) -> HttpResponseRedirect:
        messages.error(self.request, str(problem_words(problem)))
        return HttpResponseRedirect(reverse(f"console:{to}", args=args))


class WorkspacePage(Page):
    """Inside the workspace of the path. One the person is no member of looks like one that does not exist.

    ``minimum_role`` is what reading takes; ``write_role``, where given, what other methods take.
    """

    minimum_role: ClassVar[Role] = Role.MEMBER
    write_role: ClassVar[Role | None] = None
    membership: Membership
    workspace: Workspace

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        self.membership = selectors.membership_in(self.person, kwargs["workspace_id"])
        self.workspace = self.membership.workspace
        needed = self.minimum_role if request.method in READING else self.write_role or self.minimum_role
        if not at_least(self.membership.role, needed):
            raise Problem.permission_denied("Only an owner or an administrator of this workspace may do this.")

    @property
    def actor(self) -> Actor:
        return Actor.person(self.person, self.membership)

    @property
    def manages(self) -> bool:
        return at_least(self.membership.role, Role.ADMIN)

    def context(self) -> dict[str, Any]:
        return {
            **super().context(),
            "workspace": self.workspace,
            "membership": self.membership,
            "manages": self.manages,
        }


class AdministratorPage(WorkspacePage):
    """For owners and administrators."""

    minimum_role = Role.ADMIN


class Confirmation(AdministratorPage):
    """Asks once before something is taken away, and names it; POST does it."""

    title: ClassVar[Any]
    action: ClassVar[Any]

    def question(self) -> Mapping[str, Any]:
        """``subject``, ``losses`` (lines of text) and ``back`` (a URL). Raises `Problem`."""
        raise NotImplementedError

    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        return self.page("confirm", title=self.title, action=self.action, **self.question())
