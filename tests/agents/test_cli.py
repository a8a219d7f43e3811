"""`agentteam exec` as a real process against a real server: documents, messages and every exit status."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apps.marketplace.models import Connection, Credential
from searchengines.providers import ALL
from tests.agents.shell import ROOT, Shell
from tests.road import ANSWERS, KEY, RESULT, Road
from tests.upstream import Upstream

QUERY = '{"query": "ferries"}'
TOKEN = "ata_" + "x" * 43


@pytest.fixture
def shell(road: Road, site: str) -> Shell:
    return Shell(site, road.agent.token)


@pytest.fixture
def stranger(upstream: Upstream) -> Shell:
    """Speaks to a server that is not ours."""
    return Shell(upstream.url, TOKEN)


def test_lists_describes_and_runs(road: Road, shell: Shell) -> None:
    """Merged help and invocation for each engine's own name (spec A 9)."""
    slugs = sorted(provider.slug for provider in ALL)
    for slug in slugs:
        road.connect(slug)
    listed = shell("exec")
    assert (listed.status, listed.document) == (0, road.agent("GET", "exec").json())
    assert [entry["name"] for entry in listed.document["extensions"]] == slugs
    for slug in slugs:
        assert f'agentteam exec {slug} search \'{{"query":' in listed.stderr
        road.upstream.reply(json=ANSWERS[slug])
        found = shell("exec", slug, "search", '{"query":"x"}')
        assert (found.status, found.document, found.stderr) == (0, {"results": [RESULT]}, "")
    described = shell("exec", "searxng")
    assert (described.status, described.document) == (0, road.agent("GET", "exec/searxng").json())
    assert len(road.upstream.requests) == len(slugs)


def test_input_from_standard_input_and_from_a_file(road: Road, shell: Shell, tmp_path: Path) -> None:
    road.connect("brave")
    assert shell("exec", "brave", "search", "-", stdin=b'{"query": "from stdin", "limit": 2}').status == 0
    assert (road.upstream.last.param("q"), road.upstream.last.param("count")) == ("from stdin", "2")
    file = tmp_path / "query.json"
    file.write_text('{"query": "Fähre 渡し"}')
    assert shell("exec", "brave", "search", f"@{file}", LC_ALL="C").status == 0
    assert road.upstream.last.param("q") == "Fähre 渡し"
    road.upstream.reply(json={"web": {"results": [{"url": "https://a.example/", "title": "Fähre 渡し"}]}})
    found = shell("exec", "brave", "search", QUERY, LC_ALL="C", PYTHONIOENCODING="ascii")
    assert found.document["results"][0]["title"] == "Fähre 渡し"


def test_an_agent_without_extensions_is_told_so(shell: Shell) -> None:
    listed = shell("exec")
    assert (listed.status, listed.document) == (0, {"extensions": []})
    assert "no Extension now" in listed.stderr


def limited(road: Road, shell: Shell) -> None:
    road.upstream.reply(status=429, headers={"Retry-After": "9"})


def broken(road: Road, shell: Shell) -> None:
    road.upstream.reply(status=500)


def keyless(road: Road, shell: Shell) -> None:
    Credential.objects.all().delete()


def ambiguous(road: Road, shell: Shell) -> None:
    Connection.objects.create(installation=Connection.objects.get().installation, external_subject_ref="second")


def nothing(road: Road, shell: Shell) -> None:
    """The state is good; the call is not."""


@pytest.mark.parametrize(
    ("before", "arguments", "status", "code"),
    [
        (nothing, ("brave", "search", "{}"), 2, "invalid_input"),
        (nothing, ("brave", "search", "[]"), 2, "invalid_input"),
        (nothing, ("brave", "search", '{"query":"x","query":"y"}'), 2, "invalid_input"),
        (nothing, ("tavily", "search", QUERY), 4, "extension_not_found"),
        (nothing, ("brave", "fetch", QUERY), 4, "extension_not_found"),
        (nothing, ("../agents", "search", QUERY), 4, "not_found"),
        (nothing, ("",), 4, "not_found"),
        (limited, ("brave", "search", QUERY), 5, "rate_limited"),
        (keyless, ("brave", "search", QUERY), 6, "provider_auth_unavailable"),
        (broken, ("brave", "search", QUERY), 7, "upstream_failure"),
        (ambiguous, ("brave", "search", QUERY), 1, "connection_ambiguous"),
    ],
)
def test_exit_statuses_of_answers(
    road: Road, shell: Shell, before: Callable[[Road, Shell], None], arguments: tuple[str, ...], status: int, code: str
) -> None:
    road.connect("brave")
    before(road, shell)
    ended = shell("exec", *arguments)
    assert (ended.status, ended.error["code"]) == (status, code)
    assert ended.stderr.startswith(f"agentteam: {code}: ")
    assert KEY not in ended.stderr + ended.stdout.decode()


