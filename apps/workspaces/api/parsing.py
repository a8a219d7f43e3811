"""Reads JSON bodies and refuses what JSON libraries let through (contract section 5, `invalid_input`)."""

import json
from collections.abc import Mapping
from typing import IO, Any, Final, NoReturn

from django.http import HttpRequest
from rest_framework.parsers import BaseParser

from apps.workspaces.errors import Problem

MAX_BODY_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
MAX_INTEGER_DIGITS: Final = 4300


class _Refused(ValueError):
    """The text is JSON to Python, and not to us."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused("The body repeats a member of an object.")
    return members


def _constant(_: str) -> NoReturn:
    raise _Refused("The body holds a number that JSON does not know.")


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise _Refused("The body holds a number that is too long.")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _Refused("The body holds a number that is too large.")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_constant=_constant, parse_int=_integer, parse_float=_float
)


def strict_loads(body: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Refused as `invalid_input`: anything malformed, a byte order mark, repeated members, NaN and infinities, integers
    of more than 4300 digits, floats beyond the double range, and nesting deeper than 32. Lone surrogates
    (`"\\ud800"`) pass; the field that they are in refuses them.
    """
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except _Refused as refused:
        raise Problem.invalid(message=str(refused)) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        raise Problem.invalid(message="The body is not JSON in UTF-8.") from None
    # Most bodies have too few brackets to be deep, and are not walked.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def _too_deep() -> Problem:
    return Problem.invalid(message=f"The body is nested more than {MAX_DEPTH} levels deep.")


def _depth(value: Any) -> int:
    """How many arrays and objects lie inside one another; level by level, so that no depth can exhaust the stack."""
    depth = 0
    level = [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def require_json(content_type: str) -> None:
    """Refuses a body that is not labelled as JSON in UTF-8: `unsupported_media_type`."""
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charset = next((part[8:].strip('"') for part in parameters if part.startswith("charset=")), "utf-8")
    if media_type != "application/json" or charset not in ("utf-8", "utf8"):
        raise Problem.unsupported_media_type()


def read_body(stream: HttpRequest | IO[bytes], meta: Mapping[str, Any], limit: int = MAX_BODY_BYTES) -> bytes:
    """The whole body, at most `limit` bytes, else `payload_too_large`; a larger one is not read to its end."""
    declared = str(meta.get("CONTENT_LENGTH") or "0")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > limit:
        raise Problem.payload_too_large()
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise Problem.payload_too_large()
    return body


class StrictJSONParser(BaseParser):
    """The only parser of the API: JSON of at most 256 KiB."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        require_json(media_type or "")
        meta = parser_context["request"].META if parser_context else {}
        return strict_loads(read_body(stream, meta))
