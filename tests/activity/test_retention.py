"""`manage.py prune_activity` keeps what is young enough and nothing else."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.activity import executed, retention
from apps.activity.models import AuditRow, Execution
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
    assert out.getvalue() == "7 executions deleted\n7 audit rows deleted\n"
    assert sorted(Execution.objects.values_list("results", flat=True)) == [0, 1, 2]
    assert sorted(AuditRow.objects.values_list("target_id", flat=True)) == ["0", "1", "2"]
    call_command("prune_activity", "--days", "3", stdout=StringIO())
    assert (Execution.objects.count(), AuditRow.objects.count()) == (3, 3)


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "many", "36501", ""])
def test_refuses_what_is_no_number_of_days(history: None, days: str) -> None:
    with pytest.raises(CommandError, match="a whole number from 1 to 36500"):
        call_command("prune_activity", f"--days={days}")
    assert (Execution.objects.count(), AuditRow.objects.count()) == (10, 10)
