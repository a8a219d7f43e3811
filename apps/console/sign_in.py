"""Signing in and out. Five failed tries lock an address and a person for a while (`AXES_*` in the settings)."""

import hashlib
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from apps.activity.limits import spend
from apps.console.error_pages import problem_page
from apps.console.wording import problem_words
from apps.workspaces.errors import Problem
from apps.workspaces.people import normalise_email


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": _("This email address and password do not belong together."),
        "inactive": _("This email address and password do not belong together."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget = forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})


class SignIn(LoginView):
    """A plain form; our own limits, per address and per person, come before the password is looked at."""

    template_name = "console/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            spend(settings.AGENTTEAM_SIGNIN_RATE, f"sign-in:{client_ip(request)}")
            spend(settings.AGENTTEAM_SIGNIN_RATE, f"sign-in-as:{person_key(request.POST.get('username', ''))}")
        except Problem as problem:
            return refusal(request, problem)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


class SignOut(LogoutView):
    pass


def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The operators' site has no door of its own, so that no limit is missing at one."""
    if request.user.is_authenticated:
        return problem_page(request, Problem.permission_denied())
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def person_key(email: str) -> str:
    """Names a person in a counter, known or not, however the address is written."""
    return hashlib.sha256(normalise_email(email).encode(errors="replace")).hexdigest()


def client_ip(request: HttpRequest) -> str:
    """The caller's address; behind a proxy, the one that the nearest proxy saw."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.AGENTTEAM_BEHIND_PROXY else ""
    return (forwarded.rsplit(",", 1)[-1].strip() or request.META.get("REMOTE_ADDR", ""))[:64]


def refusal(request: HttpRequest, problem: Problem) -> HttpResponse:
    context = {"words": problem_words(problem)}
    response = render(request, "console/sign_in_later.html", context, status=problem.status)
    response.headers["Retry-After"] = str(problem.retry_after)
    return response


def locked_out(request: HttpRequest, response: HttpResponse, credentials: dict[str, Any]) -> HttpResponse:
    """`AXES_LOCKOUT_CALLABLE`."""
    seconds = round(settings.AXES_COOLOFF_TIME * 3600)
    page = render(request, "console/sign_in_later.html", {"minutes": seconds // 60}, status=429)
    page.headers["Retry-After"] = str(seconds)
    return page
