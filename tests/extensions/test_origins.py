"""Where a keyed engine's requests go: its fixed origin, or the operator's own, never a workspace's (contract 1)."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from apps.marketplace.origins import origin_problem, target_of
from searchengines.contract import Reach
from searchengines.errors import Reason, SearchFailure
from searchengines.providers import ALL
from tests.road import RESULT, Road
from tests.stored import code, fields, rows
from tests.upstream import Upstream

PROVIDERS = {provider.slug: provider for provider in ALL}
FIXED = {
    "brave": "https://api.search.brave.com",
    "tavily": "https://api.tavily.com",
    "serper": "https://google.serper.dev",
    "staan": "https://api.staan.ai",
    "google": "https://www.googleapis.com",
    "searchapi": "https://www.searchapi.io",
    "duckduckgo": "https://api.duckduckgo.com",
    "exa": "https://api.exa.ai",
}


def test_public_engines_have_fixed_https_origins_and_reach_global_addresses_only(settings: Any) -> None:
    settings.AGENTTEAM_SEARCH_ORIGINS = {}
    found = {
        slug: target_of(provider, {"baseUrl": "https://evil.example"})
        for slug, provider in PROVIDERS.items()
        if slug != "searxng"
    }
    assert {slug: target.base_url for slug, target in found.items()} == FIXED
    assert {target.reach for target in found.values()} == {Reach.GLOBAL}
    assert not any(target.own_ca for target in found.values())


def test_searxng_reaches_private_addresses_and_loopback_by_a_setting(settings: Any) -> None:
    settings.AGENTTEAM_SEARCH_ORIGINS = {"searxng": "https://gateway.example"}
    config = {"baseUrl": "http://searxng.internal:8080"}
    for allowed, reach in [(True, Reach.LOOPBACK), (False, Reach.PRIVATE)]:
        settings.AGENTTEAM_SEARXNG_ALLOW_LOOPBACK = allowed
        target = target_of(PROVIDERS["searxng"], config)
        assert (target.base_url, target.reach, target.own_ca) == (config["baseUrl"], reach, True)


@pytest.mark.parametrize(
    ("origin", "without_flag", "with_flag"),
    [
        ("https://gateway.corp.example", True, True),
        ("https://gateway.corp.example:8443/brave/", True, True),
        ("https://10.0.0.5", True, True),
        ("https://127.0.0.1:9000", True, True),
        ("http://127.0.0.1:9000", False, True),
        ("http://127.0.0.2:9000", False, True),
        ("http://localhost:9000", False, True),
        ("http://[::1]:9000", False, True),
        ("http://10.0.0.5", False, False),
        ("http://gateway.corp.example", False, False),
        ("http://localhost.evil.example", False, False),
        ("http://127.0.0.1.evil.example", False, False),
        ("https://user:canary-0000@gateway.example", False, False),
        ("https://@gateway.example", False, False),
        ("https://gateway.example?x=1", False, False),
        ("https://gateway.example/#x", False, False),
        ("https://gateway.example:99999", False, False),
        ("https://[::1", False, False),
        ("ftp://gateway.example", False, False),
        ("gateway.example", False, False),
        ("https://", False, False),
    ],
)
def test_an_operators_origin(settings: Any, origin: str, without_flag: bool, with_flag: bool) -> None:
    settings.AGENTTEAM_SEARCH_ORIGINS = {"brave": origin}
    for flag, taken, reach in [(False, without_flag, Reach.PRIVATE), (True, with_flag, Reach.LOOPBACK)]:
        settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = flag
        problem = origin_problem(origin)
        assert (problem is None) == taken
        assert "canary" not in (problem or "")
        if taken:
            target = target_of(PROVIDERS["brave"], {})
            assert (target.base_url, target.reach, target.own_ca) == (origin.rstrip("/"), reach, False)
            call_command("check", stderr=io.StringIO(), stdout=io.StringIO())
        else:
            with pytest.raises(SearchFailure) as refused:
                target_of(PROVIDERS["brave"], {})
            assert refused.value.reason == Reason.ADDRESS_DENIED
            with pytest.raises(SystemCheckError, match="AGENTTEAM_SEARCH_ORIGIN_BRAVE"):
                call_command("check", stderr=io.StringIO(), stdout=io.StringIO())


def test_a_key_goes_to_the_operators_origin_of_its_own_engine_only(road: Road, settings: Any) -> None:
    with Upstream() as other:
        settings.AGENTTEAM_SEARCH_ORIGINS = {**settings.AGENTTEAM_SEARCH_ORIGINS, "brave": f"{other.url}/gateway"}
        road.connect("brave")
        other.reply(json={"web": {"results": []}})
        assert road.search("brave").json() == {"results": []}
        assert other.last.path == "/gateway/res/v1/web/search"
        assert road.upstream.requests == []
        road.connect("tavily")
        assert road.search("tavily").json() == {"results": [RESULT]}
        assert (len(other.requests), len(road.upstream.requests)) == (1, 1)


def test_an_origin_that_is_not_taken_sends_nothing(road: Road, settings: Any) -> None:
    installation_id = road.connect("brave")
    settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = False
    assert code(road.search("brave")) == (502, "upstream_failure")
    tested = road.test(installation_id)
    assert (code(tested), tested.json()["error"]["reason"]) == ((502, "upstream_failure"), "address_denied")
    assert road.upstream.requests == []
    assert [(row.code, row.reason) for row in road.executions()] == [("upstream_failure", "address_denied")] * 2
    # Nothing was sent, so nobody was waited for.
    assert [row.upstream_milliseconds for row in road.executions()] == [0, 0]


def test_searxng_on_loopback_can_be_turned_off(road: Road, settings: Any) -> None:
    installation_id = road.connect("searxng")
    assert road.search("searxng").status_code == 200
    road.upstream.close_connections()
    settings.AGENTTEAM_SEARXNG_ALLOW_LOOPBACK = False
    assert code(road.search("searxng")) == (502, "upstream_failure")
    assert road.test(installation_id).json()["error"]["reason"] == "address_denied"
    assert len(road.upstream.requests) == 1


def test_no_workspace_and_no_agent_chooses_an_origin(road: Road) -> None:
    installation_id = road.connect("brave")
    before = rows()
    path, options = road.connection_path(installation_id), road.options_path(installation_id)
    for name in ("baseUrl", "base_url", "origin", "endpoint"):
        admin = road.house.admin.api
        assert f"config.{name}" in fields(admin("PUT", path, {"config": {name: "https://evil.example"}}))
        assert set(fields(admin("PUT", options, {name: "https://evil.example"}))) == {name}
        assert set(fields(road.search("brave", **{name: "https://evil.example"}))) == {name}
    assert rows() == before
    assert road.upstream.requests == []


def test_origins_are_read_from_the_environment() -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "AGENTTEAM_SEARCH_ORIGIN_BRAVE": "https://gateway.example",
        "AGENTTEAM_SEARCH_ORIGIN_SEARXNG": "https://gateway.example",
    }
    script = "from django.conf import settings; print(settings.AGENTTEAM_SEARCH_ORIGINS)"
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        cwd=Path(__file__).parents[2],
        check=True,
        capture_output=True,
        text=True,
    )
    assert printed.stdout.strip() == "{'brave': 'https://gateway.example'}"
