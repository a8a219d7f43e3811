"""Which sockets are used again, by whom, and which never."""

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from searchengines.contract import Outgoing
from searchengines.egress import Egress, EgressSettings
from searchengines.errors import Reason
from tests.hostile import GOOD, Hostile, Peer, answer
from tests.searchengines.egress.calls import GET, local, reason_of, send
from tests.upstream import Reply, Upstream


@pytest.mark.parametrize("fixture", ["upstream", "tls_upstream"])
def test_a_hundred_calls_use_one_socket(fixture: str, request: pytest.FixtureRequest) -> None:
    server: Upstream = request.getfixturevalue(fixture)
    gate = Egress(EgressSettings(own_ca_file=server.ca_file))
    for number in range(100):
        outgoing = Outgoing("POST", "/search", json={"n": number}) if number % 2 else GET
        assert send(gate, local(server.url, own_ca=True), outgoing).body == b"{}"
    assert len(server.requests) == 100
    assert server.connections == 1
    stats = gate.stats()
    assert (stats.idle, stats.in_flight, stats.opened, stats.reused) == (1, 0, 1, 99)
    gate.close()
    assert gate.stats().idle == 0


def test_connections_never_share_a_socket(gate: Egress, upstream: Upstream) -> None:
    for _ in range(3):
        for pool in (("conn_a", 1), ("conn_b", 1)):
            send(gate, local(upstream.url), pool=pool)
    assert [each.connection for each in upstream.requests] == [1, 2, 1, 2, 1, 2]


def test_a_newer_revision_starts_afresh_and_closes_what_was_kept(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), pool=("conn_a", 1))
    send(gate, local(upstream.url), pool=("conn_a", 2))
    assert [each.connection for each in upstream.requests] == [1, 2]
    assert gate.stats().idle == 1
    # A call that began with the older revision keeps nothing and takes nothing.
    send(gate, local(upstream.url), pool=("conn_a", 1))
    send(gate, local(upstream.url), pool=("conn_a", 2))
    assert [each.connection for each in upstream.requests] == [1, 2, 3, 2]
    assert gate.stats().idle == 1


def test_a_call_without_a_connection_keeps_nothing(gate: Egress, upstream: Upstream) -> None:
    for _ in range(2):
        send(gate, local(upstream.url), pool=("", 0))
    assert upstream.connections == 2
    assert gate.stats().idle == 0


def test_another_origin_never_gets_a_kept_socket(gate: Egress, upstream: Upstream) -> None:
    with Upstream() as other:
        send(gate, local(upstream.url))
        send(gate, local(other.url))
        assert (len(upstream.requests), len(other.requests)) == (1, 1)


@pytest.mark.parametrize("fixture", ["upstream", "tls_upstream"])
def test_a_socket_closed_while_idle_does_not_fail_the_next_call(fixture: str, request: pytest.FixtureRequest) -> None:
    server: Upstream = request.getfixturevalue(fixture)
    gate = Egress(EgressSettings(own_ca_file=server.ca_file))
    send(gate, local(server.url, own_ca=True))
    server.close_connections()
    assert send(gate, local(server.url, own_ca=True)).status == 200
    assert [each.connection for each in server.requests] == [1, 2]


def close_on_second_request(peer: Peer) -> None:
    peer.read_request()
    peer.send(GOOD)
    peer.read_request()


def reset_on_second_request(peer: Peer) -> None:
    close_on_second_request(peer)
    peer.reset()


@pytest.mark.parametrize("behaviour", [close_on_second_request, reset_on_second_request])
@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_kept_socket_that_dies_before_the_answer_is_replaced_once(behaviour: object, tls: bool) -> None:
    with Hostile(behaviour, tls=tls) as server:
        gate = Egress(EgressSettings(own_ca_file=server.ca_file))
        for _ in range(3):
            assert send(gate, local(server.url, own_ca=True)).body == b"{}"
        assert server.connections == 3


def test_a_late_replacement_has_time_to_connect() -> None:
    waited: list[bool] = []

    def die_late_once(peer: Peer) -> None:
        peer.read_request()
        peer.send(GOOD)
        peer.read_request()
        if not waited:
            waited.append(peer.stopping.wait(0.4))
            return
        peer.send(GOOD)

    with Hostile(die_late_once) as server:
        gate = Egress(EgressSettings(connect_seconds=0.2))
        for _ in range(2):
            assert send(gate, local(server.url)).body == b"{}"
        assert server.connections == 2


def test_a_fresh_socket_that_dies_is_not_replaced(gate: Egress) -> None:
    def die(peer: Peer) -> None:
        peer.read_request()

    with Hostile(die) as server:
        assert reason_of(gate, local(server.url)) is Reason.UNREACHABLE
        assert server.connections == 1


def test_an_answer_that_began_is_not_asked_for_again(gate: Egress) -> None:
    def begin_then_die(peer: Peer) -> None:
        peer.read_request()
        peer.send(GOOD)
        peer.read_request()
        peer.send(b"H")

    with Hostile(begin_then_die) as server:
        send(gate, local(server.url))
        assert reason_of(gate, local(server.url)) is Reason.UNREACHABLE
        assert server.connections == 1


def test_silence_on_a_kept_socket_is_not_asked_for_again(gate: Egress) -> None:
    def once_then_silence(peer: Peer) -> None:
        peer.read_request()
        peer.send(GOOD)
        peer.read_request()
        peer.hold()

    with Hostile(once_then_silence) as server:
        send(gate, local(server.url))
        assert reason_of(gate, local(server.url), timeout=0.3) is Reason.UNREACHABLE
        assert server.connections == 1


INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [
        GOOD + b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n[12345]",
        GOOD + b"\n",
        INTERIM + GOOD,
        INTERIM.replace(b" 100", b"  100") + GOOD,
        INTERIM.replace(b" 100", b" 0100") + GOOD,
        INTERIM.replace(b" 100", b"\xa0100") + GOOD,
        GOOD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"),
        GOOD.replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
    ids=["unsolicited answer", "one byte more", "interim answer", "two blanks", "odd status", "odd blank"]
    + ["close announced", "HTTP/1.0"],
)
@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_socket_is_kept_only_after_a_clean_end(data: bytes, tls: bool) -> None:
    with Hostile(answer(data), tls=tls) as server:
        gate = Egress(EgressSettings(own_ca_file=server.ca_file))
        for _ in range(3):
            assert send(gate, local(server.url, own_ca=True)).body == b"{}"
            assert gate.stats().idle == 0
        assert server.connections == 3


def test_bytes_that_come_while_idle_reach_nobody(gate: Egress) -> None:
    sent = threading.Event()

    def talk_while_idle(peer: Peer) -> None:
        peer.read_request()
        peer.send(GOOD)
        idle.wait(5)
        peer.send(GOOD.replace(b"{}", b"[]"))
        sent.set()
        peer.hold()

    idle = threading.Event()
    with Hostile(talk_while_idle) as server:
        assert send(gate, local(server.url)).body == b"{}"
        idle.set()
        assert sent.wait(5)
        assert send(gate, local(server.url)).body == b"{}"
        assert server.connections == 2


def test_a_status_without_a_body_keeps_the_socket(gate: Egress) -> None:
    with Hostile(answer(b"HTTP/1.1 204 No Content\r\n\r\n")) as server:
        for _ in range(2):
            assert send(gate, local(server.url)).status == 204
        assert server.connections == 1


def test_error_statuses_keep_the_socket(gate: Egress, upstream: Upstream) -> None:
    for status in (400, 401, 429, 500, 503):
        upstream.reply(status=status, json={"error": "x"})
        assert send(gate, local(upstream.url)).status == status
    assert upstream.connections == 1


def test_drop_closes_idle_sockets_at_once(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), pool=("conn_a", 1))
    send(gate, local(upstream.url), pool=("conn_b", 1))
    gate.drop("conn_a")
    gate.drop("conn_unknown")
    assert gate.stats().idle == 1
    send(gate, local(upstream.url), pool=("conn_a", 1))
    send(gate, local(upstream.url), pool=("conn_b", 1))
    assert [each.connection for each in upstream.requests] == [1, 2, 3, 2]


def test_a_socket_in_flight_is_not_kept_after_drop(gate: Egress, upstream: Upstream) -> None:
    upstream.reply(json={}, delay=30)
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(send, gate, local(upstream.url))
        upstream.wait_for_requests(1)
        assert gate.stats().in_flight == 1
        gate.drop("conn_1")
        upstream.release()
        assert call.result().status == 200
    assert (gate.stats().idle, gate.stats().in_flight) == (0, 0)


def test_sockets_idle_for_too_long_are_closed(upstream: Upstream) -> None:
    gate = Egress(EgressSettings(idle_seconds=0.0))
    for _ in range(2):
        send(gate, local(upstream.url))
    assert upstream.connections == 2
    assert gate.stats().idle == 0


def test_the_idle_limits_hold(upstream: Upstream) -> None:
    gate = Egress(EgressSettings(max_idle_per_pool=2, max_idle=3))
    everyone = threading.Barrier(4)

    def meet(request: object) -> Reply:
        everyone.wait(5)
        return Reply(json={})

    upstream.reply_with(meet)
    with ThreadPoolExecutor(4) as threads:
        for pool, kept in ((("conn_a", 1), 2), (("conn_b", 1), 3)):
            list(threads.map(lambda _, pool=pool: send(gate, local(upstream.url), pool=pool), range(4)))
            assert gate.stats().idle == kept
    # Over all pools the one that was idle longest went: conn_b still has both of its own.
    upstream.reply(json={})
    seen = len(upstream.requests)
    gate.drop("conn_a")
    assert gate.stats().idle == 2
    assert seen == 8


def test_many_threads_get_their_own_answers(gate: Egress, upstream: Upstream) -> None:
    upstream.reply_with(lambda request: Reply(json={"q": request.param("q")}))

    def ask(number: int) -> bool:
        outgoing = Outgoing("GET", "/search", params=(("q", str(number)),))
        return send(gate, local(upstream.url), outgoing, pool=(f"conn_{number % 3}", 1)).body == (
            b'{"q": "%d"}' % number
        )

    with ThreadPoolExecutor(32) as threads:
        assert all(threads.map(ask, range(400)))
    assert upstream.connections <= 96
    assert gate.stats().in_flight == 0


def test_a_fork_inherits_no_socket(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url))
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if send(gate, local(upstream.url)).status == 200 and gate.stats().opened == 1 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    send(gate, local(upstream.url))
    assert [each.connection for each in upstream.requests] == [1, 2, 1]


def test_no_descriptor_is_left_behind(gate: Egress, upstream: Upstream) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
        for path in ("/a", "/b"):
            upstream.reply(status=302, headers={"Location": "/elsewhere"}, match=path)
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(20):
            reason_of(gate, local(nobody))
            reason_of(gate, local(upstream.url), Outgoing("GET", "/a"))
        upstream.close_connections()
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2
