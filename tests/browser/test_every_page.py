"""Every page and state, narrow and wide, light and dark: nothing serious for axe, a silent console, no overflow."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.furnished import furnish, let_engines_answer
from tests.browser.visitor import Visitor, Visitors
from tests.road import Road

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
