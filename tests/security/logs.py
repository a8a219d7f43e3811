"""Everything that this process logs, as production writes it, at DEBUG."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from agentteam.logs import logging_settings


@contextmanager
def everything_logged(form: str = "json") -> Iterator[io.StringIO]:
    """The text that a deployment with `AGENTTEAM_LOG_LEVEL=DEBUG` writes meanwhile."""
    configured = logging_settings("DEBUG", form)
    given = configured["formatters"]["structured"]
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(given["()"](foreign_pre_chain=given["foreign_pre_chain"], processors=given["processors"]))
    root = logging.getLogger()
    changed = {"": root.level} | {name: logging.getLogger(name).level for name in configured["loggers"]}
    root.addHandler(handler)
    root.setLevel("DEBUG")
    for name, logger in configured["loggers"].items():
        logging.getLogger(name).setLevel(logger["level"])
    try:
        yield written
    finally:
        root.removeHandler(handler)
        for name, level in changed.items():
            logging.getLogger(name or None).setLevel(level)
