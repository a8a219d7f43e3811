"""Every stall ends at its deadline. The one place where tests assert times."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from searchengines.egress import Egress, EgressSettings
from searchengines.errors import Reason
from tests.hostile import HANDSHAKE_STALLS, STALLS, Behaviour, Hostile
from tests.searchengines.egress.calls import GET, local, reason_of

SLACK = 1.0
Case = Callable[[float, float], tuple[float, float]]


def timed(gate: Egress, url: str, timeout: float) -> float:
    started = time.monotonic()
    reason = reason_of(gate, local(url, own_ca=True), timeout=timeout)
    assert reason in (Reason.TIMEOUT, Reason.UNREACHABLE), reason
    return time.monotonic() - started


def stall(behaviour: Behaviour, *, tls: bool, handshake: bool = True) -> Case:
    """A case: takes both deadlines, returns the seconds used and the deadline that should have ended it."""

    def run(connect: float, total: float) -> tuple[float, float]:
        with Hostile(behaviour, tls=tls, handshake=handshake) as server:
            gate = Egress(EgressSettings(connect_seconds=connect, total_seconds=total, own_ca_file=server.ca_file))
            return timed(gate, server.url, total), total if handshake else connect

    return run


def resolved(lookup: Callable[[str, int], Iterable[Any]]) -> Case:
    def run(connect: float, total: float) -> tuple[float, float]:
        gate = Egress(EgressSettings(connect_seconds=connect, total_seconds=total), lookup=lookup)
        return timed(gate, "http://engine.test:1", total), connect

    return run


def all_cases(dead: list[tuple[str, int]], hang: threading.Event) -> dict[str, Case]:
    def hanging(host: str, port: int) -> Iterable[Any]:
        hang.wait()
        return ()

    cases = {f"{name}, http": stall(behaviour, tls=False) for name, behaviour in STALLS.items()}
    cases |= {f"{name}, https": stall(behaviour, tls=True) for name, behaviour in STALLS.items()}
    cases |= {name: stall(each, tls=True, handshake=False) for name, each in HANDSHAKE_STALLS.items()}
    cases["dead address"] = resolved(lambda host, port: [(2, 1, 6, "", dead[0])])
    cases["ten dead addresses"] = resolved(lambda host, port: [(2, 1, 6, "", address) for address in dead])
    cases["hanging DNS"] = resolved(hanging)
    return cases


def run_side_by_side(cases: dict[str, Case], connect: float, total: float, slack: float) -> dict[str, float]:
    """The cases that did not end within their deadline and ``slack``, or ended well before it."""
    with ThreadPoolExecutor(len(cases)) as threads:
        started = {name: threads.submit(case, connect, total) for name, case in cases.items()}
        used = {name: future.result() for name, future in started.items()}
    return {name: took for name, (took, ends) in used.items() if not ends * 0.9 <= took <= ends + slack}


def test_every_stall_ends_at_its_deadline(dead_addresses: list[tuple[str, int]]) -> None:
    hang = threading.Event()
    try:
        assert run_side_by_side(all_cases(dead_addresses, hang), 1.5, 2.5, SLACK) == {}
    finally:
        hang.set()


@pytest.mark.slow
def test_every_stall_ends_at_the_real_deadline(dead_addresses: list[tuple[str, int]]) -> None:
    hang = threading.Event()
    try:
        assert run_side_by_side(all_cases(dead_addresses, hang), 5.0, 15.0, 0.5) == {}
    finally:
        hang.set()


def test_the_callers_timeout_is_the_total_deadline() -> None:
    with Hostile(STALLS["body drip"]) as server:
        started = time.monotonic()
        assert reason_of(Egress(EgressSettings()), local(server.url), timeout=0.3) is Reason.TIMEOUT
        assert 0.27 <= time.monotonic() - started <= 0.3 + SLACK


def test_the_settings_bound_the_callers_timeout() -> None:
    with Hostile(STALLS["body drip"]) as server:
        started = time.monotonic()
        assert reason_of(Egress(EgressSettings(total_seconds=0.3)), local(server.url), timeout=60) is Reason.TIMEOUT
        assert time.monotonic() - started <= 0.3 + SLACK


def test_the_deadline_starts_anew_on_a_kept_socket(gate: Egress) -> None:
    def good_then_drip(peer: Any) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        STALLS["body drip"](peer)

    with Hostile(good_then_drip) as server:
        gate.send(GET, local(server.url), pool=("c", 1), timeout=0.5)
        started = time.monotonic()
        assert reason_of(gate, local(server.url), pool=("c", 1), timeout=0.5) is Reason.TIMEOUT
        assert 0.45 <= time.monotonic() - started <= 0.5 + SLACK
        assert server.connections == 1


def test_no_thread_is_started_but_for_names(gate: Egress) -> None:
    started: list[str] = []
    with Hostile(STALLS["body drip"]) as server:
        before = set(threading.enumerate())
        reason_of(gate, local(server.url), timeout=0.2)
        started = [each.name for each in threading.enumerate() if each not in before and "_serve" not in each.name]
    assert started == []


def test_hanging_names_hold_their_slots_and_no_more_threads() -> None:
    hang = threading.Event()

    def hanging(host: str, port: int) -> Iterable[Any]:
        hang.wait()
        return ()

    gate = Egress(EgressSettings(connect_seconds=0.3, total_seconds=0.6, resolver_slots=3), lookup=hanging)
    before = {each for each in threading.enumerate() if each.name == "egress-dns"}
    try:
        with ThreadPoolExecutor(12) as threads:
            urls = [f"http://engine{number}.test" for number in range(12)]
            reasons = list(threads.map(lambda url: reason_of(gate, local(url)), urls))
        waiting = {each for each in threading.enumerate() if each.name == "egress-dns"} - before
        assert reasons == [Reason.UNREACHABLE] * 12
        assert len(waiting) == 3
    finally:
        hang.set()
    for each in waiting:
        each.join(5)
    assert not any(each.is_alive() for each in waiting)
