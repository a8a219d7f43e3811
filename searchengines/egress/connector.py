"""Opening one connection: resolve, check every address, connect to one of those that were checked, handshake."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

from searchengines.contract import Reach, Target
from searchengines.egress.addresses import Address, is_allowed, is_global, is_this_machine, parse_address
from searchengines.egress.origin import Origin
from searchengines.egress.resolver import Resolver
from searchengines.egress.wire import Budget, PlainSocket, TlsSocket
from searchengines.errors import Reason, SearchFailure

MAX_ADDRESSES = 8


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One resolved address and what `socket.connect` takes for it."""

    address: Address
    sockaddr: tuple[Any, ...]


class Connector:
    """Makes checked, pinned connections. ``contexts`` gives the TLS context with or without our own CA file."""

    def __init__(
        self,
        public: Resolver,
        private: Resolver,
        contexts: Callable[[bool], ssl.SSLContext],
        own_ports: frozenset[int],
    ) -> None:
        self._public = public
        self._private = private
        self._contexts = contexts
        self._own_ports = own_ports

    def endpoints(self, origin: Origin, reach: Reach, budget: Budget) -> tuple[Endpoint, ...]:
        """Every address of the origin, all of them allowed. Raises `SearchFailure` dns, address_denied, timeout."""
        found = self._resolve(origin, reach, budget)
        for endpoint in found:
            if not is_allowed(endpoint.address, reach):
                raise SearchFailure.upstream(Reason.ADDRESS_DENIED)
            if origin.port in self._own_ports and is_this_machine(endpoint.address):
                raise SearchFailure.upstream(Reason.ADDRESS_DENIED)
        return found[:MAX_ADDRESSES]

    def _resolve(self, origin: Origin, reach: Reach, budget: Budget) -> tuple[Endpoint, ...]:
        literal = parse_address(origin.host)
        if literal is not None:
            return (Endpoint(literal, (str(literal), origin.port)),)
        resolver = self._public if reach is Reach.GLOBAL else self._private
        answer = resolver.resolve(origin.host, origin.port, budget.connect_seconds_left())
        endpoints: dict[tuple[Any, ...], Endpoint] = {}
        for _, _, _, _, sockaddr in answer:
            address = parse_address(str(sockaddr[0]))
            if address is None or (len(sockaddr) == 4 and sockaddr[3]):
                raise SearchFailure.upstream(Reason.ADDRESS_DENIED)
            endpoints.setdefault(sockaddr, Endpoint(address, sockaddr))
        return tuple(endpoints.values())

    def connect(
        self, endpoints: tuple[Endpoint, ...], origin: Origin, target: Target, budget: Budget
    ) -> PlainSocket | TlsSocket:
        """A connected socket under the budget; TLS is verified for the origin's name.

        Raises `SearchFailure` timeout, unreachable or tls.
        """
        plain = self._connect_any(endpoints, budget)
        if not origin.tls:
            plain.budget = budget
            return plain
        try:
            return self._handshake(plain, origin, self._contexts(target.own_ca), budget)
        except BaseException:
            plain.close()
            raise

    def _connect_any(self, endpoints: tuple[Endpoint, ...], budget: Budget) -> PlainSocket:
        reason = Reason.UNREACHABLE
        for position, endpoint in enumerate(endpoints):
            # What is left is shared by the addresses not tried yet: one dead address must not use all of it.
            seconds = budget.connect_seconds_left() / (len(endpoints) - position)
            family = socket.AF_INET if isinstance(endpoint.address, IPv4Address) else socket.AF_INET6
            plain = PlainSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            try:
                plain.settimeout(seconds)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                plain.connect(endpoint.sockaddr)
                return plain
            except TimeoutError:
                reason = Reason.TIMEOUT
            except OSError:
                reason = Reason.UNREACHABLE
            plain.close()
        raise SearchFailure.upstream(reason)

    def _handshake(self, plain: PlainSocket, origin: Origin, context: ssl.SSLContext, budget: Budget) -> TlsSocket:
        # CPython keeps one deadline for the whole handshake, so the time left is set once.
        plain.settimeout(budget.connect_seconds_left())
        reason = Reason.TLS
        try:
            secure = context.wrap_socket(plain, server_hostname=origin.host)
        except TimeoutError:
            reason = Reason.TIMEOUT
        except (ConnectionError, BrokenPipeError):
            reason = Reason.UNREACHABLE
        except (OSError, ValueError):
            reason = Reason.TLS
        else:
            assert isinstance(secure, TlsSocket)
            secure.budget = budget
            return secure
        raise SearchFailure.upstream(reason)


def all_global(endpoints: tuple[Endpoint, ...]) -> bool:
    """Whether every address is on the public Internet."""
    return all(is_global(endpoint.address) for endpoint in endpoints)
