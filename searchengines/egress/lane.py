"""One socket, leased to one call at a time, as a transport adapter of requests."""

import logging
import select
from collections.abc import Mapping
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter
from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection

from searchengines.egress.wire import Budget, PlainSocket, TlsSocket

# At DEBUG, and for a malformed header even at WARNING, these log the URL, and with it the query or a key. A level would
# not last: configuring "urllib3" puts the levels of its children back.
for _name in ("urllib3.connection", "urllib3.connectionpool", "urllib3.response"):
    logging.getLogger(_name).addFilter(lambda record: False)
logging.getLogger("urllib3").setLevel(logging.WARNING)

_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR | select.POLLNVAL


class _Connection(HTTPConnection):
    """An HTTP connection on a socket that exists already: it opens none, and sends a request in one piece."""

    def __init__(self, sock: PlainSocket | TlsSocket) -> None:
        super().__init__("lane")
        self.sock = sock
        self._pieces: list[bytes] = []

    def send(self, data: Any) -> None:
        """Header and body come one after the other; together they are one packet and one system call."""
        self._pieces.append(data)

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        request = b"".join(self._pieces)
        self._pieces.clear()
        self.sock.sendall(request)
        return super().getresponse()


class Lane(BaseAdapter):
    """Sends prepared requests over its one socket. ``public`` says that it leads to a global address."""

    def __init__(self, sock: PlainSocket | TlsSocket, *, public: bool) -> None:
        super().__init__()
        self.public = public
        self._sock = sock
        self._connection = _Connection(sock)
        self._status = 0
        self._poll = select.poll()
        self._poll.register(sock, _READABLE)

    def begin(self, budget: Budget) -> None:
        """Put the socket under the budget of the next call."""
        self._sock.budget = budget

    def send(
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> Response:
        """Send and read the header of the answer; the body is in ``raw``. The budget is the only timeout.

        Raises what sockets and HTTP parsers raise, and `SearchFailure` when the budget is used up.
        """
        assert request.method is not None and request.url is not None
        self._connection.request(
            request.method,
            request.url,
            body=request.body,
            headers=request.headers,
            preload_content=False,
            decode_content=False,
        )
        raw = self._connection.getresponse()
        response = Response()
        response.status_code = raw.status
        response.raw = raw
        self._status = raw.status
        return response

    def is_reusable(self) -> bool:
        """Whether the answer ended exactly where it said: after a final status, with nothing left over anywhere."""
        reader = self._sock.reader
        return (
            self._connection.sock is self._sock
            and self._status >= 200
            and reader is not None
            and reader.closed
            and reader.drained
            and bool(reader.final)
            and not (isinstance(self._sock, TlsSocket) and self._sock.pending())
        )

    def is_quiet(self) -> bool:
        """Whether nothing waits to be read: neither the end of the connection nor bytes that nobody asked for."""
        return not self._poll.poll(0)

    def close(self) -> None:
        self._connection.close()
        if self._sock.reader is not None:
            self._sock.reader.close()
        self._sock.close()
