"""`manage.py import_search_engine FILE --workspace WS [--dry-run]` (contract section 1)."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.marketplace.importing.plan import ImportRefused, Report, import_engines
from apps.workspaces.api.parsing import strict_loads
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Workspace


class Command(BaseCommand):
    help = "Import search engine documents (one, or a list): install the Apps, set connections and options."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a JSON file; - reads standard input")
        parser.add_argument("--workspace", required=True, help="id or name of the workspace")
        parser.add_argument("--dry-run", action="store_true", help="show what would be done, change nothing")

    def handle(self, *arguments: Any, **options: Any) -> None:
        workspace = _workspace(options["workspace"])
        documents = _documents(options["file"])
        try:
            reports = import_engines(
                workspace.id,
                documents,
                settings.AGENTTEAM_SEARCH_ORIGINS,
                Actor.operator("import_search_engine"),
                dry_run=options["dry_run"],
            )
        except ImportRefused as refused:
            self.show(refused.reports, refused=True)
            raise CommandError("Refused; nothing was changed.") from None
        except Problem as problem:
            raise CommandError(f"{problem.message} Nothing was changed.") from None
        self.show(reports)
        self.stdout.write("Dry run: nothing was changed." if options["dry_run"] else "Done.")

    def show(self, reports: list[Report], *, refused: bool = False) -> None:
        for report in reports:
            outcome = "not imported" if refused else ", ".join(report.done) or "unchanged"
            self.stdout.write(f"{report.engine}: {outcome}")
            for note in report.notes:
                self.stdout.write(f"  {note}")


def _workspace(name: str) -> Workspace:
    found = list(Workspace.objects.filter(pk=name)) or list(Workspace.objects.filter(name=name)[:2])
    if len(found) != 1:
        raise CommandError("There is no such workspace." if not found else "Several workspaces have this name.")
    return found[0]


def _documents(name: str) -> list[object]:
    try:
        content = Path("/dev/stdin" if name == "-" else name).read_bytes()
    except OSError as error:
        raise CommandError(f"The file cannot be read ({error.strerror}).") from None
    try:
        document = strict_loads(content)
    except Problem as problem:
        raise CommandError(f"The file is not JSON that is taken here. {problem.message}") from None
    return document if isinstance(document, list) else [document]
