"""Every page and state, narrow and wide, light and dark: nothing serious for axe, a silent console, no overflow."""

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from apps.activity.models import Execution
from apps.marketplace.models import App
from apps.marketplace.services.installations import install
from apps.marketplace.services.requests import request_app
from apps.workspaces.services.members import create_workspace
from tests.browser.furnished import furnish, let_engines_answer
from tests.browser.visitor import Visitor, Visitors
from tests.console.test_hostile import MARKUP
from tests.road import APP_IDS, Road
from tests.workspaces.conftest import OPERATOR

LOOKS = [(1440, "light"), (360, "dark")]
ADMINISTRATOR_PAGES = {
    "marketplace": "",
    "marketplace-attention": "?show=attention",
    "app-not-installed": "apps/google",
    "app-needs-setup": "apps/exa",
    "app-connected": "apps/searxng",
    "app-attention": "apps/tavily",
    "app-nothing-to-enter": "apps/duckduckgo",
    "app-options": "apps/tavily/options",
    "app-extension": "apps/brave/extension",
    "app-agents": "apps/duckduckgo/agents",
    "app-activity": "apps/brave/activity",
    "app-custom": "apps/tide-tables",
    "disconnect": "apps/brave/disconnect",
    "uninstall": "apps/brave/uninstall",
    "custom-app-new": "custom-apps/new",
    "members": "members",
    "agents": "agents",
    "service-tokens": "service-tokens",
    "secrets": "secrets",
    "activity": "activity",
    "activity-changes": "activity?show=audit",
    "playground": "playground",
    "knowledge": "knowledge",
    "knowledge-store": "knowledge/stores/handbook",
    "knowledge-model": "knowledge/models/writer",
    "account": "/account",
    "not-found": "apps/nothing-here",
}
MEMBER_PAGES = {
    "member-marketplace": "",
    "member-app": "apps/brave",
    "member-requested": "apps/serper",
    "member-request": "apps/google/request",
    "member-no-rights": "activity",
}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_furnished(road: Road, visitors: Visitors, settings: Any, width: int, scheme: str) -> None:
    furnish(road, settings)
    administrator = visitors.open(road.house.admin.user, width, scheme)
    pages = ADMINISTRATOR_PAGES | {"agent": f"agents/{road.agent_row.id}"}
    for name, path in pages.items():
        administrator.go(path or "/")
        administrator.complaints = [text for text in administrator.complaints if "404" not in text]
        administrator.check()
        administrator.picture(name)
    side_by_side(road, administrator)
    member = visitors.open(road.house.member.user, width, scheme)
    for name, path in MEMBER_PAGES.items():
        member.go(path or "/")
        member.complaints = [text for text in member.complaints if "403" not in text]
        member.check()
        member.picture(name)


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1440])
def test_long_and_hostile_names_fit(road: Road, visitors: Visitors, width: int) -> None:
    house = road.house
    house.workspace.name = MARKUP + "W" * (200 - len(MARKUP))
    house.workspace.save()
    create_workspace("Lighthouse Press", house.admin.user, OPERATOR)
    App.objects.create(workspace=house.workspace, slug="long", display_name=MARKUP + "W" * 70, description="W" * 1000)
    agent = house.agent(MARKUP + "W" * 50)
    install(house.workspace.id, APP_IDS["brave"], house.admin.actor)
    request_app(house.member.member, APP_IDS["exa"], MARKUP + "W" * 900, house.member.actor)
    Execution.objects.create(
        workspace_id=house.workspace.id,
        at=timezone.now(),
        caller="agent",
        caller_id=agent.id,
        extension=MARKUP,
        code="ok",
        milliseconds=1,
    )
    administrator = visitors.open(house.admin.user, width)
    for path in ("/", "apps/long", "apps/brave/agents", "agents", f"agents/{agent.id}", "members", "activity"):
        administrator.go(path)
        administrator.check()


def side_by_side(road: Road, administrator: Visitor) -> None:
    let_engines_answer(road)
    administrator.go("playground")
    page = administrator.page
    page.get_by_label("Query").fill("harbour ferries")
    page.get_by_label("SearXNG").check()
    page.get_by_label("Brave Search").check()
    administrator.press("Search")
    expect(page.get_by_text("3 results in")).to_have_count(2)
    page.get_by_text("Left out by normalisation").click()
    expect(page.get_by_text("1 × a duplicate")).to_be_visible()
    administrator.check()
    administrator.picture("playground-side-by-side")
