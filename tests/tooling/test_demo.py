"""The sandbox, and the demo as a process."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from agentteam.demo.corpus import PAGES
from agentteam.demo.product import ROOT
from agentteam.demo.sandbox import Sandbox, answer, running_sandbox
from tests.road import Road


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with running_sandbox() as server:
        yield server


def test_the_sandbox_ranks_by_shared_words_and_has_every_member_of_searxng() -> None:
    found = answer("Ferry to the ISLANDS")
    assert found["results"][0] == {
        "url": PAGES[0].url,
        "title": PAGES[0].title,
        "content": PAGES[0].content,
        "engine": "sandbox",
        "engines": ["sandbox"],
        "category": "general",
        "score": 3.0,
    }
    assert len(found["results"]) > 1
    recorded = json.loads((ROOT / "tests/cases/searxng/01-ok-two-engines.json").read_text())
    assert found.keys() == recorded.keys()


def test_the_sandbox_knows_nothing_of_what_it_does_not_have() -> None:
    assert answer("submarine")["results"] == []
    assert answer("")["results"] == []


@pytest.mark.parametrize(
    ("path", "status"), [("/search?q=ferry", 403), ("/search?q=ferry&format=html", 403), ("/", 404)]
)
def test_the_sandbox_refuses_like_a_searxng_without_json(sandbox: Sandbox, path: str, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(sandbox.url + path)
    assert refused.value.code == status
    refused.value.close()


def test_an_agent_searches_the_sandbox(road: Road, sandbox: Sandbox) -> None:
    installation_id = road.install("searxng")
    body = {"config": {"baseUrl": sandbox.url}}
    assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
    page = next(page for page in PAGES if page.url == "https://lighthouse.example/visit")
    expected = {"url": page.url, "title": page.title, "snippet": page.content}
    assert road.search("searxng", "lighthouse").json() == {"results": [expected]}


@pytest.mark.slow
def test_the_demo_plays_the_main_job_and_exits_0() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentteam.demo"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    steps = [
        *("Install", "Connect", "Test", "Search as an agent", "Disconnect", "Gone from the catalog"),
        *("Read this project's own documentation into a knowledge base", "Search it as an agent"),
    ]
    headings = [line for line in done.stdout.splitlines() if line[:2].rstrip(".").isdigit()]
    assert headings == [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    assert "https://ferries.example/timetable" in done.stdout
    assert "extension_not_found" in done.stdout
    assert "\033" not in done.stdout
