"""docs/upgrade.md: what would move, and the rehearsal: engines rolled back and introduced again on a copy."""

import json
import sqlite3
import subprocess
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from apps.marketplace.models import App
from tests.marketplace.migrating import (  # noqa: F401 - fixtures
    backward,
    before_engines,
    dump,
    forward,
    legacy,
    squat,
)
from tests.operations.served import Deployment, eventually
from tests.upstream import Upstream


def moves() -> list[str]:
    out = StringIO()
    call_command("slug_moves", stdout=out)
    return out.getvalue().splitlines()


@pytest.mark.usefixtures("before_engines")
def test_slug_moves_lists_exactly_what_the_migrations_then_move() -> None:
    assert moves() == ["Nothing would move."]
    slugs = ["brave", "Tavily", "br\u200bave", "\uff52\uff41\uff47", "brave-search", "harbour"]
    apps = {f"app_c{number}": slug for number, slug in enumerate(slugs)}
    for app_id, slug in apps.items():
        squat(slug, app_id)
    before = dump()

    # Written as JSON, so that invisible characters and other alphabets are seen.
    listed = [(line.split()[0], json.loads(line.split()[2]), json.loads(line.split()[4])) for line in moves()]
    assert sorted(listed) == [
        (app_id, slug, legacy(slug, app_id)) for app_id, slug in apps.items() if slug not in ("brave-search", "harbour")
    ]
    assert all(line.isascii() for line in moves())
    assert dump() == before

    forward()
    after = dict(App.objects.filter(pk__in=apps).values_list("pk", "slug"))
    assert after == apps | {app_id: moved for app_id, _, moved in listed}
    assert moves() == ["Nothing would move."]
    backward()
    assert moves() == ["Nothing would move."]


Rows = dict[str, list[tuple[object, ...]]]


def rows(path: Path) -> Rows:
    """Every row of the marketplace."""
    with closing(sqlite3.connect(path)) as database:
        tables = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'marketplace_%' ORDER BY name"
            )
        ]
        return {name: sorted(database.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables}


def changed(before: Rows, after: Rows) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def rename(path: Path, app_id: str, slug: str) -> None:
    """Give an App a slug that only an older version, without engines, would have given it."""
    with closing(sqlite3.connect(path)) as database, database:
        moved = database.execute(
            "UPDATE marketplace_app SET slug = ?, manifest = json_set(manifest, '$.slug', ?) WHERE id = ?",
            (slug, slug, app_id),
        )
        assert moved.rowcount == 1


# With served processes: CI plays it, a developer on demand.
@pytest.mark.slow
def test_rollback_and_return_of_the_engines(harbour: Deployment, tmp_path: Path, upstream: Upstream) -> None:
    with harbour.served() as server:
        server.connect()
        assert server.search().status_code == 200
        made = {"slug": "harbour-search", "displayName": "Harbour search", "description": "Our own."}
        created = server.owner("POST", "custom-apps", made)
        assert created.status_code == 201
        own = created.json()["appId"]
        assert server.owner("POST", "app-installations", {"appId": own}).status_code == 201
    copy = harbour.copy(tmp_path / "rehearsal.sqlite3", upstream)
    before = rows(copy.path)

    copy.manage("migrate", "searchengines", "zero", "--verbosity", "0")
    # Starting does not bring them back.
    with copy.served() as server:
        assert server.request("GET", "/readyz").status_code == 200
        gone = server.search()
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, "extension_not_found")
        states = {app["slug"]: app["state"] for app in server.owner("GET", "apps").json()["items"]}
        assert states["brave"] == "unavailable"
        assert states["harbour-search"] == "needs_setup"
    with pytest.raises(subprocess.CalledProcessError) as refused:
        copy.manage("doctor")
    assert b"3 migrations are not applied" in refused.value.stdout
    assert len(upstream.requests) == 1
    assert changed(before, rows(copy.path)) == {"marketplace_app"}

    copy.manage("migrate", "--verbosity", "0")
    assert rows(copy.path) == before
    copy.manage("doctor")
    with copy.served() as server:
        assert server.search().status_code == 200
        eventually(lambda: [row["code"] for row in server.executions()] == ["ok", "ok"])
    assert len(upstream.requests) == 2

    # Now the customer's own App holds a slug that an engine claims.
    copy.manage("migrate", "searchengines", "zero", "--verbosity", "0")
    rename(copy.path, own, "brave")
    squatted, moved = rows(copy.path), legacy("brave", own)
    workspace = copy.ids["workspaceId"]
    assert copy.manage("slug_moves") == f'{own}  {workspace}  "brave" -> "{moved}"\n'
    assert rows(copy.path) == squatted
    copy.manage("migrate", "--verbosity", "0")
    after = rows(copy.path)
    assert changed(before, after) == {"marketplace_app"}
    copy.manage("migrate", "searchengines", "zero", "--verbosity", "0")
    copy.manage("migrate", "--verbosity", "0")
    assert rows(copy.path) == after
    copy.manage("doctor")
    with copy.served() as server:
        listed = {app["appId"]: (app["slug"], app["state"]) for app in server.owner("GET", "apps").json()["items"]}
        assert listed[own] == (moved, "needs_setup")
        assert listed["app_brave_search"] == ("brave", "connected")
        assert server.search().status_code == 200
    assert len(upstream.requests) == 3
