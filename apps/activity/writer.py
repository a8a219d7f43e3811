"""Executions are written behind the calls' backs: batched, at most about a second late, never blocking one.

A thread of each serving process takes rows from a bounded queue. A batch that cannot be written is kept
and tried again; what does not fit is dropped and counted. The thread is no daemon and watches the main
thread, so that what is queued when a process stops is still written.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from apps.activity import executed
from apps.activity.executed import Executed
from apps.workspaces.models import AgentToken, ServiceToken

log = structlog.get_logger("agentteam.activity")

MAX_QUEUED = 20_000
# Few enough that SQLite's one write lock is soon free for the calls' own statement.
BATCH = 200
# Seconds between two ticks; and how long a stopping process tries to write what is queued.
INTERVAL = 0.5
# With so little to write, what was just called is seen almost at once.
QUIET = 20
QUIET_INTERVAL = 0.1
LAST_TRIES = 10.0

UsedToken = tuple[type[AgentToken] | type[ServiceToken], str]


class ActivityWriter:
    """A queue and its thread. ``dropped`` counts rows lost because the queue was full.

    ``on_record`` is called for each row on the caller's thread and must be quick; ``on_tick`` after each round of
    the thread, two to ten times a second, and once more when the process stops.
    """

    def __init__(self) -> None:
        self.queue: deque[Executed] = deque()
        self.used_tokens: deque[UsedToken] = deque(maxlen=MAX_QUEUED)
        self.dropped = 0
        self.on_record: list[Callable[[Executed], None]] = []
        self.on_tick: list[Callable[[bool], None]] = []
        self._pid = 0
        self._lock = threading.Lock()

    def record(self, row: Executed, token: UsedToken | None = None) -> None:
        """Queue a row, and remember that a token was used."""
        for listener in self.on_record:
            listener(row)
        if token is not None:
            self.used_tokens.append(token)
        if len(self.queue) >= MAX_QUEUED:
            self.dropped += 1
        else:
            self.queue.append(row)
        self.ensure_started()

    def ensure_started(self) -> None:
        """Start the thread of this process, once; after a fork the child starts its own."""
        if self._pid == os.getpid() or not settings.AGENTTEAM_ACTIVITY_BACKGROUND:
            return
        with self._lock:
            if self._pid == os.getpid():
                return
            self._pid = os.getpid()
            threading.Thread(target=self._run, name="activity-writer").start()

    def flush(self) -> None:
        """Write what is queued, on the caller's connection. Raises `DatabaseError`; what failed stays queued."""
        while self.queue:
            batch = [self.queue.popleft() for _ in range(min(BATCH, len(self.queue)))]
            try:
                with transaction.atomic():
                    executed.insert(batch)
            except DatabaseError:
                self.queue.extendleft(reversed(batch))
                raise
        self._note_tokens()

    def tick(self, *, stopping: bool = False) -> bool:
        """One round of the thread. Whether the database took everything."""
        try:
            self.flush()
            for listener in self.on_tick:
                listener(stopping)
        except DatabaseError as broken:
            log.error("executions wait for the database", queued=len(self.queue), why=type(broken).__name__)
            return False
        except Exception:
            # This thread is the only one of its kind: whatever else is wrong, executions go on being written.
            log.exception("a round of the activity writer failed")
            return False
        finally:
            # Not held between two rounds: a pool is shared with the calls, and a broken connection is not kept.
            connection.close()
        return True

    def _note_tokens(self) -> None:
        used = {self.used_tokens.popleft() for _ in range(len(self.used_tokens))}
        try:
            for model in {model for model, _ in used}:
                ids = [token_id for used_model, token_id in used if used_model is model]
                model._default_manager.filter(pk__in=ids).update(last_used_at=timezone.now())
        except DatabaseError:
            self.used_tokens.extend(used)
            raise

    def _run(self) -> None:
        main = threading.main_thread()
        while main.is_alive():
            written = len(self.queue)
            self.tick()
            main.join(INTERVAL if written > QUIET else QUIET_INTERVAL)
        self._finish()

    def _finish(self) -> None:
        """The process stops: write what is left, for as long as that may take."""
        ends = time.monotonic() + LAST_TRIES
        while not self.tick(stopping=True):
            if time.monotonic() > ends:
                log.error("executions lost", queued=len(self.queue))
                return
            time.sleep(INTERVAL)


writer = ActivityWriter()
