"""`manage.py slug_moves`: which custom Apps the engines' migrations would rename. Reads only (docs/upgrade.md)."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from apps.marketplace.models import App

# The migrations' own rule, look-alikes included. It is frozen with them, so this cannot come to differ from it.
from searchengines.migrations._introduction import IntroducedEngine, _free_slug, _normalised

ENGINES = "searchengines"


class Command(BaseCommand):
    help = "Lists the Apps whose slug the engines' migrations that are not applied yet would change. Changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        moves = list(_moves())
        for app, slug in moves:
            # As JSON, so that a look-alike's invisible characters are seen.
            workspace = app.workspace_id or "shared"
            self.stdout.write(f"{app.pk}  {workspace}  {json.dumps(app.slug)} -> {json.dumps(slug)}")
        if not moves:
            self.stdout.write("Nothing would move.")


def _moves() -> Iterator[tuple[App, str]]:
    """Each App that would move, with its slug afterwards."""
    if App._meta.db_table not in connection.introspection.table_names():
        return
    # Only what every version's table has: the schema may be older than the code.
    apps = list(App.objects.only("id", "slug", "workspace_id").order_by("pk"))
    for engine in _to_introduce():
        for app in apps:
            if app.pk != engine.app_id and _normalised(app.slug) == engine.slug:
                yield app, _free_slug(App, app)


def _to_introduce() -> Iterator[IntroducedEngine]:
    """The engines of the migrations that have not run, or were taken back."""
    loader = MigrationLoader(connection)
    for node in sorted(loader.graph.nodes):
        if node[0] == ENGINES and node not in loader.applied_migrations:
            migration = type(loader.disk_migrations[node])
            yield from getattr(sys.modules[migration.__module__], "ENGINES", ())
