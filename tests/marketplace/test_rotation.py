"""Several keys on one connection: whose turn it is, which one rests, and what is kept of it (contract section 1)."""

import os
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection as database
from django.db import transaction

from apps.marketplace import rotation
from apps.marketplace.models import Connection
from apps.marketplace.services.connections import save_connection
from tests.road import ANSWERS, Road
from tests.stored import bytes_of, code

KEYS = ["first-key-1", "second-key-2", "third-key-3"]
LIST = " first-key-1 ,, second-key-2,third-key-3,"


@pytest.mark.parametrize(
    ("cooling", "chosen"),
    [
        ({}, [1, 2, 3, 1, 2, 3]),
        ({"2": [900.0, 1001.0]}, [1, 3, 1, 3, 1, 3]),
        ({"2": [900.0, 1000.0]}, [1, 2, 3, 1, 2, 3]),
        ({"1": [900.0, 1001.0], "3": [900.0, 1600.0]}, [2] * 6),
        ({"1": [990.0, 1100.0], "2": [930.0, 1900.0], "3": [950.0, 1001.0]}, [2] * 6),
        ({"7": [900.0, 9000.0]}, [1, 2, 3, 1, 2, 3]),
    ],
)
def test_whose_turn_it_is(cooling: Any, chosen: list[int]) -> None:
    assert [rotation.choose(3, turn, cooling, now=1000.0) for turn in range(1, 7)] == chosen


def used_keys(road: Road) -> list[str]:
    return [request.headers["x-subscription-token"] for request in road.upstream.requests]


def test_keys_take_turns_and_the_ordinal_is_what_is_kept(road: Road) -> None:
    installation_id = road.connect("brave", LIST)
    for _ in range(4):
        assert road.search("brave").status_code == 200
    assert road.test(installation_id).json() == {"ok": True}
    assert used_keys(road) == [*KEYS, KEYS[0], KEYS[1]]
    assert [row.key_ordinal for row in road.executions()] == [1, 2, 3, 1, 2]
    assert [where for key in KEYS for where in bytes_of(key)] == []


@pytest.mark.postgres
def test_keys_take_exact_turns_among_threads(road: Road) -> None:
    road.connect("brave", LIST)

    def call(_: int) -> int:
        try:
            return int(road.search("brave").status_code)
        finally:
            database.close()

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(call, range(30))) == {200}
    assert Counter(used_keys(road)) == dict.fromkeys(KEYS, 10)


COUNTING = """
import django; django.setup()
from apps.activity.counters import Tick, count
print([count([Tick("turn:conn_1")])[0] for _ in range(40)])
"""
PREPARING = """
import django; django.setup()
from django.db import connection
from apps.activity.models import Counter
with connection.schema_editor() as editor: editor.create_model(Counter)
"""


