"""Which addresses a request may be sent to. Checked on every resolved address, right before connecting to it."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from searchengines.contract import Reach

Address: TypeAlias = IPv4Address | IPv6Address

# Never reached, whatever the reach: unspecified, link-local, multicast, reserved, cloud metadata, and every form of
# IPv6 that hides an IPv4 address.
_DENIED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_DENIED_V6 = tuple(
    IPv6Network(text)
    for text in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/32",
        "2002::/16",
        "fd00:ec2::/32",
        "fd20:ce::/32",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")


def parse_address(text: str) -> Address | None:
    """The address that ``text`` spells, or None. Zone ids are kept, so that they can be refused."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_always_denied(address: Address) -> bool:
    """Whether no target may have this address."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in _DENIED_V4)
    if address.scope_id is not None:
        return True
    return not address.is_loopback and any(address in network for network in _DENIED_V6)


def is_global(address: Address) -> bool:
    """Whether the address is on the public Internet."""
    if is_always_denied(address) or not address.is_global:
        return False
    return isinstance(address, IPv4Address) or address in _GLOBAL_V6


def is_allowed(address: Address, reach: Reach) -> bool:
    """Whether a target of that reach may have this address."""
    if is_always_denied(address):
        return False
    if reach is Reach.GLOBAL:
        return is_global(address)
    return reach is Reach.LOOPBACK or not address.is_loopback


def is_this_machine(address: Address) -> bool:
    """Whether the address is one of this machine's own: the kernel then routes to it from itself. Sends nothing."""
    if address.is_loopback:
        return True
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((str(address), 9))
        except OSError:
            return False
        return parse_address(probe.getsockname()[0]) == address
