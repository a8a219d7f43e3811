"""`manage.py rewrap_credentials`: re-encrypts what is stored under the primary master key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring, unusable
from apps.marketplace.services.rewrap import rewrap


class Command(BaseCommand):
    help = "Re-encrypts credentials and secrets under the primary master key. Can be stopped and run again."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            ring = keyring()
        except EnvelopeError:
            raise CommandError(f"{unusable()}.") from None
        done = rewrap(ring)
        self.stdout.write(f"Rows now under key {ring.primary.id[:8]}: {done.rows} re-encrypted.")
        for label, why in done.unreadable.items():
            self.stderr.write(f"{label}: {why}")
        if done.unreadable:
            raise CommandError(f"{len(done.unreadable)} rows do not open and stay as they are; see manage.py doctor.")