def test_our_own_limit_ends_like_a_providers(road: Road, shell: Shell, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "1/min"
    road.connect("brave")
    assert shell("exec", "brave", "search", QUERY).status == 0
    ended = shell("exec", "brave", "search", QUERY)
    assert (ended.status, ended.error["code"]) == (5, "throttled")
    assert "Try again in " in ended.stderr


def test_messages_name_the_members(road: Road, shell: Shell) -> None:
    road.connect("brave")
    ended = shell("exec", "brave", "search", '{"q": "x"}')
    assert "\n  query: Required. Text of 1 to 512 characters.\n" in ended.stderr


@pytest.mark.parametrize("kind", ["unknown", "person", "service"])
def test_tokens_that_are_not_an_agents(road: Road, shell: Shell, kind: str) -> None:
    tokens = {"unknown": TOKEN, "person": road.house.owner.api.token, "service": road.house.service_token()}
    ended = shell("exec", AGENTTEAM_TOKEN=tokens[kind])
    assert (ended.status, ended.error["code"]) == (3, "unauthenticated" if kind == "unknown" else "permission_denied")


@pytest.mark.parametrize(
    ("changed", "status", "message"),
    [
        ({"AGENTTEAM_URL": None}, 2, "AGENTTEAM_URL is not set"),
        ({"AGENTTEAM_URL": " "}, 2, "AGENTTEAM_URL is not set"),
        ({"AGENTTEAM_URL": "agents.example.com"}, 2, "AGENTTEAM_URL is not an http or https address"),
        ({"AGENTTEAM_URL": "ftp://agents.example.com"}, 2, "AGENTTEAM_URL is not"),
        ({"AGENTTEAM_URL": "http://me:canary@agents.example.com"}, 2, "AGENTTEAM_URL is not"),
        ({"AGENTTEAM_URL": "http://agents.example.com:99999"}, 2, "AGENTTEAM_URL is not"),
        ({"AGENTTEAM_URL": "http://[::1"}, 2, "AGENTTEAM_URL is not"),
        ({"AGENTTEAM_TOKEN": None}, 3, "AGENTTEAM_TOKEN is not set"),
        ({"AGENTTEAM_TOKEN": "canary"}, 3, "AGENTTEAM_TOKEN does not hold a token"),
        ({"AGENTTEAM_TOKEN": f"{TOKEN}\r\nX-Other: 1"}, 3, "AGENTTEAM_TOKEN does not hold a token"),
    ],
)
def test_the_environment(stranger: Shell, upstream: Upstream, changed: Any, status: int, message: str) -> None:
    ended = stranger("exec", **changed)
    assert ended.status == status
    assert ended.error["message"] in ended.stderr
    assert message in ended.stderr
    assert "canary" not in ended.stderr + ended.stdout.decode()
    assert upstream.requests == []


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("run",),
        ("exec", "brave", "search"),
        ("exec", "brave", "search", QUERY, "more"),
        ("exec", "--timeout", "0"),
        ("exec", "--timeout", "soon"),
        ("exec", "--timeout", "nan"),
        ("exec", "--token", TOKEN),
        ("exec", f"--token={TOKEN}"),
        ("exec", "brave", "search", "{query: x}"),
        ("exec", "brave", "search", ""),
        ("exec", "brave", "search", b'{"query": "\xff"}'),
        ("exec", "brave", "search", "[" * 30000),
        ("exec", "brave", "search", "@/does/not/exist"),
        ("exec", "brave", "search", "@/"),
    ],
)
def test_usage(stranger: Shell, upstream: Upstream, arguments: tuple[str, ...]) -> None:
    ended = stranger(*arguments)
    assert (ended.status, ended.error["code"]) == (2, "invalid_input")
    assert ended.error["message"] in ended.stderr
    assert TOKEN not in ended.stderr + ended.stdout.decode()
    assert upstream.requests == []


def test_an_input_that_is_too_large_is_not_sent(stranger: Shell, upstream: Upstream) -> None:
    ended = stranger("exec", "brave", "search", "-", stdin=b'"' + b"x" * 300_000 + b'"')
    assert (ended.status, ended.error["code"]) == (1, "payload_too_large")
    assert upstream.requests == []


HTML = {"status": 502, "headers": {"Content-Type": "text/html"}, "body": b"<html>Bad Gateway\x1b[31m</html>"}


