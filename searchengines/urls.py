"""Addresses of results: absolute http(s), without fragment, otherwise as the provider gave them (spec A 4.2)."""

import re
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import quote

from searchengines.contract import DropReason
from searchengines.domains import canonical_domain

MAX_LENGTH = 8192

_PLAIN = re.compile(r"https?://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})(?:/[!$-;=?-\[\]_a-z~]*)?")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ud800-\udfff\\\\]")
# Legal in no URL and able to break out of text that quotes one.
_ENCODED = re.compile(r'[\s"<>`]')


def result_url(value: object) -> tuple[str, str] | DropReason:
    """The URL to show and its host, or why there is none.

    URLs with a user name or password are left out, so are those with control characters or backslashes,
    which programs read in different ways. Blanks are percent-encoded; path and query are not touched otherwise.
    """
    if value is None or value == "":
        return DropReason.NO_URL
    if not isinstance(value, str):
        return DropReason.MALFORMED
    url = value.partition("#")[0]
    plain = _PLAIN.fullmatch(url) if len(url) <= MAX_LENGTH else None
    if plain is not None and len(plain[1]) <= 253:
        return url, plain[1]
    return _odd_url(url.strip())


def _odd_url(url: str) -> tuple[str, str] | DropReason:
    if not url:
        return DropReason.NO_URL
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1].lower() not in ("http", "https"):
        return DropReason.BAD_SCHEME
    rest = url[scheme.end() :]
    if len(url) > MAX_LENGTH or not rest.startswith("//") or _FORBIDDEN.search(rest):
        return DropReason.BAD_URL
    length = next((index for index, character in enumerate(rest[2:]) if character in "/?"), len(rest) - 2)
    authority, tail = rest[2 : 2 + length], rest[2 + length :]
    host = _host(authority)
    if host is None:
        return DropReason.BAD_URL
    tail = _ENCODED.sub(lambda match: quote(match[0]), tail)
    return f"{scheme[1].lower()}://{authority}{tail}", host


def _host(authority: str) -> str | None:
    """The host of `authority`, or None when that is not a host with an optional port."""
    if authority.startswith("["):
        inside, bracket, port = authority[1:].partition("]")
        host = f"[{inside}]" if bracket and _is_ipv6(inside) else None
        port = port.removeprefix(":") if port.startswith(":") or not port else "?"
    else:
        name, _, port = authority.partition(":")
        host = canonical_domain(name)
    if port and not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        return None
    return host


def _is_ipv6(text: str) -> bool:
    try:
        return IPv6Address(text).scope_id is None
    except AddressValueError:
        return False
