"""A server that stalls, drips, lies and bombs, byte by byte, over HTTP or HTTPS.

Each behaviour is a function of one `Peer`. The tables at the end say what a client must make of them.
"""

import gzip
import socket
import ssl
import struct
import tempfile
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.certificates import make_certificates

OK = b"HTTP/1.1 200 OK\r\n"
JSON = b"Content-Type: application/json\r\n"
CHUNKED = OK + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
GOOD = OK + JSON + b"Content-Length: 2\r\n\r\n{}"
DRIP_SECONDS = 0.05


class Peer:
    """One accepted connection, as a behaviour sees it. Every wait ends when the server stops."""

    def __init__(self, sock: socket.socket, stopping: threading.Event) -> None:
        self.sock = sock
        self.stopping = stopping
        self.received = b""

    def read_request(self) -> bytes:
        """One request without a body (or with what came along of it); b"" when the client has gone."""
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            piece = self.sock.recv(65536)
            if not piece:
                return b""
            self.received += piece
        return self.received

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes) -> None:
        """One byte at a time, over and over, never ending."""
        while True:
            for position in range(len(data)):
                self.send(data[position : position + 1])
                if self.stopping.wait(DRIP_SECONDS):
                    return

    def flood(self, data: bytes) -> None:
        """As fast as possible, never ending."""
        while not self.stopping.is_set():
            self.send(data)

    def hold(self) -> None:
        """Say nothing until the server stops."""
        self.stopping.wait()

    def reset(self) -> None:
        """Close with RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Behaviour = Callable[[Peer], None]


class Hostile:
    """Serves one behaviour to every connection. ``handshake`` False leaves even TLS to the behaviour.

    ``bytes_received`` is what clients have sent in all, as far as behaviours read it; ``connections`` counts them.
    """

    def __init__(self, behaviour: Behaviour, *, tls: bool = False, handshake: bool = True) -> None:
        self._behaviour = behaviour
        self._tls = tls
        self._handshake = handshake
        self._stopping = threading.Event()
        self._sockets: list[socket.socket] = []
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._context: ssl.SSLContext | None = None
        self.ca_file: str | None = None
        self.connections = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> "Hostile":
        if self._tls:
            self._directory = tempfile.TemporaryDirectory()
            certificates = make_certificates(Path(self._directory.name))
            self.ca_file, self._context = str(certificates.ca_file), certificates.server_context()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._sockets:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        if self._directory is not None:
            self._directory.cleanup()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                self.connections += 1
                self._sockets.append(sock)
                threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError, ValueError):
            if self._context is not None and self._handshake:
                sock = self._context.wrap_socket(sock, server_side=True)
                self._sockets.append(sock)
            self._behaviour(Peer(sock, self._stopping))
        with suppress(OSError):
            sock.close()


def after_request(then: Behaviour) -> Behaviour:
    """Read one request, then do that."""

    def behave(peer: Peer) -> None:
        peer.read_request()
        then(peer)

    return behave


def answer(data: bytes) -> Behaviour:
    """Send those bytes as the answer to each request and keep the connection open."""

    def behave(peer: Peer) -> None:
        while peer.read_request():
            peer.send(data)

    return behave


def answer_and_close(data: bytes) -> Behaviour:
    """Send those bytes after the request and close."""
    return after_request(lambda peer: peer.send(data))


def drip(start: bytes, repeated: bytes) -> Behaviour:
    """After the request send ``start`` at once and then ``repeated``, a byte at a time, for ever."""

    def behave(peer: Peer) -> None:
        peer.send(start)
        peer.drip(repeated)

    return after_request(behave)


def flood(start: bytes, repeated: bytes) -> Behaviour:
    """After the request send ``start`` and then ``repeated`` for ever, as fast as the client reads."""

    def behave(peer: Peer) -> None:
        peer.send(start)
        peer.flood(repeated)

    return after_request(behave)


def drip_handshake(peer: Peer) -> None:
    """The beginning of a long TLS handshake record that never becomes complete."""
    peer.send(b"\x16\x03\x03\x3f\x00\x02\x00\x3e\xfc\x03\x03")
    peer.drip(b"\x00")


def half_then_reset(peer: Peer) -> None:
    peer.read_request()
    peer.send(OK + JSON + b"Content-Length: 100\r\n\r\n" + b'{"results": [')
    peer.reset()


@cache
def gzip_bomb(layers: int = 1) -> bytes:
    """64 MiB of zeros."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join(deflate.compress(bytes(1 << 20)) for _ in range(64)) + deflate.flush()
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return data


def coded(coding: bytes, body: bytes) -> bytes:
    """A complete answer with that content coding."""
    return OK + JSON + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body)) + body


def lengths(header: bytes, body: bytes = b"{}") -> bytes:
    """A complete answer with those length headers."""
    return OK + JSON + header + b"\r\n\r\n" + body


# Stalls before the connection stands (bounded by the connect deadline): HTTPS only, without a handshake.
HANDSHAKE_STALLS: dict[str, Behaviour] = {"tls silence": Peer.hold, "tls drip": drip_handshake}

