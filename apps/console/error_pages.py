"""Pages for what went wrong."""

from django.http import HttpRequest, HttpResponse


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return HttpResponse("There is nothing here.", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponse("Something went wrong on our side.", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return HttpResponse("This form has expired. Load the page again.", status=403)
