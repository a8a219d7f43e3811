"""`manage.py doctor`: whether keys, stored credentials, pins and settings are in order."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from apps.marketplace.diagnosis import Finding, examine


class Command(BaseCommand):
    help = "Looks for unusable keys, rows that do not open, pins and App rows that do not match, and wrong settings."
    # It reports what the checks find, together with the rest.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = database_findings() or examine()
        wrong = [finding for finding in findings if finding.wrong]
        if options["json"]:
            self.stdout.write(json.dumps(_document(findings)))
        else:
            for finding in findings:
                self.stdout.write(f"{'WRONG' if finding.wrong else 'ok   '}  {finding.subject}: {finding.text}")
        if wrong:
            raise CommandError(f"{len(wrong)} findings need attention.")
        if not options["json"]:
            self.stdout.write("Nothing is wrong.")


def database_findings() -> list[Finding]:
    """Why the tables cannot be read at all; empty when they can."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return [Finding("database", "The database does not answer.", wrong=True)]
    if missing:
        return [Finding("database", f"{len(missing)} migrations are not applied.", wrong=True)]
    return []


def _document(findings: list[Finding]) -> dict[str, Any]:
    return {
        "ok": not any(finding.wrong for finding in findings),
        "findings": [
            {"subject": finding.subject, "text": finding.text, "wrong": finding.wrong} for finding in findings
        ],
    }
