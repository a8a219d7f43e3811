"""Executions are written behind the calls' backs: batched, at most about a second late, never blocking one.

A thread of each serving process takes rows from a bounded queue. A batch that cannot be written is kept
and tried again; what does not fit is dropped and counted. The thread is no daemon and watches the main
thread, so that what is queued when a process stops is still written.
"""

import os
import threading
import time
from collections import deque

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from apps.activity.models import Execution
from apps.workspaces.models import AgentToken, ServiceToken

log = structlog.get_logger("agentteam.activity")

MAX_QUEUED = 20_000
BATCH = 500
INTERVAL = 0.5


class ActivityWriter:
    """A queue and its thread. ``dropped`` counts rows lost because the queue was full."""

    def __init__(self) -> None:
        self.queue: deque[Execution] = deque()
        self.used_tokens: set[tuple[type[AgentToken] | type[ServiceToken], str]] = set()
        self.dropped = 0
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._lock = threading.Lock()

    def record(self, row: Execution, token: tuple[type[AgentToken] | type[ServiceToken], str] | None = None) -> None:
        """Queue a row, and remember that a token was used."""
        if len(self.queue) >= MAX_QUEUED:
            self.dropped += 1
            return
        self.queue.append(row)
        if token is not None:
            self.used_tokens.add(token)
        if settings.AGENTTEAM_ACTIVITY_BACKGROUND and self._pid != os.getpid():
            self.start()

    def start(self) -> None:
        """Start the thread of this process, once; after a fork the child starts its own."""
        with self._lock:
            if self._pid == os.getpid():
                return
            self._pid = os.getpid()
            self._thread = threading.Thread(target=self._run, name="activity-writer")
            self._thread.start()

    def flush(self) -> None:
        """Write what is queued, on the caller's connection. Raises `DatabaseError`; what failed stays queued."""
        self._note_tokens()
        while self.queue:
            batch = [self.queue.popleft() for _ in range(min(BATCH, len(self.queue)))]
            try:
                Execution.objects.bulk_create(batch, ignore_conflicts=True)
            except DatabaseError:
                self.queue.extendleft(reversed(batch))
                raise

    def _note_tokens(self) -> None:
        used, self.used_tokens = self.used_tokens, set()
        for model in {model for model, _ in used}:
            ids = [token_id for used_model, token_id in used if used_model is model]
            model._default_manager.filter(pk__in=ids).update(last_used_at=timezone.now())

    def _run(self) -> None:
        main = threading.main_thread()
        while True:
            stopping = not main.is_alive()
            try:
                close_old_connections()
                self.flush()
            except DatabaseError as broken:
                log.error("executions wait for the database", queued=len(self.queue), why=type(broken).__name__)
                if stopping:
                    return
            if stopping and not self.queue:
                connection.close()
                return
            time.sleep(0 if stopping else INTERVAL)


writer = ActivityWriter()
