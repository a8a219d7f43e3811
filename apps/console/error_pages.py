"""Pages for what went wrong."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from apps.console.wording import PROBLEM_TITLES, problem_words
from apps.workspaces.errors import Problem


def problem_page(request: HttpRequest, problem: Problem) -> HttpResponse:
    """A problem in words. For a part of a page, only the words."""
    template = "errors/part.html" if request.headers.get("HX-Request") else "errors/problem.html"
    context = {"title": PROBLEM_TITLES.get(problem.code, ""), "words": problem_words(problem)}
    response = render(request, template, context, status=problem.status)
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return problem_page(request, Problem.not_found())


def server_error(request: HttpRequest) -> HttpResponse:
    """Rendered without the request: whatever broke must not break this page too."""
    page = render_to_string("errors/server.html", {"request_id": getattr(request, "request_id", "")})
    return HttpResponse(page, status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render(request, "errors/expired.html", status=403)
