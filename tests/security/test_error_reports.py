"""A fault tells the operator where it is, and tells nobody what was sent or stored (abuse 20)."""

import json
import sys
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.views.debug import get_exception_reporter_class

from agentteam.error_reports import Reporter
from tests.security import faulty_urls
from tests.security.faulty_urls import CANARY
from tests.security.logs import everything_logged

pytestmark = [pytest.mark.django_db, pytest.mark.urls(faulty_urls.__name__)]

SENT: dict[str, Any] = {
    "data": {"apiKey": CANARY, "text": CANARY},
    "headers": {"Cookie": f"other={CANARY}", "Authorization": f"Bearer {CANARY}", "X-Api-Key": CANARY},
}


def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize("page", ["broken", "undecodable"])
def test_a_broken_page_shows_no_key(settings: Any, debug: bool, form: str, page: str) -> None:
    settings.DEBUG = debug
    with everything_logged(form) as logged:
        answer = client().post(f"/{page}?apiKey={CANARY}", **SENT)
    assert answer.status_code == 500
    assert CANARY not in answer.content.decode()
    assert CANARY not in logged.getvalue()
    # What the operator needs is there: types and places, of the causes too.
    assert "faulty_urls.py" in logged.getvalue()
    if page == "broken":
        assert "requests.exceptions.InvalidHeader" in logged.getvalue()
        assert "builtins.RuntimeError: (not shown)" in logged.getvalue()
    if debug:
        assert "faulty_urls.py" in answer.content.decode()


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("broken", 500, "internal_error"),
        ("plain", 500, "internal_error"),
        ("unwritable", 500, "internal_error"),
        ("without-database", 503, "unavailable"),
    ],
)
def test_a_broken_route_answers_in_the_one_shape(settings: Any, debug: bool, path: str, status: int, code: str) -> None:
    settings.DEBUG = debug
    with everything_logged() as logged:
        answer = client().post(
            f"/api/v1/{path}?apiKey={CANARY}",
            json.dumps({"apiKey": CANARY}),
            content_type="application/json",
            headers=SENT["headers"],
        )
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")
    error = answer.json()["error"]
    assert error["code"] == code
    if status == 500:
        assert answer.headers["X-Request-Id"] in error["message"]
        assert answer.headers["X-Request-Id"] in logged.getvalue()
    assert CANARY not in answer.content.decode() + str(dict(answer.headers)) + logged.getvalue()
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("debug", [False, True])
def test_a_report_by_mail_shows_no_key(settings: Any, debug: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEBUG = debug
    settings.REDIS_URL = f"redis://:{CANARY}@127.0.0.1/0"
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = CANARY
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS = [CANARY]
    settings.AGENTTEAM_SEARCH_ORIGINS = {"brave": f"https://gateway.example/{CANARY}"}
    assert get_exception_reporter_class(None) is Reporter
    request = RequestFactory().post(
        "/broken",
        {"apiKey": CANARY},
        HTTP_COOKIE=f"sessionid={CANARY}; other={CANARY}",
        QUERY_STRING=f"next={CANARY}",
        # A development server puts the whole environment of the process here.
        AGENTTEAM_VAULT_BRAVE=CANARY,
        DATABASE_URL=f"postgresql://user:{CANARY}@database/x",
    )
    try:
        faulty_urls.break_with_a_key()
    except RuntimeError:
        reporter = Reporter(request, *sys.exc_info(), is_email=True)
        for report in (reporter.get_traceback_text(), reporter.get_traceback_html()):
            assert CANARY not in report
            assert "faulty_urls.py" in report
            assert "RuntimeError" in report


@pytest.mark.parametrize("message", ["module has no attribute 'serach'"])
def test_messages_about_the_code_itself_stay(message: str) -> None:
    try:
        raise AttributeError(message)
    except AttributeError:
        assert message in Reporter(None, *sys.exc_info()).get_traceback_text()
