"""Names and provider text that would like to be markup, a formula or a script."""

import csv
import io
import json
import re
from typing import Any

from django.utils import timezone

from apps.activity.models import Execution
from apps.console.activity import cell
from apps.marketplace.models import App
from apps.workspaces.models import Membership
from apps.workspaces.services.agents import create_agent
from tests.console.conftest import Window, connected, html, window
from tests.road import Road
from tests.workspaces.conftest import OPERATOR, House

MARKUP = "</title></script><img src=x onerror=alert(1)>'\"{{7*7}}"
PAGES: list[tuple[str, ...]] = [
    ("marketplace",),
    ("app", "hostile"),
    ("app", "brave"),
    ("app-agents", "brave"),
    ("disconnect", "brave"),
    ("uninstall", "hostile"),
    ("agents",),
    ("members",),
    ("activity",),
    ("service-tokens",),
]


def inert(text: str) -> None:
    assert "<img src=x" not in text
    assert "onerror=alert(1)>" not in text.replace("onerror=alert(1)&gt;", "").replace("\\u003E", "")
    assert "49" not in re.findall(r"\{\{|49\"", text)


def test_names_are_inert_on_every_page(house: House) -> None:
    house.workspace.name = MARKUP
    house.workspace.save()
    App.objects.create(workspace=house.workspace, slug="hostile", display_name=MARKUP, description=MARKUP)
    connected(house, "brave")
    agent = create_agent(house.workspace.id, OPERATOR, MARKUP)
    admin = window(house.admin.user, house.workspace.id)
    admin.post("install", "hostile")
    window(house.member.user, house.workspace.id).post("request", "exa", reason=MARKUP)
    for name, *args in [*PAGES, ("agent", agent.id), ("delete-agent", agent.id)]:
        response = admin.get(name, *args)
        assert response.status_code == 200, name
        inert(html(response))
        assert "&lt;img src=x" in html(response), name
    assert Membership.objects.get(agent=agent)


def test_a_hostile_name_cannot_leave_the_chart(house: House, admin: Window) -> None:
    execution(house, extension=MARKUP)
    shown = html(admin.get("activity"))
    inert(shown)
    figures = shown.split('<script id="figures" type="application/json">')[1].split("</script>")[0]
    assert json.loads(figures)["engines"][0]["extension"] == MARKUP


def test_provider_text_is_inert_in_the_playground(road: Road, road_admin: Window) -> None:
    road.connect("brave")
    results = [
        {"url": "https://a.example/?q=<b>&x='\"", "title": MARKUP, "description": MARKUP},
        {"url": "javascript:alert(1)", "title": "never shown", "description": ""},
        {"url": "data:text/html,<script>", "title": "never shown", "description": ""},
    ]
    road.upstream.reply(json={"web": {"results": results}})
    shown = html(road_admin.post("playground", query="ferries", limit="5", engines=["brave"]))
    inert(shown)
    assert "javascript:" not in shown
    assert "never shown" not in shown
    assert "2 × neither http nor https" in shown
    assert 'rel="noopener noreferrer nofollow"' in shown


def test_no_cell_of_the_export_is_a_formula(house: House, admin: Window) -> None:
    for extension in ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "plain"):
        execution(house, extension=extension)
    create_agent(house.workspace.id, OPERATOR, "=HYPERLINK(1)")
    response = admin.get("activity-export")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="activity.csv"'
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert {row["extension"] for row in rows} == {
        "'=cmd|' /C calc'!A0",
        "'+1",
        "'-1",
        "'@SUM(A1)",
        "'\t=1",
        "plain",
    }
    assert all(not str(value).startswith(("=", "+", "-", "@", "\t")) for row in rows for value in row.values())
    assert cell(None) == ""
    assert cell("\r=1") == "'\r=1"


def execution(house: House, **members: Any) -> Execution:
    values: dict[str, Any] = {
        "workspace_id": house.workspace.id,
        "at": timezone.now(),
        "caller": "agent",
        "caller_id": "agent_a",
        "installation_id": "inst_a",
        "extension": "brave",
        "action": "search",
        "code": "ok",
        "milliseconds": 10.0,
    }
    return Execution.objects.create(**values | members)
