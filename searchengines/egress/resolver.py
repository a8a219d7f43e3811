"""Host names to addresses, in time: a lookup cannot be interrupted, so it waits in a thread of its own."""

import socket
import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, TypeAlias

from searchengines.errors import Reason, SearchFailure

Lookup: TypeAlias = Callable[[str, int], Iterable[Any]]
"""Takes a host and a port and gives what `socket.getaddrinfo` gives for TCP."""

# A full house is usually full for milliseconds; a hanging name server must not hold the callers as well.
_WAIT_FOR_SLOT = 0.25


def system_lookup(host: str, port: int) -> Iterable[Any]:
    """The operating system's own resolver."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)


class _Pending:
    """One lookup under way, shared by everyone who asks for the same host and port meanwhile."""

    __slots__ = ("answer", "done", "started")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: tuple[Any, ...] | None = None
        self.started = monotonic()


class Resolver:
    """Looks names up in at most ``slots`` daemon threads; a thread that hangs holds its slot until it returns."""

    def __init__(self, slots: int, lookup: Lookup = system_lookup) -> None:
        self._lookup = lookup
        self._slots = threading.BoundedSemaphore(slots)
        self._lock = threading.Lock()
        self._pending: dict[tuple[str, int], _Pending] = {}

    def resolve(self, host: str, port: int, seconds: float) -> tuple[Any, ...]:
        """What the lookup gave within ``seconds``. Raises `SearchFailure` dns: unknown, too slow, or no free slot."""
        ends = monotonic() + seconds
        pending = self._join_or_start(host, port, seconds)
        if not pending.done.wait(max(0.0, ends - monotonic())) or not pending.answer:
            raise SearchFailure.upstream(Reason.DNS)
        return pending.answer

    def _join_or_start(self, host: str, port: int, seconds: float) -> _Pending:
        with self._lock:
            pending = self._pending.get((host, port))
            # One that has hung for a whole deadline is not waited for again.
            if pending is not None and monotonic() - pending.started < seconds:
                return pending
        if not self._slots.acquire(timeout=min(seconds, _WAIT_FOR_SLOT)):
            raise SearchFailure.upstream(Reason.DNS)
        pending = _Pending()
        with self._lock:
            self._pending[host, port] = pending
        try:
            threading.Thread(target=self._run, args=(host, port, pending), name="egress-dns", daemon=True).start()
        except RuntimeError:
            self._finish(host, port, pending)
        return pending

    def _run(self, host: str, port: int, pending: _Pending) -> None:
        try:
            pending.answer = tuple(self._lookup(host, port))
        except (OSError, ValueError):
            pending.answer = None
        finally:
            self._finish(host, port, pending)

    def _finish(self, host: str, port: int, pending: _Pending) -> None:
        with self._lock:
            if self._pending.get((host, port)) is pending:
                del self._pending[host, port]
        self._slots.release()
        pending.done.set()
