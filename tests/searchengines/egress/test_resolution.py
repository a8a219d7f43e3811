"""Names: every address checked, the checked one connected to, nothing sent to any other."""

import socket
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from searchengines.contract import Reach, Target
from searchengines.egress import Egress, EgressSettings, connector
from searchengines.errors import Reason
from tests.searchengines.egress.calls import GET, reason_of, send
from tests.upstream import Upstream


class Names:
    """A resolver that answers from a script: the n-th lookup gets the n-th list, the last one for ever."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)
        self.lookups: list[str] = []

    def __call__(self, host: str, port: int) -> Iterable[Any]:
        self.lookups.append(host)
        addresses = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET6 if ":" in each else socket.AF_INET, 1, 6, "", (each, port)) for each in addresses]


def named(upstream: Upstream, reach: Reach) -> Target:
    return Target(f"http://engine.test:{upstream.port}", reach)


def test_the_name_is_resolved_once_and_kept_in_the_host_header(upstream: Upstream) -> None:
    names = Names(["127.0.0.1"])
    gate = Egress(EgressSettings(), lookup=names)
    for _ in range(3):
        send(gate, named(upstream, Reach.LOOPBACK))
    assert names.lookups == ["engine.test"]
    assert upstream.last.headers["host"] == f"engine.test:{upstream.port}"


def test_rebinding_reaches_nothing(upstream: Upstream) -> None:
    """The name is public when it is first looked up and loopback from then on."""
    gate = Egress(EgressSettings(connect_seconds=0.2), lookup=Names(["203.0.113.7"], ["127.0.0.1"]))
    for _ in range(3):
        assert reason_of(gate, named(upstream, Reach.GLOBAL)) is Reason.ADDRESS_DENIED
    assert upstream.connections == 0


def test_the_address_that_was_checked_is_the_one_connected_to(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the name looked up again between check and connection, the second answer would be refused."""
    names = Names(["127.0.0.1"], ["169.254.169.254"])
    gate = Egress(EgressSettings(), lookup=names)
    assert send(gate, named(upstream, Reach.LOOPBACK)).status == 200
    assert names.lookups == ["engine.test"]
    assert reason_of(gate, named(upstream, Reach.LOOPBACK), pool=("conn_2", 1)) is Reason.ADDRESS_DENIED


@pytest.mark.parametrize(
    ("reach", "addresses"),
    [
        (Reach.GLOBAL, ["127.0.0.1"]),
        (Reach.GLOBAL, ["::1"]),
        (Reach.GLOBAL, ["10.0.0.1"]),
        (Reach.GLOBAL, ["8.8.8.8", "127.0.0.1"]),
        (Reach.GLOBAL, ["127.0.0.1", "8.8.8.8"]),
        (Reach.GLOBAL, ["8.8.8.8"] * 9 + ["192.168.0.1"]),
        (Reach.PRIVATE, ["127.0.0.1"]),
        (Reach.PRIVATE, ["10.0.0.1", "127.0.0.1"]),
        (Reach.LOOPBACK, ["127.0.0.1", "169.254.169.254"]),
        (Reach.LOOPBACK, ["127.0.0.1", "0.0.0.0"]),
        (Reach.LOOPBACK, ["127.0.0.1", "100.100.100.200"]),
        (Reach.LOOPBACK, ["127.0.0.1", "::ffff:127.0.0.1"]),
        (Reach.LOOPBACK, ["127.0.0.1", "fd00:ec2::254"]),
        (Reach.LOOPBACK, ["127.0.0.1", "fe80::1%eth0"]),
        (Reach.LOOPBACK, ["127.0.0.1", "not an address"]),
    ],
)
def test_one_bad_address_refuses_all(upstream: Upstream, reach: Reach, addresses: list[str]) -> None:
    gate = Egress(EgressSettings(), lookup=Names(addresses))
    assert reason_of(gate, named(upstream, reach)) is Reason.ADDRESS_DENIED
    assert upstream.connections == 0


def test_a_scoped_address_is_refused(upstream: Upstream) -> None:
    def scoped(host: str, port: int) -> Iterable[Any]:
        return [(socket.AF_INET6, 1, 6, "", ("fd12::1", port, 0, 2))]

    gate = Egress(EgressSettings(), lookup=scoped)
    assert reason_of(gate, named(upstream, Reach.LOOPBACK)) is Reason.ADDRESS_DENIED


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1", "http://[::1]", "http://10.0.0.1", "http://169.254.169.254", "http://localhost"]
)
def test_public_engines_do_not_reach_inside(gate: Egress, url: str) -> None:
    assert reason_of(gate, Target(url, Reach.GLOBAL)) is Reason.ADDRESS_DENIED


