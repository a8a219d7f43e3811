"""Everything that this process logs, as production writes it, at DEBUG."""

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from django.conf import settings

from agentteam import logs


class Written:
    """A file that is gone with its last reader."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - read after the block, too

    def getvalue(self) -> str:
        descriptor = self.file.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()


@contextmanager
def everything_logged(form: str = "json") -> Iterator[Written]:
    """The text that a deployment with `AGENTTEAM_LOG_LEVEL=DEBUG` writes meanwhile."""
    configured = logs.logging_settings("DEBUG", form)
    given = configured["formatters"]["structured"]
    handler = logs.LineHandler()
    handler.setFormatter(given["()"](foreign_pre_chain=given["foreign_pre_chain"], processors=given["processors"]))
    root = logging.getLogger()
    changed = {"": root.level} | {name: logging.getLogger(name).level for name in configured["loggers"]}
    written = Written()
    with patch.object(logs, "STDERR", written.file.fileno()):
        root.addHandler(handler)
        root.setLevel("DEBUG")
        for name, logger in configured["loggers"].items():
            logging.getLogger(name).setLevel(logger["level"])
        logs.configure_events(configured)
        try:
            yield written
        finally:
            logs.configure_events(settings.LOGGING)
            root.removeHandler(handler)
            for name, level in changed.items():
                logging.getLogger(name or None).setLevel(level)
