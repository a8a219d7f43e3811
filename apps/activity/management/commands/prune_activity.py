"""`manage.py prune_activity --days N`: retention (contract section 8)."""

from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from apps.activity.retention import prune

MAX_DAYS = 36_500


def days(text: str) -> int:
    """Raises `ArgumentTypeError`."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_DAYS:
        raise ArgumentTypeError(f"a whole number from 1 to {MAX_DAYS}")
    return int(text)


class Command(BaseCommand):
    help = (
        "Deletes executions, audit rows and records of sign-ins that are older than that many days, expired sessions "
        "and counters of limits whose window has ended, in small batches."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=days, required=True, help="how many days to keep")

    def handle(self, *args: Any, **options: Any) -> None:
        for name, number in prune(timezone.now() - timedelta(days=options["days"])).items():
            self.stdout.write(f"{number} {name} deleted")
