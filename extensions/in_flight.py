"""How many calls a workspace may have in flight at once, over all serving processes.

A process counts its own exactly; what the others have is read, and its own is told, once a second by the
activity writer. So the limit costs no statement on the road and is off by what started in that second.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from apps.activity import calls_in_flight as told
from apps.activity.writer import writer
from apps.workspaces.errors import Problem

# Seconds; a little less than two ticks of the writer.
EVERY = 0.9


class CallsInFlight:
    """Calls in flight by workspace: this process's own, and the others' as last heard."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self.engines: Counter[str] = Counter()
        self.others: dict[str, int] = {}
        self._lock = threading.Lock()
        self._told = False
        self._next = 0.0

    def enter(self, workspace_id: str, engine: str) -> None:
        """Raises `Problem` throttled when the workspace has too many."""
        limit = settings.AGENTTEAM_CALLS_IN_FLIGHT
        with self._lock:
            if limit and self.own[workspace_id] + self.others.get(workspace_id, 0) >= limit:
                raise Problem.throttled(1)
            self.own[workspace_id] += 1
            self.engines[engine] += 1
        writer.ensure_started()

    def leave(self, workspace_id: str, engine: str) -> None:
        with self._lock:
            self.engines[engine] -= 1
            self.own[workspace_id] -= 1
            if self.own[workspace_id] <= 0:
                del self.own[workspace_id]

    def by_engine(self) -> dict[str, int]:
        """Calls of this process that wait for a provider now, by the engine's slug."""
        with self._lock:
            return dict(self.engines)

    def on_tick(self, stopping: bool) -> None:
        """The activity writer's tick: several times a second, and a last time when the process stops."""
        moment = time.monotonic()
        if stopping or moment >= self._next:
            self._next = moment + EVERY
            self.exchange(stopping)

    def exchange(self, stopping: bool = False) -> None:
        """Tell what is in flight here, and hear of the others. Raises `DatabaseError`.

        A process without calls neither asks nor tells, but for taking back what it told last.
        """
        with self._lock:
            own = {} if stopping else {workspace: calls for workspace, calls in self.own.items() if calls}
        if not settings.AGENTTEAM_CALLS_IN_FLIGHT or not (own or self._told):
            return
        told.tell(own)
        self._told = bool(own)
        self.others = told.of_other_processes(own)


in_flight = CallsInFlight()
writer.on_tick.append(in_flight.on_tick)


@contextmanager
def calls_in_flight(workspace_id: str, engine: str) -> Iterator[None]:
    in_flight.enter(workspace_id, engine)
    try:
        yield
    finally:
        in_flight.leave(workspace_id, engine)
