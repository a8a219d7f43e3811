"""The master key of stored credentials: malformed is always an error, the rest when deploying (contract section 8)."""

import base64
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from apps.marketplace.keyring import PREVIOUS, PRIMARY, keyring, unusable

# 32 random bytes have about 30 different values; fewer than this happens once in more than 10^9 keys.
FEWEST_VALUES = 20
PRINTABLE = frozenset(range(0x20, 0x7F))
HOW = "Make one with: openssl rand -base64 32"


@register(Tags.security)
def check_master_key(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A missing key is allowed while developing; a malformed one never is."""
    broken = unusable()
    if broken is None or not getattr(settings, PRIMARY):
        return []
    return [Error(f"{broken}.", hint=HOW, id="agentteam.E001")]


@register(Tags.security, deploy=True)
def check_deployed_master_key(app_configs: Any, **options: Any) -> list[CheckMessage]:
    text = getattr(settings, PRIMARY)
    if not text:
        return [Error(f"{PRIMARY} is not set: no credential can be stored or used.", hint=HOW, id="agentteam.E010")]
    if unusable() is not None:
        return []
    wrong: list[CheckMessage] = []
    if text == settings.SECRET_KEY:
        wrong.append(
            Error(f"{PRIMARY} equals SECRET_KEY: each needs a value of its own.", hint=HOW, id="agentteam.E011")
        )
    if is_guessable(base64.b64decode(text)):
        wrong.append(Error(f"{PRIMARY} is no random key.", hint=HOW, id="agentteam.E012"))
    ring = keyring()
    ids = [key.id for key in (ring.primary, *ring.previous)]
    if len(set(ids)) != len(ids):
        wrong.append(
            Error(
                f"{PREVIOUS} repeats a key.",
                hint=f"It lists the keys before {PRIMARY}, each once.",
                id="agentteam.E013",
            )
        )
    return wrong


def is_guessable(master: bytes) -> bool:
    """Whether 32 bytes are a pattern, a text or a count, rather than random."""
    steps = {(after - before) % 256 for before, after in zip(master, master[1:], strict=False)}
    return len(set(master)) < FEWEST_VALUES or len(steps) == 1 or PRINTABLE.issuperset(master)
