"""Idle sockets, kept per stored connection and never shared between two of them."""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from searchengines.contract import Target
from searchengines.egress.lane import Lane


class Pool:
    """The sockets of one revision of one stored connection. A closed pool takes nothing back."""

    __slots__ = ("closed", "idle", "revision", "target")

    def __init__(self, revision: int, target: Target) -> None:
        self.revision = revision
        self.target = target
        self.idle: deque[Lane] = deque()
        self.closed = False


@dataclass(frozen=True, slots=True)
class EgressStats:
    """Sockets now (idle, and calls in flight) and since the process began (opened, reused), by label of the target."""

    idle_by_label: Mapping[str, int]
    in_flight_by_label: Mapping[str, int]
    opened_by_label: Mapping[str, int]
    reused_by_label: Mapping[str, int]

    @property
    def idle(self) -> int:
        return sum(self.idle_by_label.values())

    @property
    def in_flight(self) -> int:
        return sum(self.in_flight_by_label.values())

    @property
    def opened(self) -> int:
        return sum(self.opened_by_label.values())

    @property
    def reused(self) -> int:
        return sum(self.reused_by_label.values())


class Pools:
    """All idle sockets of this process. Thread-safe; the lock is never held while anything waits."""

    def __init__(self, idle_seconds: float, max_idle_per_pool: int, max_idle: int) -> None:
        self._idle_seconds = idle_seconds
        self._max_idle_per_pool = max_idle_per_pool
        self._max_idle = max_idle
        self._lock = threading.Lock()
        self._pools: dict[str, Pool] = {}
        # Oldest first, over all pools: what to close next.
        self._since: OrderedDict[Lane, tuple[float, Pool]] = OrderedDict()
        self._in_flight: Counter[str] = Counter()
        self._opened: Counter[str] = Counter()
        self._reused: Counter[str] = Counter()

    def enter(self, key: tuple[str, int], target: Target) -> Pool | None:
        """The pool of a call that begins; None when it must use a socket of its own.

        A newer revision closes what the older one kept; a call that still holds an older one keeps nothing, and
        neither does one without a connection (an empty id).
        """
        pool_id, revision = key
        discarded: list[Lane] = []
        with self._lock:
            self._in_flight[target.label] += 1
            if not pool_id:
                return None
            pool = self._pools.get(pool_id)
            if pool is not None and revision < pool.revision:
                return None
            if pool is None or pool.revision != revision or pool.target != target:
                if pool is not None:
                    discarded = self._close_pool(pool)
                pool = self._pools[pool_id] = Pool(revision, target)
        _close_all(discarded)
        return pool

    def take(self, pool: Pool | None) -> Lane | None:
        """An idle socket of that pool which nothing has happened to, or None."""
        while pool is not None:
            with self._lock:
                if not pool.idle:
                    return None
                lane = pool.idle.pop()
                since, _ = self._since.pop(lane)
            if monotonic() - since < self._idle_seconds and lane.is_quiet():
                with self._lock:
                    self._reused[pool.target.label] += 1
                return lane
            lane.close()
        return None

    def opened(self, target: Target) -> None:
        """Count a new socket."""
        with self._lock:
            self._opened[target.label] += 1

    def leave(self, pool: Pool | None, lane: Lane | None, target: Target) -> None:
        """The end of a call to that target; ``lane`` is its socket when that may be used again."""
        discarded: list[Lane] = []
        with self._lock:
            self._in_flight[target.label] -= 1
            if lane is not None:
                if pool is None or pool.closed or len(pool.idle) >= self._max_idle_per_pool:
                    discarded.append(lane)
                else:
                    pool.idle.append(lane)
                    self._since[lane] = (monotonic(), pool)
            self._collect_stale(discarded)
        _close_all(discarded)

    def sweep(self) -> None:
        """Close what has been idle for too long."""
        discarded: list[Lane] = []
        with self._lock:
            self._collect_stale(discarded)
        _close_all(discarded)

    def drop(self, pool_id: str) -> None:
        """Close the idle sockets of a connection; those in flight are not kept afterwards."""
        with self._lock:
            pool = self._pools.pop(pool_id, None)
            discarded = [] if pool is None else self._close_pool(pool)
        _close_all(discarded)

    def close(self) -> None:
        """Drop everything."""
        with self._lock:
            discarded = [lane for pool in self._pools.values() for lane in self._close_pool(pool)]
            self._pools.clear()
        _close_all(discarded)

    def abandon(self) -> None:
        """Close this process's copies of the idle sockets, without the lock: for a child right after a fork."""
        _close_all(list(self._since))

    def stats(self) -> EgressStats:
        """Counts, after closing what is stale."""
        self.sweep()
        with self._lock:
            idle = Counter(pool.target.label for _, pool in self._since.values())
            return EgressStats(idle, self._in_flight.copy(), self._opened.copy(), self._reused.copy())

    def _close_pool(self, pool: Pool) -> list[Lane]:
        pool.closed = True
        lanes = list(pool.idle)
        pool.idle.clear()
        for lane in lanes:
            del self._since[lane]
        return lanes

    def _collect_stale(self, discarded: list[Lane]) -> None:
        expired = monotonic() - self._idle_seconds
        while self._since:
            lane, (since, pool) = next(iter(self._since.items()))
            if since > expired and len(self._since) <= self._max_idle:
                return
            # A pool's own order is the order over all, so its oldest is the leftmost.
            pool.idle.popleft()
            del self._since[lane]
            discarded.append(lane)


def _close_all(lanes: list[Lane]) -> None:
    for lane in lanes:
        lane.close()
