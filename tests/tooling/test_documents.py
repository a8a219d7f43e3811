"""What the documents say is so: links lead somewhere, and the README's curl path works as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentteam.demo.corpus import PAGES
from agentteam.demo.product import ROOT, free_port, manage, own_database, serving
from agentteam.demo.sandbox import running_sandbox
from searchengines.providers import ENGINES

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files_that_are_there(document: Path) -> None:
    links = LINK.findall(document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_table_of_engines_is_what_the_engines_declare() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `app_")]
    central = {"timeoutMs", "allowDomains", "denyDomains"}
    for (app_id, name, title, connection, options), engine in zip(rows, ENGINES, strict=True):
        assert (app_id, name, title) == (f"`{engine.app_id}`", f"`{engine.slug}`", engine.display_name)
        assert set(re.findall(r"`(\w+)`", connection)) == {field.name for field in engine.fields}
        assert set(re.findall(r"`(\w+)`", options)) == {option.name for option in engine.options} - central


def curl_path() -> str:
    """The README's shell blocks from nothing to an agent's search, one after the other."""
    section = (ROOT / "README.md").read_text().split("with curl\n", 1)[1].split("\n## ", 1)[0]
    return "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))


@pytest.mark.slow
def test_the_curl_path_of_the_readme_works_as_it_stands(tmp_path: Path) -> None:
    environ = own_database(tmp_path)
    port = free_port()
    manage(environ, "migrate", "--no-input", "--verbosity", "0")
    with running_sandbox() as sandbox, serving(environ, port):
        script = curl_path().replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        script = script.replace("http://127.0.0.1:8888", sandbox.url).replace(".venv/bin/python", sys.executable)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines() if line]
    made, connected, tested, catalog, found, emptied = answers
    assert made["agentToken"].startswith("ata_")
    assert connected == {"active": True, "config": {"baseUrl": sandbox.url}, "credentials": {}}
    assert tested == {"ok": True}
    assert [entry["name"] for entry in catalog["extensions"]] == ["searxng"]
    assert found["results"][0]["url"] == PAGES[0].url
    assert emptied == {"extensions": []}


NAMED_TEST = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def test_every_test_that_verification_names_is_there() -> None:
    named = NAMED_TEST.findall((ROOT / "docs/verification.md").read_text())
    assert len(named) > 100
    missing = []
    for path, name in named:
        file = ROOT / "tests" / path
        source = file.read_text() if file.exists() else ""
        if not source or (name and f"def {name}(" not in source):
            missing.append(f"{path}::{name}")
    assert missing == []


def test_every_page_is_in_the_index() -> None:
    listed = set(LINK.findall((ROOT / "docs/README.md").read_text()))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed
