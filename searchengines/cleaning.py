"""Checks that declarations of fields and options share. Each takes a JSON value and returns what to store.

All raise `InvalidValue` with a message that says what the member takes and never repeats the value.
"""

import re
from collections.abc import Callable

from searchengines.contract import Json
from searchengines.domains import canonical_domain
from searchengines.errors import InvalidValue

MAX_DOMAINS = 100


def matching_text(pattern: str, takes: str) -> Callable[[object], str]:
    """Text that, trimmed, matches `pattern` as a whole; `takes` completes the sentence "Takes …"."""
    compiled = re.compile(pattern)

    def clean(value: object) -> str:
        if not isinstance(value, str):
            raise InvalidValue(f"Takes {takes}, as text.", "type")
        text = value.strip()
        if not compiled.fullmatch(text):
            raise InvalidValue(f"Takes {takes}.", "pattern")
        return text

    return clean


def bounded_text(maximum: int) -> Callable[[object], str]:
    """Text of 1 to `maximum` printable characters after trimming."""

    def clean(value: object) -> str:
        if not isinstance(value, str):
            raise InvalidValue(f"Takes text of 1 to {maximum} characters.", "type")
        text = " ".join(value.split())
        if not 1 <= len(text) <= maximum:
            raise InvalidValue(f"Takes text of 1 to {maximum} characters.", "length")
        if not text.isprintable():
            raise InvalidValue("Takes text without control or invisible characters.", "characters")
        return text

    return clean


def name_list(maximum: int) -> Callable[[object], str]:
    """Comma-separated names, `maximum` characters in all; blanks around names and empty names are dropped."""

    def clean(value: object) -> str:
        if not isinstance(value, str):
            raise InvalidValue("Takes names separated by commas, as text.", "type")
        text = ",".join(name for name in (part.strip() for part in value.split(",")) if name)
        if not 1 <= len(text) <= maximum:
            raise InvalidValue(f"Takes names separated by commas, {maximum} characters at most.", "length")
        if not text.isprintable():
            raise InvalidValue("Takes names without control or invisible characters.", "characters")
        return text

    return clean


def integer(minimum: int, maximum: int) -> Callable[[object], Json]:
    """A whole number within bounds, inclusive. 5.0 is 5; true and "5" are not numbers."""
    takes = f"Takes a whole number from {minimum} to {maximum}."

    def clean(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidValue(takes, "type")
        if isinstance(value, float) and not value.is_integer():
            raise InvalidValue(takes, "type")
        if not minimum <= value <= maximum:
            raise InvalidValue(takes, "range")
        return int(value)

    return clean


def number(minimum: float, maximum: float) -> Callable[[object], Json]:
    """A finite number within bounds, inclusive."""
    takes = f"Takes a number from {minimum:g} to {maximum:g}."

    def clean(value: object) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidValue(takes, "type")
        if not minimum <= value <= maximum:
            raise InvalidValue(takes, "range")
        return value

    return clean


def boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("Takes true or false.", "type")
    return value


def choice(choices: tuple[str, ...]) -> Callable[[object], str]:
    takes = f"Takes one of: {', '.join(choices)}."

    def clean(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise InvalidValue(takes, "choice")
        return value

    return clean


def domain_list(value: object) -> list[Json]:
    """Hosts or registrable domains in canonical form, in the order given, each once."""
    if not isinstance(value, list):
        raise InvalidValue("Takes a list of domains.", "type")
    if len(value) > MAX_DOMAINS:
        raise InvalidValue(f"Takes at most {MAX_DOMAINS} domains.", "too_many")
    domains: dict[str, None] = {}
    for item in value:
        domain = canonical_domain(item.strip()) if isinstance(item, str) else None
        if domain is None:
            raise InvalidValue("Takes domains like example.com, without scheme, port, path or wildcard.", "domain")
        domains[domain] = None
    return list(domains)
