"""Somebody in front of a browser window: what they see, what the window complains about, and pictures of it."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from apps.workspaces.models import User
from tests.road import Road

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PICTURES = Path(__file__).parents[2] / "docs" / "screenshots"
TAKES_PICTURES = os.environ.get("AGENTTEAM_SCREENSHOTS") == "1"
NARROW = 360
HEIGHTS = {NARROW: 740, 1440: 900}
NARROW_PICTURES = frozenset(
    {"marketplace", "app-connected", "activity", "agent", "sign-in", "test-passed", "test-failed", "knowledge-store"}
)
TALLEST = 1400
SERIOUS = ("serious", "critical")


@dataclass
class Visitor:
    """``complaints`` collects what the console says: errors, exceptions and violations of the CSP."""

    context: BrowserContext
    page: Page
    root: str
    workspace_path: str
    width: int
    scheme: str
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """``path`` is of the workspace, or absolute with a slash."""
        self.page.goto(self.root + (path if path.startswith("/") else f"{self.workspace_path}/{path}"))

    def press(self, name: str) -> None:
        """Press the button or link of that name."""
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def text(self) -> str:
        return self.page.inner_text("main")

    def check(self) -> None:
        """Nothing serious for axe, nothing in the console, nothing wider than the window."""
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (item["id"], [node["html"] for node in item["nodes"]][:3])
            for item in found["violations"]
            if item["impact"] in SERIOUS
        ]
        assert serious == [], f"{self.page.url}: {serious}"
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{self.page.url} is {wide} px wider than the window"
        assert self.complaints == [], self.complaints

    def picture(self, name: str) -> None:
        if not TAKES_PICTURES:
            return
        PICTURES.mkdir(parents=True, exist_ok=True)
        size = "narrow" if self.width == NARROW else "wide"
        if size == "narrow" and name not in NARROW_PICTURES:
            return
        height = min(self.page.evaluate("document.documentElement.scrollHeight"), TALLEST)
        self.page.set_viewport_size({"width": self.width, "height": max(height, HEIGHTS[self.width])})
        self.page.screenshot(path=PICTURES / f"{name}-{size}-{self.scheme}.png")
        self.page.set_viewport_size({"width": self.width, "height": HEIGHTS[self.width]})


class Visitors:
    def __init__(self, browser: Browser, road: Road, root: str) -> None:
        self.browser, self.road, self.root = browser, road, root
        self._all: list[Visitor] = []

    def open(self, user: User | None, width: int = 1440, scheme: str = "light", **options: Any) -> Visitor:
        """A window, signed in when a person is given."""
        if TAKES_PICTURES and width > NARROW:
            # As wide as a README shows them.
            options["device_scale_factor"] = 0.75
        context = self.browser.new_context(
            viewport={"width": width, "height": HEIGHTS[width]}, color_scheme=scheme, locale="en-GB", **options
        )
        context.set_default_timeout(10_000)
        if user is not None:
            client = Client()
            client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
            value = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": self.root}])
        page = context.new_page()
        visitor = Visitor(context, page, self.root, f"/w/{self.road.house.workspace.id}", width, scheme)
        page.on(
            "console",
            lambda message: visitor.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("dialog", lambda dialog: visitor.complaints.append(f"a dialog: {dialog.message}"))
        page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
        self._all.append(visitor)
        return visitor

    def leave(self) -> None:
        for visitor in self._all:
            visitor.context.close()
