"""Where an engine's requests go and which addresses they may reach (contract section 1, origins)."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings

from searchengines.contract import Engine, Provider, Reach, Target

NOWHERE = Target(base_url="")


def target_of(engine: Engine, config: Mapping[str, str]) -> Target:
    """A keyed engine's fixed origin, or the operator's own for it; else the connection's base URL."""
    if not isinstance(engine, Provider):
        return NOWHERE
    if engine.origin is None:
        reach = Reach.LOOPBACK if settings.AGENTTEAM_SEARXNG_ALLOW_LOOPBACK else Reach.PRIVATE
        return Target(config.get("baseUrl", ""), reach, own_ca=True)
    override = settings.AGENTTEAM_SEARCH_ORIGINS.get(engine.slug)
    return operator_target(override) if override else Target(engine.origin)


def operator_target(origin: str) -> Target:
    """An origin that the operator chose: private addresses too, and loopback when the setting allows it."""
    loopback = settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS
    return Target(origin.rstrip("/"), Reach.LOOPBACK if loopback else Reach.PRIVATE)


def origin_problem(origin: str) -> str | None:
    """Why an operator's origin is not taken, in words for a system check; None when it is fine."""
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not an http or https origin"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "may not have user information, a query or a fragment"
    if parts.scheme == "http":
        if not settings.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS:
            return "is http: only loopback may be, and only with AGENTTEAM_ALLOW_LOOPBACK_ORIGINS=1"
        if parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            return "is http to a host that is not loopback"
    return None
