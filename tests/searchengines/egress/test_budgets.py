"""Bombs, endless answers, lying lengths and cut answers: refused at once, in little memory."""

import gc
import gzip
import threading
import time
from pathlib import Path

import pytest

from searchengines.egress import Egress, EgressSettings
from searchengines.errors import Reason
from tests.hostile import CHUNKED, CUT, ENDLESS, LIES, OK, Hostile, answer, answer_and_close, coded, lengths
from tests.searchengines.egress.calls import GET, local, reason_of, send
from tests.upstream import Upstream

MEBIBYTE = 1 << 20
PAGE = 4096


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


class Peak:
    """The highest growth of resident memory while it is open, sampled every five milliseconds."""

    def __enter__(self) -> "Peak":
        gc.collect()
        self.before = self.highest = resident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._done.wait(0.005):
            self.highest = max(self.highest, resident())

    @property
    def growth(self) -> int:
        return self.highest - self.before


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_refused_at_once(name: str, tls: bool, seen_as_public: None) -> None:
    with Hostile(ENDLESS[name], tls=tls) as server:
        gate = Egress(EgressSettings(own_ca_file=server.ca_file))
        # On a busy machine any one call may have to wait for a processor; three in a row do not.
        for _ in range(3):
            with Peak() as peak:
                started = time.monotonic()
                reason = reason_of(gate, local(server.url, own_ca=True), timeout=15)
                took = time.monotonic() - started
            if took < 1.0:
                break
    assert reason in (Reason.TOO_LARGE, Reason.BAD_SHAPE)
    assert took < 1.0
    assert peak.growth < 16 * MEBIBYTE
    assert gate.stats().idle == 0


@pytest.mark.parametrize("name", LIES)
def test_framing_and_codings_that_are_not_plain_are_refused(name: str, seen_as_public: None) -> None:
    with Hostile(answer(LIES[name])) as server:
        gate = Egress(EgressSettings())
        assert reason_of(gate, local(server.url)) is Reason.BAD_SHAPE
    assert gate.stats().idle == 0


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("name", CUT)
def test_an_answer_that_breaks_off_is_no_answer(name: str, tls: bool, seen_as_public: None) -> None:
    with Hostile(CUT[name], tls=tls) as server:
        gate = Egress(EgressSettings(own_ca_file=server.ca_file))
        assert reason_of(gate, local(server.url, own_ca=True)) is Reason.UNREACHABLE
        assert server.connections == 1
    assert gate.stats().idle == 0


@pytest.mark.parametrize("size", [0, 1, 65536, MEBIBYTE])
def test_bodies_up_to_the_limit_arrive_whole(gate: Egress, upstream: Upstream, size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    upstream.reply(body=body)
    assert send(gate, local(upstream.url)).body == body
    assert gate.stats().idle == 1


def test_one_byte_more_is_too_large(gate: Egress, upstream: Upstream) -> None:
    upstream.reply(body=b"x" * (MEBIBYTE + 1))
    assert reason_of(gate, local(upstream.url)) is Reason.TOO_LARGE


def test_one_byte_more_in_chunks_is_too_large(gate: Egress) -> None:
    body = b"100001\r\n" + b"x" * (MEBIBYTE + 1) + b"\r\n0\r\n\r\n"
    with Hostile(answer(CHUNKED + body)) as server:
        assert reason_of(gate, local(server.url)) is Reason.TOO_LARGE


def test_the_limit_holds_again_after_decoding(gate: Egress) -> None:
    with Hostile(answer(coded(b"gzip", gzip.compress(bytes(MEBIBYTE))))) as server:
        assert send(gate, local(server.url)).body == bytes(MEBIBYTE)
    with Hostile(answer(coded(b"gzip", gzip.compress(bytes(MEBIBYTE + 1))))) as server:
        assert reason_of(gate, local(server.url), pool=("c", 1)) is Reason.TOO_LARGE


@pytest.mark.parametrize("coding", [b"gzip", b"GZIP", b" gzip "])
def test_gzip_is_decoded_even_if_nobody_asked(gate: Egress, coding: bytes) -> None:
    with Hostile(answer(coded(coding, gzip.compress(b'{"a": 1}')))) as server:
        assert send(gate, local(server.url)).body == b'{"a": 1}'
        assert send(gate, local(server.url)).body == b'{"a": 1}'
        assert server.connections == 1


def test_identity_is_a_coding_too(gate: Egress) -> None:
    with Hostile(answer(coded(b"identity", b"{}"))) as server:
        assert send(gate, local(server.url)).body == b"{}"


def test_a_body_until_the_end_of_the_connection_is_read_and_the_socket_not_kept(gate: Egress) -> None:
    with Hostile(answer_and_close(OK + b"\r\n" + b'{"results": []}')) as server:
        assert send(gate, local(server.url)).body == b'{"results": []}'
    assert gate.stats().idle == 0


def test_an_understated_length_ends_the_body_and_the_socket(gate: Egress) -> None:
    with Hostile(answer(lengths(b"Content-Length: 10", b'{"results": [1, 2, 3]}'))) as server:
        assert send(gate, local(server.url)).body == b'{"results"'
        assert gate.stats().idle == 0
        assert send(gate, local(server.url)).body == b'{"results"'
        assert server.connections == 2


def test_a_hundred_headers_are_fine_and_chunks_with_extensions_too(gate: Egress) -> None:
    head = OK + b"".join(b"X-%d: v\r\n" % number for number in range(98)) + b"Transfer-Encoding: chunked\r\n\r\n"
    with Hostile(answer(head + b"1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX-Trailer: v\r\n\r\n")) as server:
        for _ in range(2):
            incoming = send(gate, local(server.url), GET)
            assert incoming.body == b"{}"
            assert incoming.headers["x-97"] == "v"
        assert server.connections == 1
