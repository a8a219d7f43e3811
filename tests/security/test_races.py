"""Changes against calls and against each other, on PostgreSQL (abuse 13 and 14).

Rounds: a few by default, 500 with AGENTTEAM_TEST_SLOW=1.
"""

import os
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, Q

from apps.marketplace.models import App, AppRequest, Connection, Credential, ExtensionSelection, Installation
from tests.road import APP_IDS, Road
from tests.security.answers import ANY

pytestmark = pytest.mark.postgres

ROUNDS = 500 if os.environ.get("AGENTTEAM_TEST_SLOW") == "1" else 8


def together(*actions: Callable[[], Any]) -> list[Any]:
    """Run all at once, each in a thread of its own; their results, in order. What one raises is raised here."""
    barrier = threading.Barrier(len(actions))
    results: list[Any] = [None] * len(actions)

    def run(number: int) -> None:
        try:
            barrier.wait(10)
            results[number] = actions[number]()
        except BaseException as error:  # noqa: BLE001 - raised again below
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a lock was never given back"
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"]) if answer.status_code >= 400 else "ok"


@pytest.fixture
def google(road: Road) -> Iterator[tuple[Road, str]]:
    """Google keeps a config and a key, so a mixture of two saves is seen upstream."""
    installation_id = road.connect("google", "google-key-0000")
    road.upstream.reply(json=ANY)
    yield road, installation_id


def body(number: int) -> dict[str, Any]:
    return {"config": {"cx": f"{number:017x}"}, "credentials": {"apiKey": f"google-key-{number:04}"}}


def assert_never_mixed(road: Road) -> None:
    asked = {(request.param("cx"), request.param("key")) for request in road.upstream.requests}
    for cx, key in asked:
        number = int(str(key).removeprefix("google-key-"))
        assert number == 0 or cx == f"{number:017x}", (cx, key)


def at_most_one() -> None:
    crowded = (
        Installation.objects.annotate(current=Count("connections", filter=Q(connections__active=True)))
        .filter(current__gt=1)
        .count()
    )
    assert crowded == 0
    assert not Connection.objects.exclude(installation__status="active").exists()
    assert not Credential.objects.exclude(connection__active=True).exists()


def test_saves_removals_calls_and_tests_at_once(google: tuple[Road, str]) -> None:
    road, installation_id = google
    path, admin = road.connection_path(installation_id), road.house.admin.api
    for number in range(1, ROUNDS + 1):
        actions: list[Callable[[], Any]] = [
            lambda number=number: admin("PUT", path, body(2 * number)),
            lambda number=number: admin("PUT", path, body(2 * number + 1)),
            lambda: admin("DELETE", path),
            lambda: road.search("google"),
            lambda: road.search("google"),
            lambda: road.test(installation_id),
        ]
        random.Random(number).shuffle(actions)
        codes = {code(answer) for answer in together(*actions)}
        assert codes <= {"ok", "extension_not_found", "conflict", "invalid_input"}, codes
        at_most_one()
    assert_never_mixed(road)


def test_a_config_saved_alone_meets_the_key_that_was_stored(google: tuple[Road, str]) -> None:
    road, installation_id = google
    path, admin = road.connection_path(installation_id), road.house.admin.api
    for number in range(1, ROUNDS + 1):
        key = {"credentials": {"apiKey": f"google-key-{number:04}"}}
        together(
            lambda number=number: admin("PUT", path, {"config": {"cx": f"{number:017x}"}}),
            lambda key=key: admin("PUT", path, key),
            lambda: road.search("google"),
        )
        stored = Connection.objects.get(installation_id=installation_id, active=True)
        road.search("google")
        assert stored.config == {"cx": f"{number:017x}"}
        assert (road.upstream.last.param("cx"), road.upstream.last.param("key")) == (
            f"{number:017x}",
            f"google-key-{number:04}",
        )


