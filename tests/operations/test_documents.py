"""The operators' pages name what the code reads, and no command that does not exist."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from bench.processes import ROOT

CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text()
READ = re.compile(r"""\benv(?:(?:\.\w+)?\(|,)\s*f?"([A-Z][A-Z_]+(?:\{[^}]*\})?)\"""")
PAGES = ["docs/operations.md", "docs/upgrade.md", "docs/configuration.md", "deploy/README.md"]
# Read elsewhere than by the settings: the server, the metrics library, and the vault of the environment.
ELSEWHERE = {
    "AGENTTEAM_HOST",
    "WEB_CONCURRENCY",
    "AGENTTEAM_THREADS",
    "AGENTTEAM_GRACE_SECONDS",
    "PROMETHEUS_MULTIPROC_DIR",
    "AGENTTEAM_VAULT_<NAME>",
}


def read_by_the_settings() -> set[str]:
    code = "".join((ROOT / "agentteam" / name).read_text() for name in ("settings.py", "databases.py"))
    return {re.sub(r"\{[^}]*\}", "<SLUG>", name) for name in READ.findall(code)} | {"DATABASE_URL"}


def test_every_variable_is_documented_and_every_documented_one_is_read() -> None:
    documented = set(re.findall(r"^\| `([A-Z][A-Z_<>]+)` \|", CONFIGURATION, re.MULTILINE))
    assert documented == read_by_the_settings() | ELSEWHERE
    served = (ROOT / "agentteam" / "serve.py").read_text()
    assert all(name in served for name in ELSEWHERE - {"AGENTTEAM_VAULT_<NAME>"})


def test_every_check_is_documented() -> None:
    code = "".join(path.read_text() for path in (ROOT / "extensions").rglob("*.py"))
    known = set(re.findall(r'id="(agentteam\.E[0-9]+)"', code))
    documented = set(re.findall(r"agentteam\.E[0-9]+", CONFIGURATION))
    # About the code and its packages, not about a variable.
    assert known - documented == {"agentteam.E024", "agentteam.E025"}
    assert documented <= known


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists(page: str) -> None:
    text = (ROOT / page).read_text()
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= set(get_commands())
    assert set(re.findall(r"python -m ([a-z.]+)", text)) <= {"agentteam.serve", "bench.run", "bench.soak"}
    for linked in re.findall(r"`((?:deploy|docs|bench)/[A-Za-z0-9_./-]+)`", text):
        assert (ROOT / linked).exists(), linked


def test_what_a_container_copies_exists() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+)$", (ROOT / "deploy" / "Dockerfile").read_text(), re.MULTILINE)
    assert all((ROOT / name).exists() for line in copied for name in line.split()[:-1])
    assert (ROOT / Path("deploy") / "searxng.yml").exists()
