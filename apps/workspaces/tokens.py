"""Tokens: 256 random bits behind a prefix that tells their kind; only a SHA-256 is kept (contract section 3)."""

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Generic, Literal, TypeVar

from django.db.models import Q
from django.utils import timezone

from apps.workspaces.models import AgentToken, PersonToken, ServiceToken

TokenKind = Literal["person", "agent", "service"]
AnyToken = PersonToken | AgentToken | ServiceToken
T = TypeVar("T", PersonToken, AgentToken, ServiceToken)

RANDOM_BYTES: Final = 32
# `last_used_at` is for people to look at; a write for every request would cost more than it tells.
LAST_USED_RESOLUTION: Final = timedelta(minutes=1)

_SHAPE: Final = re.compile(r"at[pas]_[A-Za-z0-9_-]{43}", re.ASCII)
_KINDS: Final[dict[str, TokenKind]] = {
    PersonToken.prefix: "person",
    AgentToken.prefix: "agent",
    ServiceToken.prefix: "service",
}


@dataclass(frozen=True)
class Issued(Generic[T]):
    """A new token and its text, which nobody can read again."""

    row: T
    text: str = field(repr=False)


def digest(text: str) -> str:
    """SHA-256 of the token's text, 64 lower-case hexadecimal characters."""
    return hashlib.sha256(text.encode()).hexdigest()


def kind_of(text: str) -> TokenKind | None:
    """The kind that a token's text claims, None where it cannot be a token of ours."""
    return _KINDS[text[:4]] if _SHAPE.fullmatch(text) else None


def issue(row: T) -> Issued[T]:
    """Saves an unsaved token with the digest of a new text: its prefix and 43 URL-safe characters."""
    text = row.prefix + secrets.token_urlsafe(RANDOM_BYTES)
    row.digest = digest(text)
    row.save(force_insert=True)
    return Issued(row, text)


def usable(now: datetime) -> Q:
    """Condition on a token: neither revoked nor expired at `now`."""
    return Q(revoked_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=now))


def find(kind: TokenKind, text: str) -> AnyToken | None:
    """The usable token of this text with its owner; None where unknown, expired, revoked or its person inactive."""
    mine = Q(digest=digest(text)) & usable(timezone.now())
    if kind == "person":
        return PersonToken.objects.select_related("user").filter(mine, user__is_active=True).first()
    if kind == "agent":
        return AgentToken.objects.select_related("agent__workspace").filter(mine).first()
    return ServiceToken.objects.select_related("workspace").filter(mine).first()


def note_use(token: AnyToken) -> None:
    """Remembers that the token was used just now, written at most once a minute."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= LAST_USED_RESOLUTION:
        type(token).objects.filter(pk=token.pk).update(last_used_at=now)
