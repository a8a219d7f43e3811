"""The parts of a target's base URL, taken apart once."""

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """``host`` has no brackets; ``authority`` is what the Host header says; ``path`` has no trailing slash."""

    tls: bool
    host: str
    port: int
    authority: str
    path: str


@lru_cache(maxsize=1024)
def parse_origin(base_url: str) -> Origin:
    """Takes a canonical base URL (or an operator's origin). Raises `ValueError` without naming the value."""
    parts = urlsplit(base_url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        raise ValueError("the target is not an http(s) origin")
    return Origin(
        tls=parts.scheme == "https",
        host=parts.hostname,
        port=parts.port or _DEFAULT_PORTS[parts.scheme],
        authority=parts.netloc,
        path=parts.path.rstrip("/"),
    )