# Stalls on a standing connection (bounded by the total deadline), both schemes.
STALLS: dict[str, Behaviour] = {
    "silence": after_request(Peer.hold),
    "status drip": drip(b"", OK[:-2]),
    "header drip": drip(OK, b"X-Header: value\r\n"),
    "header value drip": drip(OK + b"X-Header: ", b"v"),
    "continue drip": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body silence": after_request(lambda peer: (peer.send(lengths(b"Content-Length: 900")), peer.hold())[0]),
    "body drip": drip(lengths(b"Content-Length: 1000000"), b" "),
    "body drip until close": drip(OK + JSON + b"\r\n", b" "),
    "chunk drip": drip(CHUNKED, b"1\r\n \r\n"),
    "chunk size drip": drip(CHUNKED, b"0"),
    "chunk extension drip": drip(CHUNKED + b"1;", b"x"),
    "trailer drip": drip(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-Trailer: value\r\n"),
}

# What never ends or is far too large, sent at full speed: refused by the budget, long before any deadline.
ENDLESS: dict[str, Behaviour] = {
    "endless continue": flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless status line": flood(b"HTTP/1.1 200 ", b"x" * 4096),
    "endless headers": flood(OK, b"X-Header: value\r\n"),
    "endless header line": flood(OK + b"X-Header: ", b"v" * 4096),
    "endless body": flood(OK + JSON + b"\r\n", b" " * 4096),
    "endless chunks": flood(CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"),
    "endless small chunks": flood(CHUNKED, b"1\r\n \r\n" * 512),
    "endless trailers": flood(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-Trailer: value\r\n" * 256),
    "giant chunk extensions": flood(CHUNKED, b"1;" + b"x" * 60000 + b"\r\n \r\n"),
    "gzip bomb": answer(coded(b"gzip", gzip_bomb())),
    "chunked gzip bomb": answer(
        CHUNKED[:-2] + b"Content-Encoding: gzip\r\n\r\n%x\r\n" % len(gzip_bomb()) + gzip_bomb() + b"\r\n0\r\n\r\n"
    ),
    "declared too large": flood(lengths(b"Content-Length: 1048577", b""), b" " * 4096),
    "declared enormous": flood(lengths(b"Content-Length: " + b"9" * 40, b""), b" " * 4096),
}

# Answers whose coding or framing is not plain: refused as they are.
LIES: dict[str, bytes] = {
    "double gzip": coded(b"gzip, gzip", gzip.compress(gzip.compress(b"{}"))),
    "double gzip, one named": coded(b"gzip", gzip.compress(gzip.compress(b"{}")) + b"x"),
    "two gzip headers": coded(b"gzip\r\nContent-Encoding: gzip", gzip.compress(gzip.compress(b"{}"))),
    "brotli": coded(b"br", b"\x0b\x00\x80{}\x03"),
    "zstd": coded(b"zstd", b"\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00{}"),
    "deflate": coded(b"deflate", zlib.compress(b"{}")),
    "not gzip": coded(b"gzip", b"{}"),
    "cut gzip": coded(b"gzip", gzip.compress(b"{}" * 500)[:-9]),
    "second gzip member": coded(b"gzip", gzip.compress(b"{}") + gzip.compress(b"{}")),
    "negative length": lengths(b"Content-Length: -1"),
    "signed length": lengths(b"Content-Length: +2"),
    "underscore length": lengths(b"Content-Length: 0_2"),
    "hexadecimal length": lengths(b"Content-Length: 0x2"),
    "empty length": lengths(b"Content-Length: "),
    "conflicting lengths": lengths(b"Content-Length: 2\r\nContent-Length: 1"),
    "repeated lengths": lengths(b"Content-Length: 2\r\nContent-Length: 2"),
    "length and chunks": lengths(b"Content-Length: 2\r\nTransfer-Encoding: chunked", b"2\r\n{}\r\n0\r\n\r\n"),
    "gzip transfer coding": lengths(b"Transfer-Encoding: gzip, chunked", b"2\r\n{}\r\n0\r\n\r\n"),
    "identity transfer coding": lengths(b"Transfer-Encoding: identity"),
    "no HTTP": b"SSH-2.0-OpenSSH_9.9\r\n",
    "HTTP/0.9": b'{"results": []}\r\n',
    "odd version": b"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "odd status": b"HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\n{}",
    "bad chunk size": CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
}

# Answers that break off: the server closes (or resets) before the end that it announced.
CUT: dict[str, Behaviour] = {
    "closed at once": after_request(lambda peer: None),
    "overstated length": answer_and_close(lengths(b"Content-Length: 3")),
    "half a header": answer_and_close(OK + b"Content-Ty"),
    "half a chunk": answer_and_close(CHUNKED + b"9\r\n{}"),
    "half a trailer": answer_and_close(CHUNKED + b"2\r\n{}\r\n0\r\nX-Trai"),
    "no empty line": answer_and_close(CHUNKED + b"2\r\n{}\r\n0\r\n"),
    "no last chunk": answer_and_close(CHUNKED + b"2\r\n{}\r\n"),
    "half then reset": half_then_reset,
    "reset at once": after_request(Peer.reset),
}
