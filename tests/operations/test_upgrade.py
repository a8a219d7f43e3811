"""The rehearsal of docs/upgrade.md: engines rolled back and introduced again on a copy."""

import sqlite3
from pathlib import Path

import pytest

from tests.operations.served import Deployment, eventually
from tests.upstream import Upstream

# A rehearsal with served processes: CI plays it, a developer on demand.
pytestmark = pytest.mark.slow


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the marketplace, but for what a rollback may touch."""
    with sqlite3.connect(path) as database:
        tables = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'marketplace_%' ORDER BY name"
            )
        ]
        return {name: sorted(database.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables}


def test_rollback_and_return_of_the_engines(harbour: Deployment, tmp_path: Path, upstream: Upstream) -> None:
    with harbour.served() as server:
        server.connect()
        assert server.search().status_code == 200
        squatter = {"slug": "harbour-search", "displayName": "Harbour search", "description": "Our own."}
        assert server.owner("POST", "custom-apps", squatter).status_code == 201
    copy = harbour.copy(tmp_path / "rehearsal.sqlite3", upstream)
    before = rows(copy.path)

    copy.manage("migrate", "searchengines", "zero", "--verbosity", "0")
    with copy.served() as server:
        assert server.request("GET", "/readyz").status_code == 200
        gone = server.search()
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, "extension_not_found")
        states = {app["slug"]: app["state"] for app in server.owner("GET", "apps").json()["items"]}
        assert states["brave"] == "unavailable"
        assert states["harbour-search"] == "not_installed"
    assert len(upstream.requests) == 1
    during = rows(copy.path)
    assert {name for name in before if before[name] != during[name]} == {"marketplace_app"}

    copy.manage("migrate", "--verbosity", "0")
    assert rows(copy.path) == before
    copy.manage("doctor")
    with copy.served() as server:
        assert server.search().status_code == 200
        eventually(lambda: [row["code"] for row in server.executions()] == ["ok", "ok"])
    assert len(upstream.requests) == 2
