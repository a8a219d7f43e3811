"""Structured logs: one line an event, JSON in production, readable in development.

Every line of a request carries its request id. No line holds a key, a query or a provider's text.
"""

import json
import logging
import logging.config
import os
from typing import Any

import structlog

from agentteam.error_reports import exception_text

STDERR = 2
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

CHAIN: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

_encode = json.JSONEncoder(default=repr).encode


def write_line(line: str) -> None:
    """One system call and no lock: threads that log never wait for one another, and lines do not mix.

    A reader that is gone is no reason for a request to fail.
    """
    left = (line + "\n").encode("utf-8", "backslashreplace")
    try:
        while left:
            left = left[os.write(STDERR, left) :]
    except OSError:
        return


class LineLogger:
    """Where our own events end, rendered. They pass the standard library's logging by: a record of it costs more."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, line: str) -> None:
        write_line(line)

    debug = info = warning = error = critical = write


class LineHandler(logging.Handler):
    """Where events of libraries end."""

    def createLock(self) -> None:
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - a library's event that cannot be shown breaks no request
            self.handleError(record)
        else:
            write_line(line)


def logging_settings(level: str, form: str) -> dict[str, Any]:
    """A level that does not exist counts as INFO here, so that `agentteam.E009` can say so in the system checks."""
    level = level if level in LEVELS else "INFO"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {"()": structlog.stdlib.ProcessorFormatter, **_formatting(form)},
        },
        "handlers": {"stderr": {"class": "agentteam.logs.LineHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"level": level, "propagate": True, "handlers": []},
            "django.server": {"level": "WARNING", "propagate": True, "handlers": []},
            # Their debug lines contain URLs with queries and keys.
            "urllib3": {"level": "WARNING"},
            "requests": {"level": "WARNING"},
        },
    }


def line_handler(form: str) -> LineHandler:
    """For a logger that is there before the settings' logging is."""
    handler = LineHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(**_formatting(form)))
    return handler


def configure(settings: dict[str, Any]) -> None:
    """Django's `LOGGING_CONFIG`."""
    logging.config.dictConfig(settings)
    logging.captureWarnings(True)
    configure_events(settings)


def configure_events(settings: dict[str, Any]) -> None:
    """Our own events, at the level and in the form of the libraries'."""
    _, *rendering = settings["formatters"]["structured"]["processors"]
    structlog.configure(
        processors=[*CHAIN, *rendering],
        logger_factory=LineLogger,
        wrapper_class=structlog.make_filtering_bound_logger(settings["root"]["level"]),
    )


def _formatting(form: str) -> dict[str, Any]:
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    return {"foreign_pre_chain": CHAIN, "processors": [remove, *_rendering(form)]}


def _rendering(form: str) -> list[Any]:
    if form == "json":
        return [exception_text, structlog.processors.JSONRenderer(serializer=_to_json)]
    plain = structlog.dev.plain_traceback
    return [exception_text, structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]


def _to_json(event: dict[str, Any], **_: Any) -> str:
    return _encode(event)
