"""Which addresses each reach allows."""

from ipaddress import ip_address

import pytest

from searchengines.contract import Reach
from searchengines.egress.addresses import is_allowed, is_this_machine, parse_address

NOWHERE: set[Reach] = set()
INSIDE = {Reach.PRIVATE, Reach.LOOPBACK}
EVERYWHERE = {Reach.GLOBAL, Reach.PRIVATE, Reach.LOOPBACK}


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("8.8.8.8", EVERYWHERE),
        ("2606:4700::1111", EVERYWHERE),
        ("10.0.0.1", INSIDE),
        ("172.16.0.1", INSIDE),
        ("172.31.255.255", INSIDE),
        ("192.168.255.1", INSIDE),
        ("100.64.0.1", INSIDE),
        ("fd12:3456::1", INSIDE),
        ("127.0.0.1", {Reach.LOOPBACK}),
        ("127.255.255.254", {Reach.LOOPBACK}),
        ("::1", {Reach.LOOPBACK}),
        ("0.0.0.0", NOWHERE),
        ("0.255.255.255", NOWHERE),
        ("169.254.169.254", NOWHERE),
        ("169.254.0.1", NOWHERE),
        ("192.0.0.192", NOWHERE),
        ("192.88.99.1", NOWHERE),
        ("224.0.0.1", NOWHERE),
        ("239.255.255.255", NOWHERE),
        ("240.0.0.1", NOWHERE),
        ("255.255.255.255", NOWHERE),
        ("100.100.100.200", NOWHERE),
        ("168.63.129.16", NOWHERE),
        ("::", NOWHERE),
        ("::7f00:1", NOWHERE),
        ("::ffff:8.8.8.8", NOWHERE),
        ("::ffff:127.0.0.1", NOWHERE),
        ("::ffff:0:7f00:1", NOWHERE),
        ("64:ff9b::808:808", NOWHERE),
        ("64:ff9b:1::1", NOWHERE),
        ("100::1", NOWHERE),
        ("2001::1", NOWHERE),
        ("2002:808:808::1", NOWHERE),
        ("fd00:ec2::254", NOWHERE),
        ("fd20:ce::254", NOWHERE),
        ("fe80::1", NOWHERE),
        ("fe80::1%1", NOWHERE),
        ("fd12::1%1", NOWHERE),
        ("fec0::1", NOWHERE),
        ("ff02::1", NOWHERE),
    ],
)
def test_reach_of_an_address(text: str, allowed: set[Reach]) -> None:
    assert {reach for reach in Reach if is_allowed(ip_address(text), reach)} == allowed


@pytest.mark.parametrize("text", ["192.0.2.1", "198.18.0.1", "203.0.113.1", "2001:db8::1", "4000::1"])
def test_public_engines_reach_global_addresses_only(text: str) -> None:
    assert not is_allowed(ip_address(text), Reach.GLOBAL)


def test_only_addresses_are_addresses() -> None:
    assert parse_address("h.example") is None
    assert parse_address("010.0.0.5") is None
    assert parse_address("127.1") is None


def test_this_machine_knows_its_own_addresses() -> None:
    assert is_this_machine(ip_address("127.0.0.1"))
    assert is_this_machine(ip_address("127.3.2.1"))
    assert not is_this_machine(ip_address("203.0.113.77"))
