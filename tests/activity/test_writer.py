"""The writer behind the calls' backs: what it keeps, what it drops, what it tells."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from apps.activity import writer as writer_module
from apps.activity.executed import Executed
from apps.activity.models import Execution
from apps.activity.writer import ActivityWriter
from apps.workspaces.models import AgentToken
from tests.workspaces.conftest import House, house  # noqa: F401 - a fixture


def executed(number: int = 1, **members: Any) -> Executed:
    given: dict[str, Any] = {
        "workspace_id": "ws_1",
        "caller": "agent",
        "caller_id": "agent_1",
        "caller_member_id": "mem_1",
        "installation_id": "inst_1",
        "extension": "brave",
        "action": "search",
        "code": "ok",
        "reason": "",
        "results": number,
        "milliseconds": 12.5,
        "upstream_milliseconds": 10.25,
        "key_ordinal": None,
        "request_id": "0123456789abcdef",
    }
    return Executed(**{**given, **members})


@pytest.fixture
def fresh() -> ActivityWriter:
    return ActivityWriter()


@pytest.fixture
def no_executions_table(transactional_db: None) -> Iterator[None]:
    """The database refuses rows until the test says otherwise."""
    with connection.schema_editor() as editor:
        editor.alter_db_table(Execution, "activity_execution", "activity_execution_away")
    yield
    with connection.schema_editor() as editor:
        if "activity_execution_away" in connection.introspection.table_names():
            editor.alter_db_table(Execution, "activity_execution_away", "activity_execution")


def give_the_table_back() -> None:
    with connection.schema_editor() as editor:
        editor.alter_db_table(Execution, "activity_execution_away", "activity_execution")


def test_a_row_has_every_member_as_the_model_reads_it(db: None, fresh: ActivityWriter) -> None:
    at = datetime(2026, 5, 4, 8, 0, 0, 123456, tzinfo=UTC)
    row = executed(3, at=at, key_ordinal=2, code="upstream_failure", reason="timeout")
    fresh.record(row)
    fresh.flush()
    written = Execution.objects.get()
    assert {name: getattr(written, name) for name in row.__dataclass_fields__} == {
        name: getattr(row, name) for name in row.__dataclass_fields__
    }
    assert written.id.startswith("exec_")
    assert {field.name for field in Execution._meta.concrete_fields} == set(row.__dataclass_fields__)


def test_a_row_that_is_there_already_stays_as_it_is(db: None, fresh: ActivityWriter) -> None:
    row = executed(1)
    fresh.record(row)
    fresh.flush()
    fresh.record(executed(9, id=row.id))
    fresh.record(executed(2))
    fresh.flush()
    assert sorted(Execution.objects.values_list("results", flat=True)) == [1, 2]


def test_what_the_database_refuses_is_kept_in_order_and_written_later(
    no_executions_table: None, fresh: ActivityWriter
) -> None:
    for number in range(3):
        fresh.record(executed(number))
    with pytest.raises(DatabaseError):
        fresh.flush()
    fresh.record(executed(3))
    assert [row.results for row in fresh.queue] == [0, 1, 2, 3]
    assert not fresh.tick()
    give_the_table_back()
    assert fresh.tick()
    assert sorted(Execution.objects.values_list("results", flat=True)) == [0, 1, 2, 3]
    assert fresh.dropped == 0


def test_a_full_queue_drops_and_counts(monkeypatch: pytest.MonkeyPatch, fresh: ActivityWriter) -> None:
    monkeypatch.setattr(writer_module, "MAX_QUEUED", 2)
    heard: list[int] = []
    fresh.on_record.append(lambda row: heard.append(row.results))
    for number in range(5):
        fresh.record(executed(number))
    assert [row.results for row in fresh.queue] == [0, 1]
    assert fresh.dropped == 3
    assert heard == [0, 1, 2, 3, 4]


def test_more_than_a_batch_is_written_at_once(db: None, fresh: ActivityWriter) -> None:
    for number in range(writer_module.BATCH + 1):
        fresh.record(executed(number))
    fresh.flush()
    assert Execution.objects.count() == writer_module.BATCH + 1
    assert len(fresh.queue) == 0


def test_the_token_is_marked_as_used(house: House, fresh: ActivityWriter) -> None:  # noqa: F811
    house.agent_token(house.agent())
    token = AgentToken.objects.get()
    assert token.last_used_at is None
    before = timezone.now()
    fresh.record(executed(), (AgentToken, token.id))
    fresh.flush()
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert before <= token.last_used_at <= timezone.now()
    assert len(fresh.used_tokens) == 0


def test_a_listener_that_fails_does_not_end_the_thread(transactional_db: None, fresh: ActivityWriter) -> None:
    heard: list[bool] = []

    def broken(stopping: bool) -> None:
        raise KeyError

    fresh.on_tick += [heard.append, broken]
    fresh.record(executed())
    assert not fresh.tick()
    assert not fresh.tick(stopping=True)
    assert heard == [False, True]
    assert Execution.objects.count() == 1
