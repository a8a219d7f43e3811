"""What an API key may look like when it is saved and again before it is used (contract sections 1 and 2).

A saved value is one key, a comma-separated list of keys (rotation), or one vault reference that yields either.
No error here contains the value.
"""

import re
from dataclasses import dataclass

from searchengines.contract import ConnectionSnapshot, Field, Secret
from searchengines.errors import InvalidValue

MAX_KEYS = 50
ASCII_BLANKS = " \t\r\n"

_KEY = re.compile(r"[\x21-\x2b\x2d-\x7e]{8,512}")
_REFERENCE = re.compile(r"\$\{vault://([a-z][a-z0-9_-]{0,31})/([A-Za-z0-9_][A-Za-z0-9_./-]{0,255})\}")
_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")
_NAMED_BACKENDS = frozenset({"local", "env"})


@dataclass(frozen=True, slots=True)
class VaultReference:
    """`${vault://<backend>/<name>}`. Whether the backend is known is decided where it is resolved."""

    backend: str
    name: str

    def __str__(self) -> str:
        return f"${{vault://{self.backend}/{self.name}}}"


def parse_reference(text: str) -> VaultReference | None:
    """The reference that `text` is, or None when it holds none.

    Raises `InvalidValue` when a reference is malformed, nested, or only a part of the value.
    """
    text = text.strip(ASCII_BLANKS)
    if "${" not in text:
        return None
    match = _REFERENCE.fullmatch(text)
    if match is None or (match[1] in _NAMED_BACKENDS and not _NAME.fullmatch(match[2])):
        raise InvalidValue(
            "A vault reference is the whole value and reads ${vault://local/NAME}; "
            "NAME is 1 to 64 letters, digits or underscores.",
            "vault_reference",
        )
    return VaultReference(match[1], match[2])


def parse_keys(text: str) -> list[str]:
    """The keys of one key or a comma-separated list: trimmed, empty parts dropped, at least one.

    Raises `InvalidValue` when there is none, more than `MAX_KEYS`, or one of them is not a key.
    """
    if not text.isascii():
        raise InvalidValue(
            "Only ASCII characters are allowed in an API key. Type it again or copy it as plain text.", "ascii"
        )
    keys = [part for part in (part.strip(ASCII_BLANKS) for part in text.split(",")) if part]
    if not keys:
        raise InvalidValue("An API key is needed.", "required")
    if len(keys) > MAX_KEYS:
        raise InvalidValue(f"At most {MAX_KEYS} keys are taken.", "too_many")
    if "${" in text or not all(map(is_key, keys)):
        raise InvalidValue("An API key is 8 to 512 visible ASCII characters, without blanks.", "key")
    return keys


def is_key(text: str) -> bool:
    """Whether `text` is one key that is safe to send in a header: 8 to 512 of `!` to `~`, no comma."""
    return _KEY.fullmatch(text) is not None


def bearer(snapshot: ConnectionSnapshot) -> Secret:
    """The `Authorization` header with this call's key. Raises `SearchFailure` when there is none."""
    return Secret(f"Bearer {snapshot.secret('apiKey').reveal()}")


def clean_api_key(value: object) -> str:
    """The text to store for an `apiKey` member."""
    if not isinstance(value, str):
        raise InvalidValue("An API key is text.", "type")
    reference = parse_reference(value)
    return str(reference) if reference is not None else ",".join(parse_keys(value))


def api_key_field(placeholder: str = "") -> Field:
    """The declaration of the one secret that keyed engines have."""
    return Field(
        name="apiKey",
        label="API key",
        clean=clean_api_key,
        required=True,
        secret=True,
        placeholder=placeholder,
        help="One key, several keys separated by commas (used in turn), or ${vault://local/NAME}. "
        "It is stored encrypted and never shown again.",
    )


__all__ = [
    "MAX_KEYS",
    "VaultReference",
    "api_key_field",
    "bearer",
    "clean_api_key",
    "is_key",
    "parse_keys",
    "parse_reference",
]
