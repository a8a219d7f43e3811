"""How many calls a workspace may have in flight at once, over all serving processes.

A process counts its own exactly; what the others have is read, and its own is told, once a second by the
activity writer. So the limit costs no statement on the road and is off by what started in that second.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from apps.workspaces.errors import Problem


class CallsInFlight:
    """Calls in flight by workspace: this process's own, and the others' as last heard."""

    def __init__(self) -> None:
        self.own: Counter[str] = Counter()
        self.others: dict[str, int] = {}
        self._lock = threading.Lock()

    def enter(self, workspace_id: str) -> None:
        """Raises `Problem` throttled when the workspace has too many."""
        limit = settings.AGENTTEAM_CALLS_IN_FLIGHT
        with self._lock:
            if limit and self.own[workspace_id] + self.others.get(workspace_id, 0) >= limit:
                raise Problem.throttled(1)
            self.own[workspace_id] += 1

    def leave(self, workspace_id: str) -> None:
        with self._lock:
            self.own[workspace_id] -= 1
            if self.own[workspace_id] <= 0:
                del self.own[workspace_id]


in_flight = CallsInFlight()


@contextmanager
def calls_in_flight(workspace_id: str) -> Iterator[None]:
    in_flight.enter(workspace_id)
    try:
        yield
    finally:
        in_flight.leave(workspace_id)
