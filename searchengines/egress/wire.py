"""Sockets that keep to a deadline and a byte budget, whatever the other side does.

A timeout of a socket starts anew with every byte that drips in. Here the time that is left is set before every
single read and write, so the deadline is one for the whole call.
"""

from __future__ import annotations

import io
import re
import socket
import ssl
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from searchengines.errors import Reason, SearchFailure

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


_FINAL = re.compile(rb"HTTP/1\.[01] [2-9][0-9][0-9][ \r\n]")


class Budget:
    """What one call may use. ``ends`` and ``connect_ends`` are monotonic times, ``bytes_left`` counts down.

    ``received`` counts what came back; ``answered`` is set once a complete header of the final answer was read,
    ``cut`` when the connection ended while an answer was being read.
    """

    __slots__ = ("answered", "bytes_left", "connect_ends", "cut", "ends", "received")

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self.ends = self.connect_ends = monotonic() + seconds
        self.bytes_left = max_bytes
        self.received = 0
        self.answered = False
        self.cut = False

    def begin_connecting(self, seconds: float) -> None:
        """A connection is opened now: it must stand in that time, or at the end of the call if that is earlier."""
        self.connect_ends = min(self.ends, monotonic() + seconds)

    def seconds_left(self) -> float:
        """Time until the deadline, above 0. Raises `SearchFailure` timeout."""
        return _left(self.ends)

    def connect_seconds_left(self) -> float:
        """The same until the connection must stand."""
        return _left(self.connect_ends)

    def allow_body(self, max_bytes: int) -> None:
        """The header is complete: until now only framing was allowed, so that it cannot go on and on."""
        self.answered = True
        self.bytes_left += max_bytes

    def take(self, count: int) -> None:
        """Count bytes that arrived. Raises `SearchFailure` too_large."""
        self.received += count
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise SearchFailure.upstream(Reason.TOO_LARGE)


def _left(ends: float) -> float:
    seconds = ends - monotonic()
    if seconds <= 0:
        raise SearchFailure.upstream(Reason.TIMEOUT)
    return seconds


class BudgetedSocket(Protocol):
    """Either socket below."""

    budget: Budget | None

    def arm(self) -> Budget: ...


class PlainSocket(socket.socket):
    """A TCP socket under a budget. Without one (while connecting) it is an ordinary socket."""

    budget: Budget | None = None
    reader: AnswerReader | None = None

    def settimeout(self, value: float | None) -> None:
        """Ignored under a budget: urllib3 would put the whole timeout back before each phase."""
        if self.budget is None:
            super().settimeout(value)

    def arm(self) -> Budget:
        """Set the time that is left and return the budget. Raises `SearchFailure` timeout."""
        assert self.budget is not None
        super().settimeout(self.budget.seconds_left())
        return self.budget

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        self.arm()
        try:
            super().sendall(data, flags)
        except TimeoutError:
            raise SearchFailure.upstream(Reason.TIMEOUT) from None

    def makefile(self, *args: Any, **kwargs: Any) -> Any:
        """A reader of one answer; http.client asks for nothing else."""
        self.reader = AnswerReader(WireReader(self, super().makefile("rb", buffering=0)))
        return self.reader


class TlsSocket(ssl.SSLSocket):
    """The same over TLS; a context makes these through ``sslsocket_class``."""

    budget: Budget | None = None
    reader: AnswerReader | None = None

    def settimeout(self, value: float | None) -> None:
        """Ignored under a budget, as above."""
        if self.budget is None:
            super().settimeout(value)

    def arm(self) -> Budget:
        """As above."""
        assert self.budget is not None
        super().settimeout(self.budget.seconds_left())
        return self.budget

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        """`sendall` of a TLS socket calls this for every record."""
        self.arm()
        try:
            return super().send(data, flags)
        except TimeoutError:
            raise SearchFailure.upstream(Reason.TIMEOUT) from None

    def makefile(self, *args: Any, **kwargs: Any) -> Any:
        """A reader of one answer."""
        self.reader = AnswerReader(WireReader(self, super().makefile("rb", buffering=0)))
        return self.reader


class WireReader(io.RawIOBase):
    """Unbuffered bytes of one answer, each read under what is left of the budget."""

    def __init__(self, sock: BudgetedSocket, raw: io.RawIOBase) -> None:
        self._sock = sock
        self._raw = raw
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        budget = self._sock.arm()
        try:
            count: int | None = self._raw.readinto(buffer)
        except TimeoutError:
            raise SearchFailure.upstream(Reason.TIMEOUT) from None
        except OSError:
            budget.cut = True
            raise
        if count:
            self._count += count
            budget.take(count)
        else:
            budget.cut = True
        return count

    def tell(self) -> int:
        """How many bytes were read: `io.BufferedReader` subtracts what it still holds."""
        return self._count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class AnswerReader(io.BufferedReader):
    """The reader that http.client parses an answer from.

    ``final`` says that it began with the status of a final answer, in its usual spelling: http.client takes others
    too, and passes over a 1xx without a word. ``drained`` says that nothing was left in the buffer when it was closed.
    """

    def __init__(self, raw: WireReader) -> None:
        super().__init__(raw)
        self.final: bool | None = None
        self.drained = False
        self._wire = raw

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if self.final is None:
            self.final = _FINAL.match(line) is not None
        return line

    def close(self) -> None:
        if not self.closed:
            self.drained = self.tell() == self._wire.tell()
        super().close()
