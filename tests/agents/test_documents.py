"""The documented examples are run as they stand, from the documents' own text."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.agents.shell import ROOT
from tests.road import RESULT, Road

ADDRESS = "http://127.0.0.1:8000"
PAGE = (ROOT / "docs" / "agents.md").read_text()
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def run(script: str, folder: Path, site: str, token: str) -> list[Any]:
    """The documents on standard output, one after the other; `agentteam` is on the path as it is once installed."""
    command = folder / "agentteam"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m agentteam.cli "$@"\n')
    command.chmod(0o755)
    script = script.replace(ADDRESS, site).replace("ata_…", token).replace(".venv/bin/agentteam", "agentteam")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": f"{folder}:{os.environ['PATH']}", "AGENT": token},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    decoder, found, rest = json.JSONDecoder(), [], done.stdout.strip()
    while rest:
        document, end = decoder.raw_decode(rest)
        found.append(document)
        rest = rest[end:].lstrip()
    return found


def test_every_example_of_the_agents_page(road: Road, site: str, tmp_path: Path) -> None:
    road.connect("searxng")
    script = "\n".join(blocks(PAGE, "sh"))
    catalog, found, listed, described, searched, piped, openai, anthropic, gemini = run(
        script, tmp_path, site, str(road.agent.token)
    )
    assert catalog == listed == road.agent("GET", "exec").json()
    assert described == road.agent("GET", "exec/searxng").json()
    assert found == searched == piped == {"results": [RESULT]}
    assert [request.param("q") for request in road.upstream.requests] == ["harbor ferry timetable"] * 3
    declared = [road.agent("GET", f"exec?as={vendor}").json() for vendor in ("openai", "anthropic", "gemini")]
    assert [openai, anthropic, gemini] == declared


def test_the_readmes_example_of_the_command_line(road: Road, site: str, tmp_path: Path) -> None:
    road.connect("searxng")
    (script,) = blocks(section(README, "Agents"), "sh")
    assert run(script, tmp_path, site, str(road.agent.token)) == [road.agent("GET", "exec").json()]


def addresses(value: Any) -> list[str]:
    """Every text in a configuration that is an address of ours."""
    if isinstance(value, dict):
        return [found for inner in value.values() for found in addresses(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in addresses(inner)]
    return [value] if isinstance(value, str) and value.startswith(ADDRESS) else []


def test_every_clients_configuration_is_well_formed_and_leads_to_the_endpoint(desk: Road) -> None:
    configurations = [json.loads(block) for block in blocks(PAGE, "json")]
    configurations += [tomllib.loads(block) for block in blocks(PAGE, "toml")]
    assert len(configurations) == 6
    for configuration in configurations:
        (address,) = addresses(configuration)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        path = address.removeprefix(ADDRESS)
        answer = Client().post(path, ping, "application/json", headers={"Authorization": f"Bearer {desk.agent.token}"})
        assert (answer.status_code, answer.json()["result"]) == (200, {})
    (command,) = blocks(PAGE, "sh client")
    assert f" {ADDRESS}/mcp " in command


@pytest.mark.parametrize("status", range(1, 8))
def test_the_table_of_exit_statuses_is_the_commands_own(status: int) -> None:
    from agentteam.cli import EXIT_STATUS

    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {status} |")]
    assert set(re.findall(r"`(\w+)`", row)) == {code for code, ends in EXIT_STATUS.items() if ends == status}
