"""`manage.py prune_activity` keeps what is young enough and nothing else."""

import secrets
import time
from datetime import datetime, timedelta
from io import StringIO

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.activity import executed, retention
from apps.activity.counters import Tick, count
from apps.activity.models import AuditRow, Counter, Execution
from tests.activity.test_writer import executed as an_execution


@pytest.fixture
def history(db: None) -> None:
    """One execution and one audit row of each of the last ten days, now and minus a minute to spare."""
    now = timezone.now()
    moments = [now - timedelta(days=day, minutes=1) for day in range(10)]
    executed.insert([an_execution(day, at=moment) for day, moment in enumerate(moments)])
    for day, moment in enumerate(moments):
        row = AuditRow.objects.create(
            actor_kind="person", actor_id="u", action="x", target_kind="y", target_id=str(day)
        )
        AuditRow.objects.filter(pk=row.pk).update(at=moment)


def test_deletes_what_is_older(history: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    out = StringIO()
    call_command("prune_activity", "--days", "3", stdout=out)
    assert out.getvalue().splitlines() == [
        "7 executions deleted",
        "7 audit rows deleted",
        "0 sign-in records deleted",
        "0 expired sessions deleted",
        "0 ended counters deleted",
    ]
    assert sorted(Execution.objects.values_list("results", flat=True)) == [0, 1, 2]
    assert sorted(AuditRow.objects.values_list("target_id", flat=True)) == ["0", "1", "2"]
    call_command("prune_activity", "--days", "3", stdout=StringIO())
    assert (Execution.objects.count(), AuditRow.objects.count()) == (3, 3)


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "many", "36501", ""])
def test_refuses_what_is_no_number_of_days(history: None, days: str) -> None:
    with pytest.raises(CommandError, match="a whole number from 1 to 36500"):
        call_command("prune_activity", f"--days={days}")
    assert (Execution.objects.count(), AuditRow.objects.count()) == (10, 10)


def pruned() -> dict[str, int]:
    return retention.prune(timezone.now() - timedelta(days=3))


def test_expired_sessions(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    now = timezone.now()
    for hours in (-90, -2, -1, 1, 24):
        moment = now + timedelta(hours=hours)
        Session.objects.create(session_key=secrets.token_hex(16), session_data="", expire_date=moment)
    assert pruned()["expired sessions"] == 3
    assert all(session.expire_date > now for session in Session.objects.all())
    assert (Session.objects.count(), pruned()["expired sessions"]) == (2, 0)


def test_records_of_sign_ins(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for day in range(6):
        moment = timezone.now() - timedelta(days=day, minutes=1)
        who = {"username": f"person{day}@x.example", "ip_address": "203.0.113.1", "user_agent": "x"}
        _at(moment, AccessAttempt.objects.create(**who, failures_since_start=1))
        _at(moment, AccessLog.objects.create(**who))
        _at(moment, AccessFailureLog.objects.create(**who))
    assert pruned()["sign-in records"] == 9
    for table in (AccessAttempt, AccessLog, AccessFailureLog):
        assert sorted(table.objects.values_list("username", flat=True)) == [
            f"person{day}@x.example" for day in range(3)
        ]


def _at(moment: datetime, row: AccessAttempt | AccessLog | AccessFailureLog) -> None:
    type(row).objects.filter(pk=row.pk).update(attempt_time=moment)


@pytest.mark.parametrize("seconds", [1, 60, 3600, 86_400])
def test_counters_whose_window_has_ended(db: None, monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    now = time.time()
    spare = 3600 + seconds
    for number in range(5):
        count([Tick(f"sign-in-as:old{number}", seconds)], now - spare - 86_400 * number - 1)
    for name, moment in (("now", now), ("behind", now - 60), ("ahead", now + 1800)):
        count([Tick(f"sign-in:{name}", seconds)], moment)
    assert pruned()["ended counters"] == 5
    assert set(Counter.objects.values_list("key", flat=True)) == {"sign-in:now", "sign-in:behind", "sign-in:ahead"}


def test_counters_without_a_window_stay(db: None) -> None:
    count([Tick("turn:conn_1")])
    # The numbers of forms are no times, whatever they look like.
    for number in (1, 20_000, 490_000, 29_000_000, 1_700_000_000, 2**40):
        count([Tick(f"form:{number}", 3600)], now=number * 3600)
    assert pruned()["ended counters"] == 0
    assert Counter.objects.count() == 7


def test_a_counter_that_is_counted_again_meanwhile_stays(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    key = Tick("exec:agent_1", 60)
    count([key], time.time() - 86_400)
    ended = retention.ended_counters(time.time())
    listed = list(ended.values_list("pk", flat=True))
    count([key])
    assert listed == ["exec:agent_1"]
    assert ended.filter(pk__in=listed).delete()[0] == 0
    assert pruned()["ended counters"] == 0
