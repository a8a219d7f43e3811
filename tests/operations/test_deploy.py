"""What `deploy/` says: no start migrates, secrets are not overwritten, and numbers that belong together agree."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentteam.serve import Serving
from bench.processes import ROOT

DEPLOY = ROOT / "deploy"
README = (DEPLOY / "README.md").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"] == "agentteam-search"}
UNITS = {path.name: path.read_text() for path in (DEPLOY / "systemd").glob("*.service")}
# A call that ends is written for at most this long after the grace.
WRITING = 10


def snippets() -> list[str]:
    """The README's indented blocks that make a file of secrets."""
    blocks = re.findall(r"(?:^    .*\n)+", README, re.MULTILINE)
    made = [re.search(r"^    \(umask 077.*?^    } > .*?\)$", block, re.MULTILINE | re.DOTALL) for block in blocks]
    return [re.sub("^    ", "", one[0], flags=re.MULTILINE) for one in made if one]


def test_no_start_migrates() -> None:
    for text in UNITS.values():
        assert not any("migrate" in line for line in text.splitlines() if line.startswith("Exec"))
    migrating = {name for name, service in OWN.items() if "migrate" in " ".join(service.get("command", []))}
    assert migrating == {"migrate"}
    assert SERVICES["migrate"]["profiles"] == ["migrate"]
    # A profile's service would be started by what depends on it.
    assert all("migrate" not in service.get("depends_on", {}) for service in SERVICES.values())
    assert "migrate" not in (DEPLOY / "Dockerfile").read_text()


def test_every_variable_reaches_the_processes() -> None:
    assert all(service["env_file"] == ".env" for service in OWN.values())
    # Only what the containers decide, and what must be there.
    assert set(OWN["web"]["environment"]) == {
        "SECRET_KEY",
        "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY",
        "DATABASE_URL",
        "REDIS_URL",
        "AGENTTEAM_HOST",
        "PORT",
    }
    declared = re.findall(r"^ARG (\w+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert list(OWN["web"]["build"]["args"]) == declared


def test_a_stop_waits_for_the_grace_and_the_writing() -> None:
    for name in ("agentteam-search.service", "agentteam-search-worker.service"):
        seconds = re.search(r"^TimeoutStopSec=(\d+)$", UNITS[name], re.MULTILINE)
        assert seconds is not None and int(seconds[1]) >= Serving.grace + WRITING
    assert all(
        int(service["stop_grace_period"].removesuffix("s")) >= Serving.grace + WRITING for service in OWN.values()
    )


def test_three_web_processes_fit_the_database() -> None:
    (setting,) = [word for word in SERVICES["postgres"]["command"] if word.startswith("max_connections=")]
    pool, others = 20, 3
    assert int(setting.partition("=")[2]) >= 3 * Serving.workers * pool + others * pool + 10


def test_what_is_kept_out_of_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {"**/.env", ".git", "**/*.sqlite3*", "staticfiles"} <= set(ignored)
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert not {name for line in copied for name in line.split()} & set(ignored)


def test_a_document_of_the_largest_size_passes_the_proxy() -> None:
    allowed = re.search(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    documented = re.search(
        r"AGENTTEAM_KNOWLEDGE_UPLOAD_MIB` \| `(\d+)`", (ROOT / "docs" / "configuration.md").read_text()
    )
    assert allowed is not None and documented is not None
    assert int(allowed[1]) >= 2 * int(documented[1]) * 4 / 3


@pytest.mark.parametrize(("number", "target"), [(0, "deploy/.env"), (1, "/etc/agentteam-search.env")])
def test_making_the_secrets_again_overwrites_nothing(number: int, target: str, tmp_path: Path) -> None:
    assert len(snippets()) == 2
    made = tmp_path / "made.env"
    snippet = snippets()[number]
    assert snippet.count(target) == 1
    command = ["bash", "-c", snippet.replace(target, str(made))]

    subprocess.run(command, check=True)
    first = made.read_text()
    assert made.stat().st_mode & 0o777 == 0o600
    members = dict(line.split("=", 1) for line in first.splitlines())
    assert {"SECRET_KEY", "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY"} <= set(members)
    assert all(members.values())

    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0
    assert made.read_text() == first
