"""`manage.py knowledge_worker`: embeds what was uploaded (contract section 8)."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import close_old_connections

from apps.knowledge.work import Worked, work_once
from extensions.release import release_database

POLL_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Embeds documents that wait, and those of stores that move to another model. Any number of workers may run; "
        "one that is stopped gives its document back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end when nothing is left to do now")

    def handle(self, *args: Any, **options: Any) -> None:
        stopping = threading.Event()
        before = {
            number: signal.signal(number, lambda *_: stopping.set()) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            while not stopping.is_set():
                worked = work_once(stop=stopping.is_set)
                if worked is not None:
                    self.stdout.write(_sentence(worked))
                elif options["once"]:
                    return
                else:
                    release_database()
                    stopping.wait(POLL_SECONDS)
                    close_old_connections()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _sentence(worked: Worked) -> str:
    if worked.left:
        return f"{worked.name}: given back"
    return f"{worked.name}: {worked.error or f'{worked.passages} passages'}"
