"""What `check --deploy` refuses before strangers can reach the product."""

import logging
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, register

# Below these, bodies are decoded without a bound, or read without one (docs/security.md).
OLDEST = {"urllib3": (2, 8, 0), "djangorestframework": (3, 17, 2)}
SHORTEST_SECRET_KEY = 50
FEWEST_CHARACTERS = 5
BROWSABLE = "BrowsableAPIRenderer"
# Their debug lines contain addresses with queries and keys.
TALKATIVE = ("urllib3", "requests")


@register(Tags.security, deploy=True)
def check_deployment(app_configs: Any, **options: Any) -> list[CheckMessage]:
    parts: tuple[Callable[[], Iterator[CheckMessage]], ...] = (
        _debug,
        _hosts,
        _https,
        _proxy,
        _secret_key,
        _renderers,
        _versions,
        _logging,
    )
    return [message for part in parts for message in part()]


def _debug() -> Iterator[CheckMessage]:
    if settings.DEBUG:
        yield Error("DEBUG is on.", hint="Set DEBUG=0.", id="agentteam.E020")


def _hosts() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Error("ALLOWED_HOSTS takes any host.", hint="List the names people use.", id="agentteam.E021")


def _https() -> Iterator[CheckMessage]:
    needed = (
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SESSION_COOKIE_HTTPONLY",
        "SECURE_HSTS_SECONDS",
        "SECURE_SSL_REDIRECT",
    )
    off = [name for name in needed if not getattr(settings, name)]
    if off:
        yield Error(
            f"Sessions and tokens can travel unencrypted: {', '.join(off)} is off.",
            hint="Serve over HTTPS and set AGENTTEAM_HTTPS=1.",
            id="agentteam.E022",
        )


def _proxy() -> Iterator[CheckMessage]:
    """Nothing here ends TLS itself: HTTPS is what a proxy says it is. The server believes one on its own machine."""
    if settings.SECURE_SSL_REDIRECT and not settings.AGENTTEAM_BEHIND_PROXY:
        yield Info(
            "AGENTTEAM_HTTPS is on and AGENTTEAM_BEHIND_PROXY is off: behind a proxy on another machine or in another "
            "container every page redirects to itself for ever.",
            hint="Set AGENTTEAM_BEHIND_PROXY=1 when the proxy sets X-Forwarded-Proto and X-Forwarded-For itself.",
            id="agentteam.I001",
        )


def _secret_key() -> Iterator[CheckMessage]:
    key = settings.SECRET_KEY
    weak = len(key) < SHORTEST_SECRET_KEY or len(set(key)) < FEWEST_CHARACTERS or key.startswith("django-insecure-")
    if weak:
        yield Error(
            f"SECRET_KEY is weak: it needs {SHORTEST_SECRET_KEY} random characters or more.",
            hint="Make one with: openssl rand -base64 48",
            id="agentteam.E023",
        )


def _renderers() -> Iterator[CheckMessage]:
    renderers = settings.REST_FRAMEWORK.get("DEFAULT_RENDERER_CLASSES") or (BROWSABLE,)
    if any(BROWSABLE in str(renderer) for renderer in renderers):
        yield Error("The API answers with pages (BrowsableAPIRenderer).", id="agentteam.E024")


def _versions() -> Iterator[CheckMessage]:
    for package, oldest in OLDEST.items():
        if release(version(package)) < oldest:
            wanted = ".".join(map(str, oldest))
            yield Error(f"{package} is older than {wanted}.", id="agentteam.E025")


def release(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: "2.8.0.post1" is (2, 8, 0)."""
    numbers: list[int] = []
    for part in text.split(".")[:3]:
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def _logging() -> Iterator[CheckMessage]:
    for name in TALKATIVE:
        if logging.getLogger(name).isEnabledFor(logging.DEBUG):
            yield Error(f"The logger {name} is at DEBUG: it writes addresses with keys.", id="agentteam.E026")
