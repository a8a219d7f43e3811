"""Host names in one canonical form, and the allow and deny lists of an installation (contract section 2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Address

import idna

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
# Programs read a host that ends in one of these as an IPv4 address, in whatever form.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def canonical_domain(text: str) -> str | None:
    """`text` as a lower-case A-label host name without trailing dot, or None when it is not one.

    Names, IDNs and IPv4 addresses are hosts; brackets, ports, wildcards and empty labels are not.
    """
    if len(text) > 253 + 1:
        return None
    if text.isascii():
        host = text.lower()
    else:
        try:
            host = idna.encode(text, uts46=True, transitional=False).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return None
    host = host.removesuffix(".")
    if len(host) > 253 or not _HOST.fullmatch(host):
        return None
    if _NUMBER.fullmatch(host.rpartition(".")[2]) and not _is_ipv4(host):
        return None
    return host


def _is_ipv4(host: str) -> bool:
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class DomainRules:
    """Which hosts results may come from. An entry covers its sub-domains; deny wins; an empty allow list allows all."""

    allow: frozenset[str] = field(default_factory=frozenset)
    deny: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, allow: Iterable[str], deny: Iterable[str]) -> "DomainRules":
        return cls(frozenset(allow), frozenset(deny))

    def __bool__(self) -> bool:
        return bool(self.allow or self.deny)

    def permits(self, host: str) -> bool:
        """Whether a result on `host` may be shown. A host that has no canonical form passes no allow list."""
        domain = canonical_domain(host)
        if domain is None:
            return not self.allow
        if self.deny and _covered(domain, self.deny):
            return False
        return not self.allow or _covered(domain, self.allow)


def _covered(domain: str, entries: frozenset[str]) -> bool:
    while domain not in entries:
        _, dot, domain = domain.partition(".")
        if not dot:
            return False
    return True