def test_uninstalling_against_saving_and_calling(road: Road) -> None:
    admin = road.house.admin.api
    road.upstream.reply(json=ANY)
    for number in range(ROUNDS):
        installation_id = road.install("google")
        path = f"{road.house.path}/app-installations/{installation_id}"
        admin("PUT", road.connection_path(installation_id), body(number + 1))
        saved, removed, *called = together(
            lambda path=path, number=number: admin("PUT", f"{path}/search-engine-connection", body(number + 2)),
            lambda path=path: admin("DELETE", path),
            lambda: road.search("google"),
            lambda: road.search("google"),
        )
        assert removed.status_code == 204
        assert code(saved) in ("ok", "not_found")
        assert {code(answer) for answer in called} <= {"ok", "extension_not_found"}
        assert not Connection.objects.filter(installation_id=installation_id).exists()
        assert not Credential.objects.exists()
        asked = len(road.upstream.requests)
        assert code(road.search("google")) == "extension_not_found"
        assert len(road.upstream.requests) == asked
    assert_never_mixed(road)


def remove_among_calls(road: Road, path: str) -> None:
    removed, stop, late = threading.Event(), threading.Event(), []

    def keep_calling() -> None:
        while not stop.is_set():
            after = removed.is_set()
            answer = code(road.search("google"))
            if after:
                late.append(answer)

    def remove() -> None:
        try:
            assert road.house.admin.api("DELETE", path).status_code == 204
            removed.set()
            for _ in range(3):
                assert code(road.search("google")) == "extension_not_found"
        finally:
            stop.set()

    together(keep_calling, keep_calling, remove)
    assert set(late) <= {"extension_not_found"}


def test_a_call_after_a_committed_removal_is_refused(google: tuple[Road, str]) -> None:
    road, installation_id = google
    path = road.connection_path(installation_id)
    for number in range(ROUNDS):
        remove_among_calls(road, path)
        assert road.house.admin.api("PUT", path, body(number + 1)).status_code == 200
    assert_never_mixed(road)


def test_two_installations_at_once_make_one(road: Road) -> None:
    admin, owner = road.house.admin.api, road.house.owner.api
    path = f"{road.house.path}/app-installations"
    for _ in range(ROUNDS):
        answers = together(
            *(lambda caller=caller: caller("POST", path, {"appId": APP_IDS["brave"]}) for caller in (admin, owner) * 2)
        )
        assert sorted(code(answer) for answer in answers) == ["already_installed"] * 3 + ["ok"]
        installation = Installation.objects.get(status="active")
        selection = ExtensionSelection.objects.get(active=True)
        assert (selection.installation_id, selection.name) == (installation.id, "brave")
        assert admin("DELETE", f"{path}/{installation.id}").status_code == 204


def test_approving_twice_and_installing_make_one(road: Road) -> None:
    admin, owner = road.house.admin.api, road.house.owner.api
    requests, path = f"{road.house.path}/app-requests", f"{road.house.path}/app-installations"
    for _ in range(ROUNDS):
        made = road.house.member.api("POST", requests, {"appId": APP_IDS["exa"]}).json()["id"]
        answers = together(
            lambda made=made: admin("POST", f"{requests}/{made}:approve"),
            lambda made=made: owner("POST", f"{requests}/{made}:approve"),
            lambda made=made: owner("POST", f"{requests}/{made}:decline"),
            lambda: admin("POST", path, {"appId": APP_IDS["exa"]}),
        )
        assert {code(answer) for answer in answers} <= {"ok", "conflict", "already_installed"}
        installed = list(Installation.objects.filter(status="active"))
        assert len(installed) == 1
        assert ExtensionSelection.objects.filter(active=True).count() == 1
        assert admin("DELETE", f"{path}/{installed[0].id}").status_code == 204
        AppRequest.objects.filter(status="pending").update(status="declined")


def test_an_app_that_is_trusted_no_more_is_not_approved(road: Road) -> None:
    """Its row changed between the request and the approval (spec A 5: every mutation rechecks under the lock)."""
    requests = f"{road.house.path}/app-requests"
    made = road.house.member.api("POST", requests, {"appId": APP_IDS["exa"]}).json()["id"]
    App.objects.filter(pk=APP_IDS["exa"]).update(slug="exa-2")
    assert code(road.house.admin.api("POST", f"{requests}/{made}:approve")) == "not_found"
    assert not Installation.objects.exists()
    assert AppRequest.objects.get().status == "pending"
