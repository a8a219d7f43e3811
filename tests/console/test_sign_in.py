"""Signing in and out, the lock after failed tries, and where a person lands."""

from typing import Any

import pytest
from django.test import Client, RequestFactory

from apps.console.sign_in import client_ip
from apps.workspaces.models import User
from tests.console.conftest import BACKEND, html
from tests.workspaces.conftest import House

PASSWORD = "correct horse battery"


@pytest.fixture
def person(house: House) -> User:
    user = house.member.user
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(client: Client, email: str, password: str, **more: str) -> Any:
    return client.post("/sign-in", {"username": email, "password": password, **more})


def test_in_and_out(person: User, house: House) -> None:
    client = Client()
    assert sign_in(client, "Member@Harbour.example", PASSWORD)["Location"] == "/"
    assert client.get("/")["Location"] == f"/w/{house.workspace.id}/"
    assert client.get("/sign-in")["Location"] == "/"
    assert client.get("/sign-out").status_code == 405
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert client.get("/")["Location"] == "/sign-in?next=/"


def test_next_leads_back_but_never_away(person: User, house: House) -> None:
    inside = f"/w/{house.workspace.id}/agents"
    assert sign_in(Client(), person.email, PASSWORD, next=inside)["Location"] == inside
    for outside in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert sign_in(Client(), person.email, PASSWORD, next=outside)["Location"] == "/"


def test_wrong_and_unknown_read_alike(person: User) -> None:
    wrong = html(sign_in(Client(), person.email, "wrong"))
    unknown = html(sign_in(Client(), "nobody@harbour.example", "wrong"))
    sentence = "This email address and password do not belong together."
    assert wrong.count(sentence) == unknown.count(sentence) == 1


def test_five_failed_tries_lock_for_a_while(person: User) -> None:
    for _ in range(4):
        assert sign_in(Client(), person.email, "wrong").status_code == 200
    locked = sign_in(Client(), person.email, "wrong")
    assert locked.status_code == 429
    assert locked["Retry-After"] == "900"
    assert "locked for 15 minutes" in html(locked)
    right = Client()
    assert sign_in(right, person.email, PASSWORD).status_code == 429
    assert right.get("/")["Location"] == "/sign-in?next=/"


def test_our_own_limit_comes_first(person: User, settings: Any) -> None:
    settings.AGENTTEAM_SIGNIN_RATE = "2/day"
    assert sign_in(Client(), person.email, "wrong").status_code == 200
    assert sign_in(Client(), person.email, "wrong").status_code == 200
    limited = sign_in(Client(), person.email, PASSWORD)
    assert limited.status_code == 429
    assert int(limited["Retry-After"]) > 0
    assert "Too many requests." in html(limited)


def test_the_address_behind_a_proxy_is_what_the_proxy_saw(settings: Any) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.9")
    assert client_ip(request) == "10.0.0.1"
    settings.AGENTTEAM_BEHIND_PROXY = True
    assert client_ip(request) == "203.0.113.9"


def test_somebody_without_a_workspace_is_told_what_to_do(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("alone@harbour.example"), backend=BACKEND)
    assert "You are in no workspace yet" in html(client.get("/"))


def test_an_inactive_person_stays_out(person: User) -> None:
    person.is_active = False
    person.save()
    assert "do not belong together" in html(sign_in(Client(), person.email, PASSWORD))