@pytest.mark.parametrize(
    ("reply", "reason", "message"),
    [
        (HTML, "not_json", "(status 502, text/html) is not JSON. Is AGENTTEAM_URL right, or does a proxy answer"),
        ({"status": 200, "body": b""}, "not_json", "is not JSON"),
        ({"status": 200, "body": b"{}{}"}, "not_json", "is not JSON"),
        ({"status": 403, "json": {"detail": "no"}}, "bad_shape", "is JSON, but not this product's"),
        ({"status": 200, "json": {"name": "other"}}, "bad_shape", "is JSON, but not this product's"),
        ({"status": 200, "json": [1]}, "bad_shape", "is JSON, but not this product's"),
        (
            {"status": 302, "headers": {"Location": "https://u:p@other.example/x?token=canary"}},
            "redirected",
            "redirects to https://other.example; the token is not sent along",
        ),
        ({"status": 308, "headers": {"Location": "/api/v2"}}, "redirected", "The server redirects; the token"),
    ],
)
def test_servers_that_are_not_ours(stranger: Shell, upstream: Upstream, reply: Any, reason: str, message: str) -> None:
    upstream.reply(**reply)
    ended = stranger("exec")
    assert (ended.status, ended.error["code"], ended.error["reason"]) == (1, "unavailable", reason)
    assert message in ended.stderr
    assert "\x1b" not in ended.stderr
    assert "canary" not in ended.stderr
    assert len(upstream.requests) == 1


def test_a_server_that_is_down(stranger: Shell, upstream: Upstream) -> None:
    upstream.stop()
    ended = stranger("exec")
    assert (ended.status, ended.error["reason"]) == (1, "unreachable")
    assert "refuses connections. Is the server running?" in ended.stderr


@pytest.mark.parametrize("host", ["does-not-exist.invalid", "a" * 70 + ".example"])
def test_a_host_that_is_not_there(stranger: Shell, host: str) -> None:
    ended = stranger("exec", AGENTTEAM_URL=f"http://{host}")
    assert (ended.status, ended.error["reason"]) == (1, "unreachable")


def test_tls(tls_upstream: Upstream) -> None:
    tls_upstream.reply(json={"extensions": []})
    shell = Shell(f"https://localhost:{tls_upstream.port}", TOKEN)
    untrusted = shell("exec")
    assert (untrusted.status, untrusted.error["reason"]) == (1, "tls")
    assert "set SSL_CERT_FILE" in untrusted.stderr
    assert tls_upstream.requests == []
    trusted = shell("exec", SSL_CERT_FILE=tls_upstream.ca_file)
    assert (trusted.status, trusted.document) == (0, {"extensions": []})


def test_tls_to_a_server_without(stranger: Shell, upstream: Upstream) -> None:
    ended = stranger("exec", AGENTTEAM_URL=upstream.url.replace("http:", "https:"))
    assert (ended.status, ended.error["reason"]) == (1, "tls")


def test_the_timeout_holds_for_all_of_it(stranger: Shell, upstream: Upstream) -> None:
    upstream.reply(json={"extensions": []}, delay=20)
    started = time.monotonic()
    ended = stranger("exec", "--timeout", "0.4")
    assert (ended.status, ended.error["reason"]) == (1, "timeout")
    assert time.monotonic() - started < 10


def test_the_token_goes_to_the_one_server_and_through_no_proxy(stranger: Shell, upstream: Upstream) -> None:
    upstream.reply(json={"extensions": []})
    with Upstream() as proxy:
        ended = stranger("exec", HTTP_PROXY=proxy.url, http_proxy=proxy.url, ALL_PROXY=proxy.url)
        assert (ended.status, proxy.requests) == (0, [])
    assert upstream.last.headers["authorization"] == f"Bearer {TOKEN}"
    assert upstream.last.path == "/api/v1/exec"


def test_a_path_before_the_routes(stranger: Shell, upstream: Upstream) -> None:
    upstream.reply(json={"extensions": []})
    assert stranger("exec", AGENTTEAM_URL=f"{upstream.url}/search/").status == 0
    assert upstream.last.path == "/search/api/v1/exec"


def test_a_reader_that_goes_away_is_no_traceback(stranger: Shell, upstream: Upstream) -> None:
    upstream.reply(json={"extensions": [], "padding": "x" * 1_000_000})
    reading, writing = os.pipe()
    os.close(reading)
    environment = {"AGENTTEAM_URL": stranger.url, "AGENTTEAM_TOKEN": TOKEN}
    command = [sys.executable, "-m", "agentteam.cli", "exec"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, cwd=ROOT, env=environment, timeout=30)
    os.close(writing)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_starts_without_django_and_what_it_would_load() -> None:
    program = "import sys, json, agentteam.cli; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True, timeout=30)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {
        "django",
        "rest_framework",
        "requests",
        "urllib3",
        "jsonschema_rs",
        "structlog",
        "searchengines",
    }
    assert "agentteam" in loaded
