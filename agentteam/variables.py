"""Reads variables whose wrong values are named, and never shown."""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

FALSE_WORDS = ("false", "off", "n", "no", "0", "")


class Environment(environ.Env):  # type: ignore[misc]
    """Remembers in ``unclear`` which booleans are no word for yes or no. They count as no; the checks name them."""

    def __init__(self) -> None:
        super().__init__()
        self.unclear: list[str] = []

    def bool(self, var: str, default: Any = False) -> bool:
        word = self.str(var, str(default)).lower().strip()
        if word not in (*self.BOOLEAN_TRUE_STRINGS, *FALSE_WORDS):
            self.unclear.append(var)
        return word in self.BOOLEAN_TRUE_STRINGS


def whole_number(env: environ.Env, name: str, default: int) -> int:
    """Raises `ImproperlyConfigured` with the variable's name when it is no whole number."""
    try:
        return int(env.int(name, default))
    except ValueError:
        raise ImproperlyConfigured(f"{name} is not a whole number.") from None
