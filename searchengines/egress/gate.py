"""The gate: the one way out of the process for a search."""

import http.client
import os
import ssl
import threading
import weakref
from time import monotonic

import urllib3.exceptions
from requests import PreparedRequest

from searchengines.contract import Incoming, Outgoing, Reach, Target
from searchengines.egress.answer import read_body
from searchengines.egress.connector import Connector, all_global
from searchengines.egress.lane import Lane
from searchengines.egress.message import prepare
from searchengines.egress.origin import Origin, parse_origin
from searchengines.egress.pools import EgressStats, Pool, Pools
from searchengines.egress.resolver import Lookup, Resolver, system_lookup
from searchengines.egress.settings import EgressSettings
from searchengines.egress.tls import build_context
from searchengines.egress.wire import Budget
from searchengines.errors import Reason, SearchFailure

# What headers and framing may take beside the body itself.
FRAMING_BYTES = 64 * 1024

_BROKEN = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError)


class Egress:
    """Implements `searchengines.contract.Transport`. One per process is enough; threads may share it.

    After a fork the child starts with no sockets. ``lookup`` replaces the system's resolver.
    """

    def __init__(self, settings: EgressSettings, *, lookup: Lookup = system_lookup) -> None:
        self._settings = settings
        self._lookup = lookup
        self._contexts: dict[bool, ssl.SSLContext] = {}
        self._start()
        _gates.add(self)

    def _start(self) -> None:
        settings = self._settings
        self._context_lock = threading.Lock()
        self._pools = Pools(settings.idle_seconds, settings.max_idle_per_pool, settings.max_idle)
        self._connector = Connector(
            Resolver(settings.resolver_slots, self._lookup),
            Resolver(settings.resolver_slots, self._lookup),
            self._context,
            settings.own_ports,
        )

    def send(self, outgoing: Outgoing, target: Target, *, pool: tuple[str, int], timeout: float) -> Incoming:
        """Send one request, once, and return the complete answer.

        ``timeout`` is the total deadline in seconds, at most the settings' own. A kept socket that dies before the
        first byte of the answer is replaced by one fresh connection; nothing else is sent twice.
        Raises `SearchFailure`: upstream_failure (timeout, unreachable, dns, tls, address_denied, redirected,
        too_large, bad_shape), provider_auth_unavailable when a secret cannot be sent.
        """
        origin = parse_origin(target.base_url)
        request = prepare(outgoing, origin, self._settings.user_agent)
        settings = self._settings
        budget = Budget(min(timeout, settings.total_seconds), FRAMING_BYTES)
        kept_in = self._pools.enter(pool, target)
        call = _Call(self._connector, self._pools, kept_in, origin, target, budget, settings)
        try:
            return call.run(request)
        finally:
            self._pools.leave(kept_in, call.keep, target)

    def drop(self, pool_id: str) -> None:
        """Forget a stored connection: close its idle sockets now, and those in flight when their call ends."""
        self._pools.drop(pool_id)

    def sweep(self) -> None:
        """Close sockets that have been idle for too long; every call does so too."""
        self._pools.sweep()

    def stats(self) -> EgressStats:
        """Counts for metrics."""
        return self._pools.stats()

    def close(self) -> None:
        """Close every idle socket."""
        self._pools.close()

    def _after_fork(self) -> None:
        """The sockets belong to the parent, and the threads and locks did not come along."""
        self._pools.abandon()
        self._start()

    def _context(self, own_ca: bool) -> ssl.SSLContext:
        """Building one takes 15 ms, so it is built once. Raises `SearchFailure` tls when our CA file is unusable."""
        with self._context_lock:
            context = self._contexts.get(own_ca)
            if context is None:
                try:
                    context = build_context(self._settings.own_ca_file if own_ca else None)
                except OSError:
                    raise SearchFailure.upstream(Reason.TLS) from None
                self._contexts[own_ca] = context
            return context


class _Call:
    """One call: what it may use, and what became of its socket. ``keep`` is the socket if it may be used again."""

    def __init__(
        self,
        connector: Connector,
        pools: Pools,
        pool: Pool | None,
        origin: Origin,
        target: Target,
        budget: Budget,
        settings: EgressSettings,
    ) -> None:
        self._connector = connector
        self._pools = pools
        self._pool = pool
        self._origin = origin
        self._target = target
        self._budget = budget
        self._settings = settings
        self._public = target.reach is Reach.GLOBAL
        self.keep: Lane | None = None

    def run(self, request: PreparedRequest) -> Incoming:
        """The answer. Raises `SearchFailure` with the time waited, that carries neither cause nor context."""
        started = monotonic()
        try:
            kept = self._pools.take(self._pool)
            if kept is not None:
                self._public = kept.public
                try:
                    return self._exchange(kept, request)
                except _BROKEN:
                    if self._budget.received:
                        raise
                    self._budget.cut = False
            return self._exchange(self._open(), request)
        except SearchFailure as error:
            reason = error.reason
        except _BROKEN as error:
            # A connection that broke off is one thing, an answer that is no HTTP another.
            cut = self._budget.cut or isinstance(error, OSError)
            reason = Reason.UNREACHABLE if cut else Reason.BAD_SHAPE
        # Raised outside the handlers, so that no library's exception, with its URL, hangs on it.
        waited = 0.0 if reason is Reason.ADDRESS_DENIED else monotonic() - started
        raise SearchFailure.upstream(self._shown(reason), waited)

    def _open(self) -> Lane:
        self._budget.begin_connecting(self._settings.connect_seconds)
        endpoints = self._connector.endpoints(self._origin, self._target.reach, self._budget)
        self._public = self._target.reach is Reach.GLOBAL or all_global(endpoints)
        sock = self._connector.connect(endpoints, self._origin, self._target, self._budget)
        self._pools.opened(self._target)
        return Lane(sock, public=self._public)

    def _exchange(self, lane: Lane, request: PreparedRequest) -> Incoming:
        lane.begin(self._budget)
        try:
            raw = lane.send(request).raw
            if self._budget.cut:
                # http.client takes the end of the connection for the end of the header.
                raise ConnectionResetError
            self._budget.allow_body(self._settings.max_bytes)
            headers = {name.lower(): value for name, value in raw.headers.itermerged()}
            if 300 <= raw.status < 400:
                raise SearchFailure.upstream(Reason.REDIRECTED)
            body = read_body(raw, headers, self._settings.max_bytes)
            if self._budget.cut and ("content-length" in headers or "transfer-encoding" in headers):
                # It also takes it for the end of the trailers.
                raise ConnectionResetError
            incoming = Incoming(raw.status, headers, body)
            if lane.is_reusable():
                self.keep = lane
            return incoming
        finally:
            if self.keep is None:
                lane.close()

    def _shown(self, reason: Reason | None) -> Reason:
        """Contract section 5: whatever an address of our own network did short of answering, it is unreachable."""
        if reason is None or reason is Reason.ADDRESS_DENIED or self._public or self._budget.answered:
            return reason or Reason.UNREACHABLE
        return Reason.UNREACHABLE


_gates: weakref.WeakSet[Egress] = weakref.WeakSet()


def _after_fork() -> None:
    for gate in _gates:
        gate._after_fork()


os.register_at_fork(after_in_child=_after_fork)
