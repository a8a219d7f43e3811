"""The activity page and its export; the playground."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.activity.writer import writer
from tests.console.conftest import Window, connected, html
from tests.console.test_hostile import execution
from tests.road import ANSWERS, Road
from tests.workspaces.conftest import House


def test_empty_pages_say_what_to_do_next(house: House, admin: Window) -> None:
    assert "no App is connected" in html(admin.get("activity"))
    connected(house, "brave")
    shown = html(admin.get("activity"))
    assert "agentteam exec brave search" in shown
    execution(house, at=timezone.now() - timedelta(days=60))
    assert "Nothing matches these filters." in html(admin.get("activity"))


def test_figures_of_the_chart_are_those_of_the_tables(house: House, other_house: House, admin: Window) -> None:
    for value in range(1, 101):
        execution(house, milliseconds=float(value), code="ok" if value % 10 else "rate_limited")
    execution(other_house, milliseconds=9999.0)
    context = admin.get("activity", period="24h").context
    assert (context["calls"], context["errors"]) == (100, 10)
    engine = context["engines"][0]
    assert (engine.extension, engine.calls, engine.errors, engine.p50, engine.p95) == ("brave", 100, 10, 50.0, 95.0)
    chart = context["chart"]
    assert [slot["calls"] for slot in chart["slots"]] == [slot.calls for slot in context["slots"]]
    assert sum(slot["calls"] for slot in chart["slots"]) == 100
    assert len(chart["slots"]) == 24
    assert chart["engines"] == [{"extension": "brave", "p50": 50.0, "p95": 95.0}]


def test_filters(house: House, admin: Window) -> None:
    agent = house.agent("researcher")
    execution(house, caller_id=agent.id, extension="brave")
    execution(house, caller_id="agent_b", extension="exa", code="rate_limited")
    execution(house, caller_id="agent_b", extension="exa", at=timezone.now() - timedelta(days=20))

    def calls(**query: str) -> int:
        return int(admin.get("activity", **query).context["calls"])

    assert calls() == 2
    assert calls(period="30d") == 3
    assert calls(period="nonsense", outcome="nonsense") == 2
    assert calls(agent=agent.id) == 1
    assert calls(engine="exa") == 1
    assert calls(outcome="failed") == 1
    assert calls(outcome="ok") == 1
    assert calls(outcome="upstream_failure") == 0
    assert calls(engine="\0") == 2
    assert "researcher" in html(admin.get("activity", agent=agent.id))


def test_pages_by_key(house: House, admin: Window) -> None:
    for second in range(60):
        execution(house, at=timezone.now() - timedelta(seconds=second), extension="brave")
    first = admin.get("activity", engine="brave")
    assert len(first.context["rows"]) == 50
    second_page = admin.get("activity", engine="brave", cursor=first.context["next"])
    assert len(second_page.context["rows"]) == 10
    assert second_page.context["next"] is None
    assert {row.pk for row in first.context["rows"]}.isdisjoint(row.pk for row in second_page.context["rows"])
    assert admin.get("activity", cursor="nonsense").status_code == 400


def test_changes_are_listed_without_secrets(house: House, admin: Window) -> None:
    admin.post("install", "brave")
    admin.post("app-connection", "brave", **{"credentials.apiKey": "canary-5555"})
    shown = html(admin.get("activity", show="audit"))
    assert "connection.saved" in shown
    assert "admin@harbour.example" in shown
    assert "canary" not in shown


def test_the_export_has_what_the_filters_leave(house: House, admin: Window) -> None:
    agent = house.agent("researcher")
    execution(house, caller_id=agent.id, extension="brave", key_ordinal=2)
    execution(house, extension="exa")
    content = b"".join(admin.get("activity-export", engine="brave").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["extension"], row["caller_name"], row["key_ordinal"], row["code"]) for row in rows] == [
        ("brave", "researcher", "2", "ok")
    ]


def test_queries_of_the_page_do_not_grow(house: House, admin: Window, django_assert_max_num_queries: Any) -> None:
    for index in range(40):
        execution(house, extension=f"engine-{index}", caller_id=f"agent_{index}")
    with django_assert_max_num_queries(20):
        admin.get("activity")


def test_one_engine_with_time_and_what_was_dropped(road: Road, road_admin: Window) -> None:
    road.connect("brave")
    entry = {"url": "https://a.example/", "title": "A", "description": "a"}
    results = [entry, entry, {"title": "no address"}, {"url": "ftp://a.example/", "title": "F"}]
    road.upstream.reply(json={"web": {"results": results}})
    shown = html(road_admin.post("playground", query="ferries", limit="5", engines=["brave"]))
    assert "1 result in" in shown
    for words in ("1 × a duplicate", "1 × no URL", "1 × neither http nor https"):
        assert words in shown
    assert [row.caller for row in road.executions()] == ["playground"]


def test_several_named_engines_side_by_side(road: Road, road_admin: Window) -> None:
    for slug in ("brave", "duckduckgo"):
        road.connect(slug)
    road.upstream.reply(json=ANSWERS["brave"], match="/res/v1/web/search")
    road.upstream.reply(429, match="/")
    response = road_admin.post("playground", query="ferries", limit="5", engines=["brave", "duckduckgo"])
    results = {result.card.slug: result for result in response.context["results"]}
    assert results["brave"].answer is not None
    assert results["duckduckgo"].advice is not None
    assert "The provider limits how often you may ask" in html(response)


def test_parts_of_the_page_ask_one_engine_each(road: Road, road_admin: Window) -> None:
    road.connect("brave")
    headers = {"HX-Request": "true"}
    panels = road_admin.client.post(
        road_admin.url("playground"), {"query": "ferries", "limit": "5", "engines": ["brave"]}, headers=headers
    )
    assert road.upstream.requests == []
    assert road_admin.url("playground-run", "brave") in html(panels)
    part = road_admin.client.post(
        road_admin.url("playground-run", "brave"), {"query": "ferries", "limit": "5"}, headers=headers
    )
    assert "1 result in" in html(part)
    assert "<html" not in html(part)
    assert len(road.upstream.requests) == 1


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"query": "", "engines": ["brave"]}, "Text of 1 to 512 characters."),
        ({"query": "x", "engines": []}, "Choose one to 4 engines."),
        ({"query": "x", "engines": ["exa"]}, "Choose one to 4 engines."),
        ({"query": "x", "limit": "99", "engines": ["brave"]}, "Look at the marked fields."),
    ],
)
def test_what_is_not_asked(road: Road, road_admin: Window, typed: dict[str, Any], words: str) -> None:
    road.connect("brave")
    response = road_admin.post("playground", **typed)
    assert response.status_code == 400
    assert words in html(response)
    assert road.upstream.requests == []


def test_without_an_engine_the_playground_says_so(admin: Window) -> None:
    assert "No engine is connected" in html(admin.get("playground"))
    assert admin.post("playground", query="x", engines=["brave"]).status_code == 409
    writer.flush()
