"""The project's routes and a few that break while they hold a key."""

from typing import Any

import requests
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agentteam.urls import handler404, handler500
from agentteam.urls import urlpatterns as real_urlpatterns

CANARY = "canary-0000"

__all__ = ["handler404", "handler500"]


def break_with_a_key() -> None:
    """As when an HTTP library refuses a header, and something else fails while that is handled."""
    key = CANARY
    try:
        requests.Request("GET", "http://127.0.0.1", headers={"x-api-key": f"{key}\n"}).prepare()
    except ValueError as refused:
        try:
            raise LookupError(f"no connection for {key}")
        except LookupError as lost:
            lost.add_note(f"note of {key}")
            raise RuntimeError(f"could not call with {key}") from refused


def broken_page(request: HttpRequest) -> HttpResponse:
    given = request.POST.get("apiKey", CANARY)
    break_with_a_key()
    return HttpResponse(given)


def undecodable_page(request: HttpRequest) -> HttpResponse:
    f"{CANARY}\udc80".encode()
    return HttpResponse()


class Broken(APIView):
    def post(self, request: Request) -> Response:
        given: Any = request.data
        break_with_a_key()
        return Response(given)


class Unwritable(APIView):
    def post(self, request: Request) -> Response:
        return Response({"apiKey": CANARY, "number": float("nan")})


class WithoutDatabase(APIView):
    def post(self, request: Request) -> Response:
        raise OperationalError(f"connection to server with {CANARY} failed")


def plain_fault(request: HttpRequest) -> HttpResponse:
    break_with_a_key()
    return HttpResponse()


urlpatterns = [
    path("broken", broken_page),
    path("undecodable", undecodable_page),
    path("api/v1/broken", Broken.as_view()),
    path("api/v1/unwritable", Unwritable.as_view()),
    path("api/v1/without-database", WithoutDatabase.as_view()),
    path("api/v1/plain", plain_fault),
    *real_urlpatterns,
]