def test_a_refused_address_is_followed_by_the_next(upstream: Upstream) -> None:
    gate = Egress(EgressSettings(), lookup=Names(["127.0.0.99", "127.0.0.1"]))
    assert send(gate, named(upstream, Reach.LOOPBACK)).status == 200


def test_at_most_eight_addresses_are_tried(upstream: Upstream) -> None:
    nobody = [f"127.0.0.{number}" for number in range(101, 109)]
    assert (
        send(Egress(EgressSettings(), lookup=Names([*nobody[:7], "127.0.0.1"])), named(upstream, Reach.LOOPBACK)).body
        == b"{}"
    )
    gate = Egress(EgressSettings(), lookup=Names([*nobody, "127.0.0.1"]))
    assert reason_of(gate, named(upstream, Reach.LOOPBACK)) is Reason.UNREACHABLE
    assert upstream.connections == 1


def test_our_own_port_is_refused_on_our_own_addresses(upstream: Upstream) -> None:
    gate = Egress(EgressSettings(own_ports=frozenset({upstream.port})))
    for host in ("127.0.0.1", "127.0.0.2", "localhost"):
        assert reason_of(gate, Target(f"http://{host}:{upstream.port}", Reach.LOOPBACK)) is Reason.ADDRESS_DENIED
    assert upstream.connections == 0
    with Upstream() as neighbour:
        assert send(gate, Target(neighbour.url, Reach.LOOPBACK)).status == 200


def test_an_unknown_public_name_reads_dns_and_an_inner_one_unreachable(upstream: Upstream) -> None:
    gate = Egress(EgressSettings(), lookup=Names([]))
    assert reason_of(gate, named(upstream, Reach.GLOBAL)) is Reason.DNS
    assert reason_of(gate, named(upstream, Reach.PRIVATE)) is Reason.UNREACHABLE
    assert reason_of(gate, named(upstream, Reach.LOOPBACK)) is Reason.UNREACHABLE


def test_a_reserved_name_is_unknown_to_the_real_resolver(gate: Egress) -> None:
    assert reason_of(gate, Target("http://no-such-host.invalid", Reach.GLOBAL)) is Reason.DNS


def test_hanging_private_names_do_not_hold_up_public_ones() -> None:
    hang = threading.Event()

    def lookup(host: str, port: int) -> Iterable[Any]:
        if host.startswith("inner"):
            hang.wait()
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    gate = Egress(EgressSettings(connect_seconds=0.3, resolver_slots=1), lookup=lookup)
    try:
        assert reason_of(gate, Target("http://inner1.test", Reach.PRIVATE)) is Reason.UNREACHABLE
        # The only private slot is taken: the next name fails without being looked up.
        assert reason_of(gate, Target("http://inner2.test", Reach.PRIVATE)) is Reason.UNREACHABLE
        assert reason_of(gate, Target("http://public.test", Reach.GLOBAL)) is Reason.DNS
    finally:
        hang.set()


def test_callers_of_one_name_share_one_lookup(upstream: Upstream) -> None:
    names = Names(["127.0.0.1"])
    waiting = threading.Event()

    def slow(host: str, port: int) -> Iterable[Any]:
        waiting.wait(5)
        return names(host, port)

    gate = Egress(EgressSettings(resolver_slots=1), lookup=slow)
    with ThreadPoolExecutor(8) as threads:
        calls = [threads.submit(send, gate, named(upstream, Reach.LOOPBACK), GET, ("", 0)) for _ in range(8)]
        while gate.stats().in_flight < 8:
            pass
        waiting.set()
        assert [call.result().status for call in calls] == [200] * 8
    assert len(names.lookups) < 8


def test_a_global_address_shows_its_reasons_even_where_private_ones_are_allowed(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.reply(json={}, delay=30)
    gate = Egress(EgressSettings())
    target = Target(upstream.url, Reach.LOOPBACK)
    assert reason_of(gate, target, timeout=0.2) is Reason.UNREACHABLE
    monkeypatch.setattr(connector, "is_global", lambda address: True)
    assert reason_of(gate, target, timeout=0.2) is Reason.TIMEOUT
