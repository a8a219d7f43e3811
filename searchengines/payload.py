"""Reading decoded JSON of unknown shape without surprises."""

from collections.abc import Callable, Iterator
from typing import Any

from searchengines.contract import RawResult
from searchengines.errors import Reason, SearchFailure

MALFORMED = RawResult(url=False)


def as_object(value: Any) -> dict[str, Any]:
    """`value` when it is a JSON object. Raises `SearchFailure` bad_shape otherwise."""
    if not isinstance(value, dict):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    return value


def object_or_empty(value: Any) -> dict[str, Any]:
    """`value` when it is a JSON object, else an empty one: for error bodies, where nothing is promised."""
    return value if isinstance(value, dict) else {}


def entries(value: Any) -> list[Any]:
    """A list; null counts as empty. Raises `SearchFailure` bad_shape for anything else."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    return value


def require_any(payload: dict[str, Any], *names: str) -> None:
    """Raises `SearchFailure` bad_shape unless one of the members is there.

    Providers leave their list out when nothing was found; a body without any of their members is not theirs.
    """
    if not any(name in payload for name in names):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)


def text(value: Any) -> str:
    """`value` when it is text, else ""."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The non-blank texts of a list; anything else has none."""
    return [item for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else []


def raw_results(items: list[Any], read: Callable[[dict[str, Any]], RawResult]) -> Iterator[RawResult]:
    """`read` of every entry that is an object; the others are malformed entries."""
    for item in items:
        yield read(item) if isinstance(item, dict) else MALFORMED
