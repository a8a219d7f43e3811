"""Every error of the API in its one shape; mapped here and nowhere else (contract section 5)."""

from collections.abc import Callable
from typing import Any

import redis
import structlog
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response

from agentteam.databases import drop_dead_connections
from apps.workspaces.api.rendering import to_json_bytes
from apps.workspaces.errors import Problem

log = structlog.get_logger("agentteam.errors")

# Told of each error that is answered, once; on the caller's thread, so quick.
on_answer: list[Callable[[Problem], None]] = []

FRAMEWORK_CODES: list[tuple[type[Exception], str]] = [
    (exceptions.NotAuthenticated, "unauthenticated"),
    (exceptions.AuthenticationFailed, "unauthenticated"),
    (exceptions.PermissionDenied, "permission_denied"),
    (PermissionDenied, "permission_denied"),
    (exceptions.NotFound, "not_found"),
    (Http404, "not_found"),
    (exceptions.MethodNotAllowed, "method_not_allowed"),
    (exceptions.UnsupportedMediaType, "unsupported_media_type"),
    (exceptions.Throttled, "throttled"),
    (exceptions.APIException, "invalid_input"),
    (OperationalError, "unavailable"),
    (InterfaceError, "unavailable"),
    (redis.ConnectionError, "unavailable"),
    (redis.TimeoutError, "unavailable"),
    # The caller went away, or its body did.
    (UnreadablePostError, "invalid_input"),
]


def problem_of(error: Exception) -> Problem:
    """The problem an exception is shown as. What is not expected is logged, and shown as a fault of ours."""
    if isinstance(error, Problem):
        return error
    for kind, code in FRAMEWORK_CODES:
        if isinstance(error, kind):
            if code == "unavailable":
                log.error("database or cache unavailable", why=type(error).__name__)
                drop_dead_connections()
            return Problem(code)
    request_id = structlog.contextvars.get_contextvars().get("request_id", "")
    log.error("unexpected error", exc_info=error)
    return Problem("internal_error", f"Something went wrong on our side (request {request_id}).")


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's `EXCEPTION_HANDLER`."""
    problem = problem_of(error)
    _tell(problem)
    return Response(problem.body(), status=problem.status, headers=problem.headers())


def exception_response(error: Exception) -> HttpResponse:
    """An exception outside of a DRF view, or in the rendering of an answer."""
    return plain_response(problem_of(error))


def plain_response(problem: Problem) -> HttpResponse:
    """A problem outside of a DRF view."""
    _tell(problem)
    return HttpResponse(
        to_json_bytes(problem.body()),
        status=problem.status,
        content_type="application/json",
        headers=problem.headers(),
    )


def api_not_found(request: HttpRequest, *arguments: Any, **members: Any) -> HttpResponse:
    """Any path under the API that is no route."""
    return plain_response(Problem.not_found())


def _tell(problem: Problem) -> None:
    for listener in on_answer:
        listener(problem)
