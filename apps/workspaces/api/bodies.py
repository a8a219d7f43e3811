"""Closed request bodies: members are declared, unknown ones refused by name, and nothing is coerced."""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from apps.workspaces.errors import Problem
from apps.workspaces.people import normalise_email

MAX_UNKNOWN_NAMED: Final = 20
MAX_NAME_SHOWN: Final = 100
SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)
# Control characters, lone surrogates and characters that no Unicode version assigns to text.
_UNPRINTABLE: Final = frozenset({"Cc", "Cs"})

Cleaner = Callable[[object], Any]


class Refused(ValueError):
    """A value that a member does not take; the message says what it takes and never quotes the value."""


@dataclass(frozen=True)
class Body:
    """The members of one request body."""

    required: Mapping[str, Cleaner] = field(default_factory=dict)
    optional: Mapping[str, Cleaner] = field(default_factory=dict)

    def clean(self, data: object) -> dict[str, Any]:
        """The cleaned values of the members that were given. Problem `invalid_input` names all that are wrong."""
        if not isinstance(data, dict):
            raise Problem.invalid(message="The body must be a JSON object.")
        taken = {**self.required, **self.optional}
        problems = self._unknown(data, taken)
        values: dict[str, Any] = {}
        for name, clean in taken.items():
            if name not in data:
                if name in self.required:
                    problems[name] = "This member is required."
                continue
            try:
                values[name] = clean(data[name])
            except Refused as refused:
                problems[name] = str(refused)
        if problems:
            raise Problem.invalid(problems)
        return values

    @staticmethod
    def _unknown(data: dict[Any, Any], taken: Mapping[str, Cleaner]) -> dict[str, str]:
        message = f"Unknown member. The body takes: {', '.join(taken) or 'no members'}."
        unknown = [str(name) for name in data if name not in taken]
        return {name[:MAX_NAME_SHOWN]: message for name in unknown[:MAX_UNKNOWN_NAMED]}


def text(maximum: int, minimum: int = 1) -> Cleaner:
    """One line of text, trimmed, `minimum` to `maximum` Unicode characters, without control characters."""
    takes = f"Text of {minimum} to {maximum} characters, in one line."

    def clean(value: object) -> str:
        if not isinstance(value, str):
            raise Refused(takes)
        trimmed = value.strip()
        if not minimum <= len(trimmed) <= maximum:
            raise Refused(takes)
        if any(unicodedata.category(character) in _UNPRINTABLE for character in trimmed):
            raise Refused(takes)
        return trimmed

    return clean


def one_of(choices: Collection[str]) -> Cleaner:
    takes = f"One of: {', '.join(choices)}."

    def clean(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise Refused(takes)
        return value

    return clean


def boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise Refused("true or false.")
    return value


def email(value: object) -> str:
    """An email address in its stored form."""
    takes = "An email address of at most 254 characters."
    if not isinstance(value, str) or len(value) > 254:
        raise Refused(takes)
    address = normalise_email(value)
    try:
        validate_email(address)
    except ValidationError:
        raise Refused(takes) from None
    return address


def slugs(maximum: int) -> Cleaner:
    """A list of 1 to `maximum` different slugs."""
    takes = f"A list of 1 to {maximum} different names of lower-case letters, digits and hyphens."

    def clean(value: object) -> list[str]:
        if not isinstance(value, list) or not 1 <= len(value) <= maximum:
            raise Refused(takes)
        if not all(isinstance(item, str) and SLUG.fullmatch(item) for item in value) or len(set(value)) != len(value):
            raise Refused(takes)
        return list(value)

    return clean


def future_time(value: object) -> datetime | None:
    """A moment to come, ISO 8601 with an offset; null stands for never."""
    takes = "A future time in ISO 8601 with its offset, or null."
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > 40 or not value.isascii():
        raise Refused(takes)
    try:
        moment = parse_datetime(value)
        moment = None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment <= timezone.now():
        raise Refused(takes)
    return moment
