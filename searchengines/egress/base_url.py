"""The base URL that an administrator types: refused with the rule it breaks, or brought into its one stored form.

Stricter than URL parsers, which disagree with each other: nothing is trimmed, guessed or re-spelled that two
parsers could read in two ways.
"""

import re
from ipaddress import IPv6Address

import idna

from searchengines.egress.addresses import Address, is_always_denied, parse_address
from searchengines.errors import InvalidValue

MAX_LENGTH = 2048
_SEARCH = "/search"
_VISIBLE = re.compile(r"[\x21-\x7e]*")
_FORBIDDEN = frozenset('\\<>"{}|^`')
_PATH = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/]*")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_OCTET = re.compile(r"0|[1-9][0-9]{0,2}")

_MESSAGES = {
    "type": "must be text, like https://search.example.org",
    "length": f"must have 1 to {MAX_LENGTH} characters, like https://search.example.org",
    "non_ascii_or_whitespace_or_control": (
        "must be plain ASCII without spaces or control characters; spell an international name as xn--…, "
        "like https://xn--bcher-kva.example"
    ),
    "forbidden_char": 'must not contain any of \\ < > " { } | ^ `; write it like https://search.example.org',
    "scheme_or_form": "must begin with http:// or https://, like https://search.example.org",
    "userinfo": "must not contain a user name or password (nothing before an @), like https://search.example.org",
    "query": "must not contain a query (no ?); give only the address, like https://search.example.org",
    "fragment": "must not contain a fragment (no #), like https://search.example.org",
    "empty_host": "must name a host, like https://search.example.org",
    "host": "must have a host name of letters, digits, hyphens and dots, like search.example.org",
    "percent_or_zone_in_host": "must not contain % in the host, like https://search.example.org",
    "ipv4_form": "must spell an IPv4 address as four decimal numbers from 0 to 255, like http://192.168.1.10",
    "ipv6": "must have an IPv6 address between the brackets, like http://[fd12:3456::1]:8080",
    "idn": "has an xn-- name that does not decode; spell it like xn--bcher-kva.example",
    "address_denied": (
        "must not be an unspecified, link-local, multicast, reserved or metadata address; "
        "use the server's own, like http://192.168.1.10:8080"
    ),
    "loopback": "must not be this machine itself (loopback); use an address like http://192.168.1.10:8080",
    "port": "must have a port from 1 to 65535 without leading zeros, like http://searxng:8080",
    "path": "must have a path of letters, digits and -._~!$&'()*+,;=:@ only, like https://example.org/searxng",
    "path_segments": "must not have empty, . or .. path segments, like https://example.org/searxng",
}


def canonical_base_url(value: object, *, allow_loopback: bool = True) -> str:
    """The stored form of a base URL: scheme, host, port unless it is the scheme's own, path; no trailing slash.

    One trailing ``/search`` is dropped, since people copy it along. Canonical forms stay as they are. Raises
    `InvalidValue` whose rule is a key of the table above and whose message never contains the value.
    ``allow_loopback`` refuses only what is loopback by its spelling; names are checked when they resolve.
    """
    if not isinstance(value, str):
        raise _refused("type")
    if not 1 <= len(value) <= MAX_LENGTH:
        raise _refused("length")
    if not _VISIBLE.fullmatch(value):
        raise _refused("non_ascii_or_whitespace_or_control")
    if not _FORBIDDEN.isdisjoint(value):
        raise _refused("forbidden_char")
    scheme, separator, rest = value.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in ("http", "https"):
        raise _refused("scheme_or_form")
    authority, slash, path = _split_authority(rest)
    host, port = _split_port(authority)
    text = _canonical_host(host, allow_loopback)
    number = _canonical_port(port, scheme)
    return f"{scheme}://{text}{number}{_canonical_path(slash + path)}"


def _refused(rule: str) -> InvalidValue:
    return InvalidValue(_MESSAGES[rule], rule)


def _split_authority(rest: str) -> tuple[str, str, str]:
    before_fragment, fragment, _ = rest.partition("#")
    before_query, query, _ = before_fragment.partition("?")
    authority, slash, path = before_query.partition("/")
    if "@" in authority:
        raise _refused("userinfo")
    if query:
        raise _refused("query")
    if fragment:
        raise _refused("fragment")
    return authority, slash, path


def _split_port(authority: str) -> tuple[str, str | None]:
    """Host (an IPv6 address keeps its brackets) and the text after the colon, if there is a colon."""
    if authority.startswith("["):
        inside, bracket, after = authority.partition("]")
        if "%" in inside:
            raise _refused("percent_or_zone_in_host")
        if not bracket:
            raise _refused("ipv6")
        if after and not after.startswith(":"):
            raise _refused("host")
        return inside + bracket, after[1:] if after else None
    host, colon, port = authority.partition(":")
    if not host:
        raise _refused("empty_host")
    if "%" in host:
        raise _refused("percent_or_zone_in_host")
    return host, port if colon else None


def _canonical_port(port: str | None, scheme: str) -> str:
    if port is None:
        return ""
    if not _PORT.fullmatch(port) or int(port) > 65535:
        raise _refused("port")
    return "" if port == {"http": "80", "https": "443"}[scheme] else f":{port}"


def _canonical_host(host: str, allow_loopback: bool) -> str:
    if host.startswith("["):
        address = parse_address(host[1:-1])
        if not isinstance(address, IPv6Address):
            raise _refused("ipv6")
        _check_address(address, allow_loopback)
        return f"[{address.compressed}]"
    name = host.lower()
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _canonical_ipv4(labels, allow_loopback)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused("host")
    if not all(_decodes(label) for label in labels if label.startswith("xn--")):
        raise _refused("idn")
    if labels[-1] == "localhost" and not allow_loopback:
        raise _refused("loopback")
    return name


def _canonical_ipv4(labels: list[str], allow_loopback: bool) -> str:
    if len(labels) != 4 or not all(_OCTET.fullmatch(label) and int(label) <= 255 for label in labels):
        raise _refused("ipv4_form")
    text = ".".join(labels)
    address = parse_address(text)
    if address is None:
        raise _refused("ipv4_form")
    _check_address(address, allow_loopback)
    return text


def _check_address(address: Address, allow_loopback: bool) -> None:
    if is_always_denied(address):
        raise _refused("address_denied")
    if address.is_loopback and not allow_loopback:
        raise _refused("loopback")


def _decodes(label: str) -> bool:
    try:
        return idna.encode(idna.decode(label)).decode("ascii") == label
    except idna.IDNAError:
        return False


def _canonical_path(path: str) -> str:
    if not _PATH.fullmatch(path):
        raise _refused("path")
    path = path.rstrip("/")
    if any(segment in ("", ".", "..") for segment in path.split("/")[1:]):
        raise _refused("path_segments")
    path = path.removesuffix(_SEARCH)
    if path.endswith(_SEARCH):
        # A second one would be dropped at the next save, and then the stored form would not be stable.
        raise _refused("path_segments")
    return path
