"""Counting in windows: in the database, in Redis, and in the database while Redis is away."""

import threading
from typing import Any

import pytest
from django.db import connection

from apps.activity import counters
from apps.activity.counters import Tick, count
from apps.activity.limits import Permits, parse_rate, spend
from apps.activity.models import Counter
from apps.workspaces.errors import Problem
from bench.processes import free_port
from tests.operations.conftest import redis_url  # noqa: F401 - a fixture

NOW = 1_800_000_000.0


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch) -> counters.RedisRest:
    fresh = counters.RedisRest()
    monkeypatch.setattr(counters, "rest", fresh)
    return fresh


def test_counts_within_a_window_and_begins_anew_in_the_next(db: None) -> None:
    tick = Tick("exec:agent_1", 60)
    assert [count([tick], NOW)[0] for _ in range(3)] == [1, 2, 3]
    assert count([tick], NOW + 60) == [1]
    assert count([tick], NOW + 61) == [2]


def test_several_counts_are_one_statement_and_keep_their_order(db: None, django_assert_num_queries: Any) -> None:
    ticks = [Tick("turn:conn_1"), Tick("exec:agent_1", 60)]
    with django_assert_num_queries(1):
        assert count(ticks, NOW) == [1, 1]
    with django_assert_num_queries(1):
        assert count(ticks[1:], NOW) == [2]
    with django_assert_num_queries(1):
        assert count(ticks, NOW + 3600) == [2, 1]
    with django_assert_num_queries(0):
        assert count([]) == []


@pytest.mark.django_db(transaction=True)
def test_threads_lose_no_count() -> None:
    if connection.vendor == "sqlite" and connection.is_in_memory_db():
        pytest.skip("an in-memory database has one thread")
    values: list[int] = []

    def work() -> None:
        values.extend(count([Tick("exec:agent_1", 60)], NOW)[0] for _ in range(25))
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(values) == list(range(1, 101))


@pytest.mark.usefixtures("db")
def test_redis_counts_and_the_database_is_not_asked(
    redis_url: str,  # noqa: F811
    settings: Any,
    rest: counters.RedisRest,
    django_assert_num_queries: Any,
) -> None:
    settings.REDIS_URL = redis_url
    ticks = [Tick("turn:conn_1"), Tick("exec:agent_1", 60)]
    with django_assert_num_queries(0):
        assert count(ticks, NOW) == [1, 1]
        assert count(ticks, NOW + 60) == [2, 1]
    assert Counter.objects.count() == 0
    client = counters.redis_client()
    expiries = [client.ttl(key) for key in client.scan_iter()]
    assert len(expiries) == 3
    assert min(expiries) > 0


@pytest.mark.usefixtures("db")
def test_without_redis_the_limit_holds_in_the_database(settings: Any, rest: counters.RedisRest) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert [count([Tick("exec:agent_1", 60)], NOW)[0] for _ in range(3)] == [1, 2, 3]
    with pytest.raises(Problem) as refused:
        for _ in range(3):
            spend("2/hour", "exec:agent_2")
    assert refused.value.code == "throttled"
    assert not rest.over()


@pytest.mark.parametrize(
    ("text", "calls", "seconds"),
    [("600/min", 600, 60), ("5/s", 5, 1), ("5/sec", 5, 1), ("1/hour", 1, 3600), (" 2/day ", 2, 86_400)],
)
def test_rates(text: str, calls: int, seconds: int) -> None:
    rate = parse_rate(text)
    assert rate is not None
    assert (rate.calls, rate.seconds) == (calls, seconds)


@pytest.mark.parametrize("text", ["", "600", "600/", "/min", "-1/min", "1.5/min", "600/week", "600 / min"])
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(ValueError, match="a rate is written like"):
        parse_rate(text)


@pytest.mark.parametrize("text", ["0", "0/min"])
def test_a_rate_of_nothing_is_no_limit(text: str) -> None:
    assert parse_rate(text) is None


def test_the_time_to_wait_is_the_rest_of_the_window(db: None) -> None:
    rate = parse_rate("2/min")
    assert rate is not None
    permits = Permits()
    permits.receive(rate, "exec:agent_1", 2, NOW)
    with pytest.raises(Problem) as refused:
        permits.receive(rate, "exec:agent_1", 3, NOW + 45)
    assert (refused.value.code, refused.value.retry_after) == ("throttled", 15)


def test_a_share_is_asked_for_at_once_and_the_rate_is_never_exceeded(db: None) -> None:
    rate = parse_rate("1000/hour")
    assert rate is not None
    assert rate.share == 5
    processes = [Permits(), Permits()]
    statements = served = 0
    for number in range(1100):
        permits = processes[number % 2]
        if not permits.take(rate, "exec:agent_1", NOW):
            statements += 1
            value = count([permits.tick(rate, "exec:agent_1")], NOW)[0]
            try:
                permits.receive(rate, "exec:agent_1", value, NOW)
            except Problem:
                continue
        served += 1
    assert served == 1000
    assert statements == 200 + 100


def test_what_was_granted_ends_with_its_window(db: None) -> None:
    rate = parse_rate("1000/min")
    assert rate is not None
    permits = Permits()
    permits.receive(rate, "exec:agent_1", rate.share, NOW)
    assert permits.take(rate, "exec:agent_1", NOW)
    assert not permits.take(rate, "exec:agent_1", NOW + 60)
    assert not permits.take(rate, "exec:agent_2", NOW)
