"""What the server does beside serving: its lines are like ours, its workers end in order, its files go with it."""

import atexit
import logging
import os
import shutil
import signal
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from prometheus_client.multiprocess import mark_process_dead

from agentteam.logs import line_handler
from agentteam.serve import LOG_FORMAT, METRICS_DIRECTORY, made_here

# What the server says of one request quotes it, and with it a header's token or a query.
ABOUT_A_REQUEST = ("Invalid request", "Error handling request")


class ServerLogger(Logger):  # type: ignore[misc]
    """The server's own events, in the form of all others."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        handler = line_handler(os.environ.get(LOG_FORMAT, "json"))
        handler.addFilter(without_the_request)
        self.error_log.handlers = [handler]


def without_the_request(record: logging.LogRecord) -> bool:
    """That there was one and what it met, not what it said."""
    for about in ABOUT_A_REQUEST:
        if str(record.msg).startswith(about):
            record.msg, record.args = about, ()
    return True


logger_class = ServerLogger


def on_starting(server: Any) -> None:
    # Not the hook `on_exit`: a server that finds its port taken ends without it.
    atexit.register(remove_own_metrics_directory)


def remove_own_metrics_directory() -> None:
    """Workers run this too when they end; the directory is not theirs."""
    directory = os.environ.get(METRICS_DIRECTORY, "")
    if made_here(directory):
        shutil.rmtree(directory, ignore_errors=True)


def post_worker_init(worker: Any) -> None:
    """Ctrl-C in a terminal reaches the workers as well as the server: they let calls under way end, as for SIGTERM."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, worker.handle_exit)
        signal.siginterrupt(number, False)


def child_exit(server: Any, worker: Any) -> None:
    """The levels of a worker that ended no longer count in `/metrics`; its totals go on counting."""
    if METRICS_DIRECTORY in os.environ:
        mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
