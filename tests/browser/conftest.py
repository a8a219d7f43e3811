"""A real Chromium against the live server. Without Chromium these tests are skipped, unless they are required."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visitor import Visitors
from tests.road import Road

REQUIRED = os.environ.get("AGENTTEAM_REQUIRE_BROWSER") == "1"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium(django_db_setup: None) -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if REQUIRED:
            pytest.fail("AGENTTEAM_REQUIRE_BROWSER=1, and there is no Chromium on the path")
        pytest.skip("there is no Chromium on the path")
    migrated = connection._test_serialized_contents
    with sync_playwright() as playwright:
        # Playwright's event loop makes Django use another connection from here on: it must restore the same rows.
        connection._test_serialized_contents = migrated
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visitors(chromium: Browser, road: Road, live_server: object) -> Iterator[Visitors]:
    """People of the workspace of `road`, each with a browser window of their own."""
    people = Visitors(chromium, road, str(live_server))
    yield people
    people.leave()
