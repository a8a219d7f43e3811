"""Opaque identifiers: a prefix that says the kind, then 120 random bits (contract section 3)."""

import secrets
from typing import Final

RANDOM_LENGTH: Final = 24
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"


def new_id(prefix: str) -> str:
    """A fresh identifier: `prefix`, an underscore, and 24 lower-case base32 characters."""
    return f"{prefix}_{''.join(secrets.choice(_ALPHABET) for _ in range(RANDOM_LENGTH))}"


# Migrations need a named function for each default.
def new_user_id() -> str:
    return new_id("usr")


def new_workspace_id() -> str:
    return new_id("ws")


def new_agent_id() -> str:
    return new_id("agent")


def new_membership_id() -> str:
    return new_id("mem")


def new_token_id() -> str:
    return new_id("tok")
