"""Where an engine's requests go and which addresses they may reach (contract section 1, origins)."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from searchengines.contract import Engine, Provider, Reach, Target
from searchengines.errors import Reason, SearchFailure

NOWHERE = Target(base_url="")


def target_of(engine: Engine, config: Mapping[str, str]) -> Target:
    """A keyed engine's fixed origin, or the operator's own for it; else the connection's base URL."""
    if not isinstance(engine, Provider):
        return NOWHERE
    if engine.origin is None:
        reach = Reach.LOOPBACK if settings.AGENTTEAM_SEARXNG_ALLOW_LOOPBACK else Reach.PRIVATE
        return Target(config.get("baseUrl", ""), reach, own_ca=True, label=engine.slug)
    override = settings.AGENTTEAM_SEARCH_ORIGINS.get(engine.slug)
    return operator_target(override, engine.slug) if override else Target(engine.origin, label=engine.slug)


def operator_target(origin: str, label: str) -> Target:
    """An origin that the operator chose: private addresses too, and loopback when the setting allows it.

    Raises `SearchFailure` address_denied for one that the system checks refuse: no key goes out in clear.
    """
    loopback = settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS
    if _problem(origin, loopback) is not None:
        raise SearchFailure.upstream(Reason.ADDRESS_DENIED)
    return Target(origin.rstrip("/"), Reach.LOOPBACK if loopback else Reach.PRIVATE, label=label)


def origin_problem(origin: str) -> str | None:
    """Why an operator's origin is not taken, in words for a system check; None when it is fine."""
    return _problem(origin, settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS)


@lru_cache(maxsize=64)
def _problem(origin: str, loopback: bool) -> str | None:
    try:
        parts = urlsplit(origin)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        return "is not an http or https origin"
    if "@" in parts.netloc or "?" in origin or "#" in origin:
        return "may not have user information, a query or a fragment"
    if parts.scheme == "http":
        if not loopback:
            return "is http: only loopback may be, and only with AGENTTEAM_ALLOW_LOOPBACK_ORIGINS=1"
        if not _is_loopback(host):
            return "is http to a host that is not loopback"
    return None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
