"""`manage.py knowledge_worker`: embeds what was uploaded (contract section 8)."""

import signal
import threading
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandParser
from django.db import close_old_connections

from apps.knowledge.work import Worked, work_once
from extensions.release import release_database

log = structlog.get_logger("agentteam.knowledge")

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
                    _report(worked)
                elif options["once"]:
                    return
                else:
                    release_database()
                    stopping.wait(POLL_SECONDS)
                    close_old_connections()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _report(worked: Worked) -> None:
    """A line of the log, like any process' lines, without the document's name. What failed has its line already."""
    if worked.left:
        log.info("gave a document back", document=worked.document_id)
    elif worked.error is None:
        log.info("embedded a document", document=worked.document_id, passages=worked.passages)
