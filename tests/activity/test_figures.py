"""Figures of calls: slots, shares, percentiles, filters; and that a million rows do not matter."""

import math
import time
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.activity import figures
from apps.activity.figures import PERIODS, Filters
from apps.activity.models import Execution
from tests.workspaces.conftest import House, house  # noqa: F401 - a fixture

WORKSPACE = "ws_figures"
NOW = datetime(2026, 3, 29, 10, 30, tzinfo=UTC)


def row(**members: Any) -> Execution:
    values: dict[str, Any] = {
        "workspace_id": WORKSPACE,
        "at": NOW,
        "caller": "agent",
        "caller_id": "agent_a",
        "installation_id": "inst_a",
        "extension": "brave",
        "action": "search",
        "code": "ok",
        "milliseconds": 1.0,
    }
    return Execution(**values | members)


def fill(*rows: Execution) -> None:
    Execution.objects.bulk_create(rows)


def all_rows() -> Any:
    return figures.executions(WORKSPACE, Filters())


@pytest.mark.django_db
def test_slots_of_a_day_end_with_the_present_hour() -> None:
    fill(
        row(at=NOW),
        row(at=NOW.replace(minute=0), code="rate_limited"),
        row(at=NOW - timedelta(minutes=31)),
        row(at=NOW - timedelta(hours=23)),
        row(workspace_id="ws_other"),
    )
    slots = figures.calls_over_time(all_rows(), PERIODS["24h"], NOW)
    assert len(slots) == 24
    assert (slots[-1].start, slots[-1].calls, slots[-1].errors) == (datetime(2026, 3, 29, 10, tzinfo=UTC), 2, 1)
    assert (slots[-2].calls, slots[-2].errors) == (1, 0)
    assert (slots[0].start, slots[0].calls) == (datetime(2026, 3, 28, 11, tzinfo=UTC), 1)
    assert sum(slot.calls for slot in slots) == 4


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "count"), [("7d", 7), ("30d", 30)])
def test_slots_of_days(name: str, count: int) -> None:
    fill(row(at=NOW), row(at=NOW - timedelta(days=1)), row(at=NOW - timedelta(days=count - 1)))
    slots = figures.calls_over_time(all_rows(), PERIODS[name], NOW)
    assert [slot.calls for slot in slots] == [1] + [0] * (count - 3) + [1, 1]
    assert slots[-1].start == datetime(2026, 3, 29, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 2, 3, 19, 20, 21, 100, 101])
def test_percentiles_by_nearest_rank(count: int) -> None:
    values = [float(value) for value in range(1, count + 1)]
    Random(count).shuffle(values)
    fill(*(row(milliseconds=value) for value in values))
    [engine] = figures.by_engine(all_rows())
    assert (engine.calls, engine.errors) == (count, 0)
    assert engine.p50 == math.ceil(count * 0.5)
    assert engine.p95 == math.ceil(count * 95 / 100)


@pytest.mark.django_db
def test_engines_are_apart_and_the_busiest_is_first() -> None:
    fill(row(milliseconds=5), row(extension="exa"), row(extension="exa", code="rate_limited", milliseconds=9))
    assert figures.by_engine(all_rows()) == [
        figures.EngineFigures("exa", 2, 1, 1.0, 9.0),
        figures.EngineFigures("brave", 1, 0, 5.0, 5.0),
    ]
    assert figures.by_engine(figures.executions("ws_nobody", Filters())) == []
    assert figures.extensions_called(WORKSPACE) == ["brave", "exa"]


@pytest.mark.django_db
def test_filters_narrow() -> None:
    fill(
        row(),
        row(caller_id="agent_b", code="rate_limited"),
        row(extension="exa", code="upstream_failure", at=NOW - timedelta(days=9)),
    )

    def found(**members: Any) -> int:
        return int(figures.executions(WORKSPACE, Filters(**members)).count())

    assert found() == 3
    assert found(since=NOW - timedelta(days=1)) == 2
    assert found(caller="agent_b") == 1
    assert found(extension="exa") == 1
    assert found(outcome="ok") == 1
    assert found(outcome="failed") == 2
    assert found(outcome="upstream_failure") == 1


@pytest.mark.django_db
def test_each_figure_is_one_query(django_assert_num_queries: Any) -> None:
    fill(row(), row(extension="exa"))
    with django_assert_num_queries(1):
        figures.calls_over_time(all_rows(), PERIODS["7d"], NOW)
    with django_assert_num_queries(1):
        figures.by_engine(all_rows())
    with django_assert_num_queries(1):
        figures.recent_executions(WORKSPACE, "inst_a", 5)


@pytest.mark.django_db
def test_the_newest_calls_of_one_installation() -> None:
    fill(*(row(at=NOW - timedelta(minutes=minute)) for minute in range(4)), row(installation_id="inst_b"))
    recent = figures.recent_executions(WORKSPACE, "inst_a", 2)
    assert [item.at for item in recent] == [NOW, NOW - timedelta(minutes=1)]
    assert figures.recent_executions("ws_other", "inst_a", 2) == []


FIRST, DOUBLINGS = 8_000, "abcdefg"


def fill_a_million(workspace_id: str) -> None:
    """Eight thousand rows over eighty days, doubled seven times by the database itself."""
    chance, now = Random(1), timezone.now()
    engines = ("brave", "exa", "searxng", "tavily")
    fill(
        *(
            row(
                id=f"exec_{index}",
                workspace_id=workspace_id,
                at=now - timedelta(seconds=chance.randrange(80 * 86_400)),
                extension=engines[index % 4],
                installation_id=f"inst_{index % 4}",
                caller_id=f"agent_{index % 50}",
                code="ok" if index % 20 else "rate_limited",
                milliseconds=chance.lognormvariate(6, 0.5),
            )
            for index in range(FIRST)
        )
    )
    table = Execution._meta.db_table
    columns = ", ".join(field.column for field in Execution._meta.fields if field.column != "id")
    with connection.cursor() as cursor:
        for suffix in DOUBLINGS:
            cursor.execute(
                f"INSERT INTO {table} (id, {columns}) SELECT id || %s, {columns} FROM {table} WHERE workspace_id = %s",
                [suffix, workspace_id],
            )
        cursor.execute("ANALYZE")


@pytest.mark.slow
def test_a_million_rows(house: House) -> None:  # noqa: F811
    """The page takes as many queries as with one row, each through an index; it opens within seconds."""
    client = Client()
    client.force_login(house.admin.user, backend="django.contrib.auth.backends.ModelBackend")
    path = f"/w/{house.workspace.id}/activity"
    fill(row(id="exec_one", workspace_id=house.workspace.id, at=timezone.now()))
    with CaptureQueriesContext(connection) as with_one:
        client.get(path)
    fill_a_million(house.workspace.id)
    assert Execution.objects.count() > 1_000_000
    seconds = {}
    for query in ("period=24h", "period=7d", "period=30d", "period=30d&engine=brave&outcome=failed"):
        with CaptureQueriesContext(connection) as captured:
            started = time.monotonic()
            response = client.get(f"{path}?{query}")
            seconds[query] = time.monotonic() - started
        assert response.status_code == 200
        assert len(captured) == len(with_one), query
    next_page = client.get(path, {"cursor": client.get(path).context["next"]})
    assert len(next_page.context["rows"]) == 50
    assert max(seconds.values()) < 20
    rows = figures.executions(house.workspace.id, Filters(since=timezone.now() - timedelta(days=1)))
    for plan in (rows.order_by("-at", "-id")[:51].explain(), rows.filter(extension="brave").explain()):
        assert "execution_by_" in plan, plan
