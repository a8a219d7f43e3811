"""A real HTTP/1.1 keep-alive server on 127.0.0.1 that plays every provider."""

import itertools
import json as json_module
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.certificates import make_certificates


@dataclass(frozen=True)
class Request:
    """One request as it arrived. ``json`` is None when the body is not JSON; ``connection`` counts from 1."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes
    connection: int
    json: Any = None

    def param(self, name: str) -> str | None:
        """The first query parameter of that name."""
        return next((value for key, value in self.query if key == name), None)


@dataclass(frozen=True)
class Reply:
    """What to answer: ``json`` wins over ``body``. ``delay`` seconds pass first, or until `Upstream.release`."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    json: Any = None
    delay: float = 0.0

    def encode(self) -> bytes:
        """The whole answer, in one piece. Given headers replace the computed ones of the same name."""
        body, headers = self.body, {}
        if self.json is not None:
            body = json_module.dumps(self.json).encode()
            headers["content-type"] = "application/json"
        headers["content-length"] = str(len(body))
        headers.update({name.lower(): value for name, value in self.headers.items()})
        head = f"HTTP/1.1 {self.status} Answer\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return head.encode("latin-1") + b"\r\n" + body


Answer = Callable[[Request], Reply]
Match = str | Callable[[Request], bool] | None


class Upstream:
    """Use as a context manager, or start and stop it. With ``tls`` the certificate's CA is in ``ca_file``.

    Without any reply set it answers 200 ``{}``.
    """

    def __init__(self, *, tls: bool = False, names: tuple[str, ...] = ("localhost", "127.0.0.1")) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.ca_file: str | None = None
        self._scheme = "https" if tls else "http"
        self._names = names
        self._rules: list[tuple[Match, Answer]] = []
        self._default: Answer = lambda request: Reply(json={})
        self._arrived = threading.Condition()
        self._released = threading.Event()
        self._open: set[socket.socket] = set()
        self._numbers = itertools.count(1)
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._server: _Server | None = None

    @property
    def port(self) -> int:
        assert self._server is not None, "the server is not running"
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def last(self) -> Request:
        return self.requests[-1]

    def start(self) -> "Upstream":
        context = None
        if self._scheme == "https":
            self._directory = tempfile.TemporaryDirectory()
            certificates = make_certificates(Path(self._directory.name), self._names)
            self.ca_file, context = str(certificates.ca_file), certificates.server_context()
        self._server = _Server(self, context)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def stop(self) -> None:
        self.release()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self.close_connections()
            self._server = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    __enter__ = start

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def reply(
        self,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        body: bytes = b"",
        delay: float = 0.0,
        match: Match = None,
    ) -> None:
        """Answer so from now on: to every request, or to those whose path (or predicate) is ``match``."""
        answer = Reply(status, headers or {}, body, json, delay)
        self.reply_with(lambda request: answer, match)

    def reply_with(self, answer: Answer, match: Match = None) -> None:
        """Compute answers, e.g. to echo a query. The rule set last wins; one without ``match`` is the default."""
        if match is None:
            self._default = answer
        else:
            self._rules.insert(0, (match, answer))

    def release(self) -> None:
        """End every delay, now and later."""
        self._released.set()

    def close_connections(self) -> None:
        """Close every open connection from this side, idle ones too; returns when they are closed."""
        with self._arrived:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._arrived.wait_for(lambda: not self._open, timeout=5)

    def wait_for_requests(self, count: int, timeout: float = 5.0) -> None:
        """Wait until that many requests have arrived in all."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= count, timeout), "too few requests arrived"

    def _opened(self, connection: socket.socket) -> int:
        with self._arrived:
            self.connections += 1
            self._open.add(connection)
            return next(self._numbers)

    def _wrapped(self, plain: socket.socket, secure: socket.socket) -> None:
        with self._arrived:
            self._open.discard(plain)
            self._open.add(secure)

    def _closed(self, connection: socket.socket) -> None:
        with self._arrived:
            self._open.discard(connection)
            self._arrived.notify_all()

    def _answer(self, request: Request) -> bytes:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        reply = next((answer for match, answer in self._rules if _matches(match, request)), self._default)(request)
        if reply.delay:
            self._released.wait(reply.delay)
        return reply.encode()


def _matches(match: Match, request: Request) -> bool:
    return match(request) if callable(match) else match == request.path


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, upstream: Upstream, context: Any) -> None:
        self.upstream = upstream
        self.context = context
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is not news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.plain = self.request
        self.number = self.server.upstream._opened(self.plain)
        try:
            if self.server.context is not None:
                self.request = self.server.context.wrap_socket(self.request, server_side=True)
                # Wrapping takes the descriptor over: this socket is the one to close from now on.
                self.server.upstream._wrapped(self.plain, self.request)
                self.plain = self.request
            super().setup()
        except BaseException:
            self.server.upstream._closed(self.plain)
            raise

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            with suppress(OSError):
                self.request.close()
            self.server.upstream._closed(self.plain)

    def handle(self) -> None:
        with suppress(OSError):
            super().handle()

    def do_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = urlsplit(self.path)
        try:
            parsed = json_module.loads(body) if body else None
        except ValueError:
            parsed = None
        request = Request(
            method=self.command,
            path=parts.path,
            query=parse_qsl(parts.query, keep_blank_values=True),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            connection=self.number,
            json=parsed,
        )
        data = self.server.upstream._answer(request)
        self.wfile.write(data)
        if b"\r\nconnection: close\r\n" in data.partition(b"\r\n\r\n")[0].lower() + b"\r\n":
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_any

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `Upstream.requests` instead."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """A plain HTTP upstream; import it in a conftest.py: ``from tests.upstream import upstream``."""
    with Upstream() as server:
        yield server


@pytest.fixture
def tls_upstream() -> Iterator[Upstream]:
    """An HTTPS upstream for localhost and 127.0.0.1, signed by the authority in ``ca_file``."""
    with Upstream(tls=True) as server:
        yield server
