"""Reads variables whose wrong values are named, and never shown."""

import environ
from django.core.exceptions import ImproperlyConfigured


def whole_number(env: environ.Env, name: str, default: int) -> int:
    """Raises `ImproperlyConfigured` with the variable's name when it is no whole number."""
    try:
        return int(env.int(name, default))
    except ValueError:
        raise ImproperlyConfigured(f"{name} is not a whole number.") from None
