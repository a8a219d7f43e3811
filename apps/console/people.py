"""Members of a workspace, requests that wait for a decision, and a person's own account."""

from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console import once
from apps.console.base import AdministratorPage, Confirmation, Page
from apps.console.expiry import EXPIRIES, expires_at
from apps.marketplace import selectors as marketplace
from apps.marketplace.services import requests
from apps.workspaces import selectors
from apps.workspaces.api.people import MEMBER_BODY, ROLE_BODY, TOKEN_BODY
from apps.workspaces.errors import Problem
from apps.workspaces.roles import PERSON_ROLES, MemberKind, Role, at_least
from apps.workspaces.services import members, tokens


class Members(AdministratorPage):
    """People with their roles, and requests; POST adds a person."""

    section = "members"

    def context(self) -> dict[str, Any]:
        people = selectors.members(self.workspace.id, MemberKind.PERSON).order_by("created_at", "id")
        waiting = marketplace.pending_requests(self.workspace.id).order_by("created_at", "id")
        roles = [role for role in PERSON_ROLES if at_least(self.membership.role, role)]
        return {**super().context(), "people": people, "waiting": waiting, "roles": roles}

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("members")

    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        typed = {"email": request.POST.get("email", ""), "role": request.POST.get("role", "")}
        try:
            values = MEMBER_BODY.clean(typed)
            added = members.add_member(self.workspace.id, self.actor, values["email"], Role(values["role"]))
        except Problem as problem:
            return self.refused("members", problem, typed=typed)
        if added.password is not None:
            return self.page("members", added=added)
        return self.done(_("%(email)s is a member now.") % {"email": values["email"]}, "members", self.workspace.id)


class ChangeRole(AdministratorPage):
    section = "members"

    def post(self, request: HttpRequest, workspace_id: str, member_id: str) -> HttpResponse:
        try:
            role = Role(ROLE_BODY.clean({"role": request.POST.get("role", "")})["role"])
            members.change_role(self.workspace.id, self.actor, member_id, role)
        except Problem as problem:
            return self.not_done(problem, "members", self.workspace.id)
        return self.done(_("The role is changed."), "members", self.workspace.id)


class RemoveMember(Confirmation):
    section = "members"
    title = gettext_lazy("Remove a member")
    action = gettext_lazy("Remove")

    def question(self) -> dict[str, Any]:
        member = selectors.members(self.workspace.id, MemberKind.PERSON).filter(pk=self.kwargs["member_id"]).first()
        if member is None or member.user is None:
            raise Problem.not_found()
        return {
            "subject": member.user.email,
            "losses": [_("They can no longer open this workspace, and their tokens stop opening it at once.")],
            "keeps": _("Their account stays, and so does what they set up here."),
            "back": reverse("console:members", args=[self.workspace.id]),
        }

    def post(self, request: HttpRequest, workspace_id: str, member_id: str) -> HttpResponse:
        try:
            members.remove_member(self.workspace.id, self.actor, member_id)
        except Problem as problem:
            return self.not_done(problem, "members", self.workspace.id)
        return self.done(_("The member is removed."), "members", self.workspace.id)


class DecideRequest(AdministratorPage):
    """Approving installs the App."""

    section = "members"

    def post(self, request: HttpRequest, workspace_id: str, request_id: str) -> HttpResponse:
        approves = request.POST.get("decision") == "approve"
        try:
            if approves:
                installation = requests.approve(self.workspace.id, request_id, self.actor)
                message = _("Approved: %(app)s is installed. Connect it now.") % {"app": installation.app.display_name}
                return self.done(message, "app", self.workspace.id, installation.app.slug)
            requests.decline(self.workspace.id, request_id, self.actor)
        except Problem as problem:
            return self.not_done(problem, "members", self.workspace.id)
        return self.done(_("Declined."), "members", self.workspace.id)


class Account(Page):
    """A person's password and own tokens for the API."""

    section = "account"

    def context(self) -> dict[str, Any]:
        own = selectors.person_tokens(self.person).order_by("-created_at")
        return {
            **super().context(),
            "tokens": own,
            "expiries": EXPIRIES,
            "once": once.new_number(),
            "form": self.password_form(None),
        }

    def password_form(self, data: QueryDict | None) -> PasswordChangeForm:
        form = PasswordChangeForm(self.person, data)
        # The page is about more than the password.
        del form.fields["old_password"].widget.attrs["autofocus"]
        return form

    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        return self.page("account")


class ChangePassword(Account):
    def post(self, request: HttpRequest) -> HttpResponse:
        form = self.password_form(request.POST)
        if not form.is_valid():
            return self.page("account", 400, form=form)
        form.save()
        update_session_auth_hash(request, form.user)
        return self.done(_("Your password is changed. Other sessions are signed out."), "account")


class OwnTokens(Account):
    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            once.require_first(self.person, request.POST.get("once", ""))
            name = TOKEN_BODY.clean({"name": request.POST.get("name", "")})["name"]
            issued = tokens.issue_person_token(
                self.person, self.actor, name=name, expires_at=expires_at(request.POST.get("expires", ""))
            )
        except Problem as problem:
            return self.refused("account", problem)
        return self.page("account", issued=issued)


class RevokeOwnToken(Account):
    def post(self, request: HttpRequest, token_id: str) -> HttpResponse:
        try:
            tokens.revoke_person_token(self.person, self.actor, token_id)
        except Problem as problem:
            # Sent twice: the first did it.
            if problem.code != "not_found":
                raise
        return self.done(_("The token is revoked."), "account")
