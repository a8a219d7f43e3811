"""Every page and state, narrow and wide, light and dark: nothing serious for axe, a silent console, no overflow."""

import pytest

from tests.browser.furnished import furnish
from tests.browser.visitor import Visitors
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
def test_furnished(road: Road, visitors: Visitors, width: int, scheme: str) -> None:
    furnish(road)
    administrator = visitors.open(road.house.admin.user, width, scheme)
    pages = ADMINISTRATOR_PAGES | {"agent": f"agents/{road.agent_row.id}"}
    for name, path in pages.items():
        administrator.go(path or "/")
        administrator.complaints = [text for text in administrator.complaints if "404" not in text]
        administrator.check()
        administrator.picture(name)
    member = visitors.open(road.house.member.user, width, scheme)
    for name, path in MEMBER_PAGES.items():
        member.go(path or "/")
        member.complaints = [text for text in member.complaints if "403" not in text]
        member.check()
        member.picture(name)
