"""Where requests may go and where keys come from: origins, the certificate authority, vault backends."""

import os
import ssl
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from apps.marketplace import origins, vault
from searchengines.providers import ALL

ORIGIN = "AGENTTEAM_SEARCH_ORIGIN_"


@register(Tags.security)
def check_origins(app_configs: Any, **options: Any) -> list[CheckMessage]:
    problems = {slug: origins.origin_problem(origin) for slug, origin in settings.AGENTTEAM_SEARCH_ORIGINS.items()}
    return [
        Error(f"AGENTTEAM_SEARCH_ORIGIN_{slug.upper()} {problem}.", id="agentteam.E003")
        for slug, problem in problems.items()
        if problem is not None
    ]


@register(Tags.security)
def check_origin_names(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A variable for an engine that there is not, or that has no origin of its own, would have no effect, silently."""
    known = {ORIGIN + engine.slug.upper() for engine in ALL if engine.origin is not None}
    return [
        Warning(
            f"{name} has no effect: it names no engine with an origin of its own.",
            hint=f"There are: {', '.join(sorted(known))}.",
            id="agentteam.W001",
        )
        for name in sorted(os.environ)
        if name.startswith(ORIGIN) and name not in known
    ]


@register(Tags.security)
def check_certificate_authority(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Without this, every search through SearXNG would fail, and only then."""
    path = settings.AGENTTEAM_SEARXNG_CA_FILE
    if not path:
        return []
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError, ValueError):
        return [Error("AGENTTEAM_SEARXNG_CA_FILE is no readable PEM file of certificates.", id="agentteam.E004")]
    return []


@register(Tags.security)
def check_vault_backends(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Each path must name a class with a `name` and a `read`, and no two may share a name."""
    try:
        found = vault.backends().values()
    except Exception:  # noqa: BLE001 - whatever an operator's own module raises while it is imported
        return [_backends("names a class that cannot be loaded, or the same backend twice")]
    if not all(isinstance(getattr(backend, "name", None), str) and hasattr(backend, "read") for backend in found):
        return [_backends("names a class that is no vault backend")]
    return []


def _backends(problem: str) -> CheckMessage:
    return Error(f"AGENTTEAM_VAULT_BACKENDS {problem}.", id="agentteam.E005")
