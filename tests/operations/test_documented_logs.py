"""What the operators' page quotes from the log is what the code writes."""

import re

from bench.processes import ROOT

WRITTEN = re.compile(r"""\blog\.(?:debug|info|warning|error|critical|exception)\(\s*"([^"]+)\"""")
ROOMS = ("agentteam", "apps", "extensions", "searchengines")


def test_every_quoted_event_is_written_somewhere() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    quoted = set(re.findall(r'\blog "([^"]+)"', page))
    assert len(quoted) >= 3
    code = "".join(path.read_text() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    events = set(WRITTEN.findall(code))
    assert {words for words in quoted if not any(event.startswith(words) for event in events)} == set()