@pytest.mark.sqlite
def test_turns_are_counted_once_among_processes(tmp_path: Path) -> None:
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{tmp_path}/counting.sqlite3",
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
    }
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", PREPARING], env=environment, cwd=root, check=True)
    running = [
        subprocess.Popen([sys.executable, "-c", COUNTING], env=environment, cwd=root, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    printed = [process.communicate(timeout=60)[0].decode() for process in running]
    counted = [int(value) for text in printed for value in text.strip("[]\n").split(",")]
    assert sorted(counted) == list(range(1, 81))


# What each provider answers when a key is refused, used up or too fast, and how long the key then rests.
BRAVE_TOKEN = {"type": "ErrorResponse", "error": {"status": 422, "code": "SUBSCRIPTION_TOKEN_INVALID"}}
GOOGLE_KEY = {"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}
GOOGLE_QUOTA = {"error": {"code": 403, "errors": [{"reason": "dailyLimitExceeded"}]}}
REFUSALS: list[tuple[str, dict[str, Any], tuple[int, str], int]] = [
    ("brave", {"status": 401}, (502, "upstream_failure"), 600),
    ("brave", {"status": 403}, (502, "upstream_failure"), 600),
    ("brave", {"status": 422, "json": BRAVE_TOKEN}, (502, "upstream_failure"), 600),
    ("brave", {"status": 429}, (429, "rate_limited"), 60),
    ("brave", {"status": 429, "headers": {"Retry-After": "7"}}, (429, "rate_limited"), 7),
    ("brave", {"status": 429, "headers": {"Retry-After": "9999999"}}, (429, "rate_limited"), 86_400),
    ("google", {"status": 400, "json": GOOGLE_KEY}, (502, "upstream_failure"), 600),
    ("google", {"status": 403, "json": GOOGLE_QUOTA}, (502, "upstream_failure"), 600),
    ("serper", {"status": 400, "json": {"message": "Not enough credits"}}, (502, "upstream_failure"), 600),
    ("tavily", {"status": 432, "json": {}}, (502, "upstream_failure"), 600),
    ("exa", {"status": 402, "json": {}}, (502, "upstream_failure"), 600),
    ("exa", {"status": 400, "json": {"error": "x-api-key is invalid"}}, (502, "upstream_failure"), 600),
    ("staan", {"status": 400, "json": {"code": "INVALID_CREDENTIALS"}}, (502, "upstream_failure"), 600),
    ("searchapi", {"status": 200, "json": {"error": "account has no searches left"}}, (502, "upstream_failure"), 600),
]
FAULTS: list[dict[str, Any]] = [{"status": 500}, {"status": 404}, {"status": 302}, {"body": b"<html>"}]


@pytest.mark.parametrize("slug", sorted({refusal[0] for refusal in REFUSALS}))
def test_a_refused_key_rests_and_no_other_is_tried_in_the_same_call(road: Road, slug: str) -> None:
    installation_id = road.connect(slug, LIST)
    for _, reply, found, seconds in (refusal for refusal in REFUSALS if refusal[0] == slug):
        body = {"credentials": {"apiKey": LIST}}
        assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
        assert Connection.objects.get().cooling == {}
        before = len(road.upstream.requests)
        road.upstream.reply(**reply)
        assert code(road.search(slug)) == found
        assert len(road.upstream.requests) == before + 1
        used = road.executions()[-1].key_ordinal
        cooling = Connection.objects.get().cooling
        assert {ordinal: until - since for ordinal, (since, until) in cooling.items()} == {str(used): seconds}
        road.upstream.reply(json=ANSWERS[slug])
        for _ in range(4):
            road.search(slug)
        assert used not in [row.key_ordinal for row in road.executions()[-4:]]


def test_other_failures_let_no_key_rest(road: Road) -> None:
    road.connect("brave", LIST)
    for reply in FAULTS:
        road.upstream.reply(**reply)
        assert code(road.search("brave")) == (502, "upstream_failure")
    assert Connection.objects.get().cooling == {}
    assert used_keys(road) == [*KEYS, KEYS[0]]


def test_when_all_rest_the_least_recently_refused_is_used(road: Road) -> None:
    road.connect("brave", LIST)
    road.upstream.reply(status=401)
    for _ in range(5):
        road.search("brave")
    first, second, third = KEYS
    # The second call has the second turn among the two that are left.
    assert used_keys(road) == [first, third, second, first, third]


def test_a_single_key_never_rests(road: Road) -> None:
    road.connect("brave", "only-key-1")
    road.upstream.reply(status=401)
    for _ in range(2):
        assert code(road.search("brave")) == (502, "upstream_failure")
    assert Connection.objects.get().cooling == {}
    assert used_keys(road) == ["only-key-1"] * 2
    assert [row.key_ordinal for row in road.executions()] == [None, None]


def test_new_keys_end_the_rest_and_another_config_does_not(desk: Road) -> None:
    installation_id = desk.connect("google", LIST)
    stored = Connection.objects.get()
    rotation.cool(stored.id, stored.revision, 2, 60, now=1000.0)
    path = desk.connection_path(installation_id)
    desk.house.admin.api("PUT", path, {"config": {"cx": "another-engine"}})
    assert Connection.objects.get().cooling == {"2": [1000.0, 1060.0]}
    desk.house.admin.api("PUT", path, {"credentials": {"apiKey": LIST}})
    assert Connection.objects.get().cooling == {}


def test_nothing_rests_on_a_connection_that_has_changed_or_gone(desk: Road) -> None:
    installation_id = desk.connect("brave", LIST)
    stored = Connection.objects.get()
    desk.house.admin.api(
        "PUT", desk.connection_path(installation_id), {"credentials": {"apiKey": "x-key-000,y-key-000"}}
    )
    rotation.cool(stored.id, stored.revision, 1, 60)
    assert Connection.objects.get().cooling == {}
    desk.house.admin.api("DELETE", desk.connection_path(installation_id))
    rotation.cool(stored.id, stored.revision, 1, 60)
    assert Connection.objects.count() == 0


def test_rest_is_bounded(desk: Road) -> None:
    desk.connect("brave", LIST)
    stored = Connection.objects.get()
    for seconds, rests in [(0, 1), (-5, 1), (10**9, 86_400)]:
        rotation.cool(stored.id, stored.revision, 1, seconds, now=1000.0)
        assert Connection.objects.get().cooling == {"1": [1000.0, 1000.0 + rests]}


@pytest.mark.postgres
def test_a_rest_that_waited_for_a_change_is_dropped(road: Road) -> None:
    installation_id = road.connect("brave", LIST)
    stored = Connection.objects.get()
    started = threading.Event()

    def cool() -> None:
        try:
            started.set()
            rotation.cool(stored.id, stored.revision, 1, 60)
        finally:
            database.close()

    waiting = threading.Thread(target=cool)
    with transaction.atomic():
        body = {"credentials": {"apiKey": "x-key-000,y-key-000"}}
        save_connection(road.house.workspace.id, installation_id, body, road.house.admin.actor)
        waiting.start()
        assert started.wait(5)
    waiting.join(10)
    assert Connection.objects.get().cooling == {}


@pytest.mark.postgres
def test_two_keys_that_are_refused_at_once_both_rest(road: Road) -> None:
    road.connect("brave", LIST)
    stored = Connection.objects.get()

    def cool(ordinal: int) -> None:
        try:
            rotation.cool(stored.id, stored.revision, ordinal, 60)
        finally:
            database.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(cool, [1, 2, 3]))
    assert set(Connection.objects.get().cooling) == {"1", "2", "3"}
