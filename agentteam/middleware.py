"""What runs around a request.

Every answer gets a request id, security headers and one log line. Sessions, CSRF, CSP and the rest of
the pages' middleware run for pages only: the API takes bearer tokens and pays for none of it.
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import structlog
from axes.middleware import AxesMiddleware
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.locale import LocaleMiddleware
from django.middleware.security import SecurityMiddleware
from django_htmx.middleware import HtmxMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from agentteam.errors import exception_response, plain_response
from apps.workspaces.errors import Problem

log = structlog.get_logger("agentteam.request")

# Everything that is not a page: no session, no cookie, no form.
PLAIN_PREFIXES = ("/api/", "/mcp")
PLAIN_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})

PLAIN_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

_random = random.Random()  # noqa: S311 - not for secrets
os.register_at_fork(after_in_child=_random.seed)

Handler = Callable[[HttpRequest], HttpResponse]


def is_page(path: str) -> bool:
    return not path.startswith(PLAIN_PREFIXES) and path not in PLAIN_PATHS


def _request_id() -> str:
    """16 hexadecimal digits that tell requests apart. It is no secret, so it need not come from the kernel."""
    return f"{_random.getrandbits(64):016x}"


class RequestMiddleware:
    """Request id, host check, security headers of non-pages, one log line."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        request_id = _request_id()
        request.request_id = request_id  # type: ignore[attr-defined]
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.answer(request)
        response["X-Request-Id"] = request_id
        log.info(
            "request",
            method=request.method,
            path=request.path,
            status=response.status_code,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
        )
        return response

    def answer(self, request: HttpRequest) -> HttpResponse:
        if is_page(request.path):
            page = self.get_response(request)
            # Files need nothing beside themselves: a drawing opened by itself runs no script.
            page.headers.setdefault("Content-Security-Policy", PLAIN_POLICY)
            return page
        response = self.answer_on_a_known_host(request)
        headers = response.headers
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["X-Frame-Options"] = "DENY"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if "Content-Security-Policy" not in headers:
            headers["Content-Security-Policy"] = PLAIN_POLICY
        if settings.SECURE_HSTS_SECONDS and request.is_secure():
            headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
        headers.setdefault("Cache-Control", "no-store")
        if not response.streaming and "Content-Length" not in headers:
            # Without it a server cuts the answer into chunks.
            headers["Content-Length"] = str(len(response.content))
        return response

    def answer_on_a_known_host(self, request: HttpRequest) -> HttpResponse:
        if request.path in PLAIN_PATHS:
            # Probes come by address and by plain HTTP, and what they are answered never names the host.
            return self.get_response(request)
        try:
            host = request.get_host()
        except DisallowedHost:
            return plain_response(Problem.invalid(message="This host name is not served here."))
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            # 308 keeps method and body, which 301 would let a client drop.
            return HttpResponse(status=308, headers={"Location": f"https://{host}{request.get_full_path()}"})
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """What is no page answers a fault in the API's one shape, under DEBUG too."""
        return None if is_page(request.path) else exception_response(exception)


class PagesOnly:
    """Mixed in before a middleware: anything that is not a page passes it by.

    A row of such middlewares is passed in one step, so that a call pays for none of them.
    """

    after_pages: Handler

    def __init__(self, get_response: Handler) -> None:
        super().__init__(get_response)  # type: ignore[call-arg]
        following = getattr(get_response, "__wrapped__", None)
        self.after_pages = following.after_pages if isinstance(following, PagesOnly) else get_response

    def __call__(self, request: HttpRequest) -> Any:
        if is_page(request.path):
            return super().__call__(request)  # type: ignore[misc]
        return self.after_pages(request)


class PageSecurity(PagesOnly, SecurityMiddleware):
    pass


class PageStaticFiles(PagesOnly, WhiteNoiseMiddleware):
    pass


class PageContentSecurityPolicy(PagesOnly, CSPMiddleware):
    pass


class PageSessions(PagesOnly, SessionMiddleware):
    pass


class PageLocale(PagesOnly, LocaleMiddleware):
    pass


class PageCommon(PagesOnly, CommonMiddleware):
    pass


class PageCsrf(PagesOnly, CsrfViewMiddleware):
    def process_view(self, request: HttpRequest, *arguments: Any) -> Any:
        return super().process_view(request, *arguments) if is_page(request.path) else None


class PageAuthentication(PagesOnly, AuthenticationMiddleware):
    pass


class PageMessages(PagesOnly, MessageMiddleware):
    pass


class PageFrameOptions(PagesOnly, XFrameOptionsMiddleware):
    pass


class PageHtmx(PagesOnly, HtmxMiddleware):
    pass


class PageAxes(PagesOnly, AxesMiddleware):
    pass
