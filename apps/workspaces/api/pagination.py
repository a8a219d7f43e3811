"""Lists in pages that stay right while rows come and go: a cursor names the last row seen, not a position."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request

from apps.workspaces.errors import Problem

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 100

_LIMIT: Final = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)
_CURSOR: Final = re.compile(r"([0-9]{1,17}) ([!-~]{1,100})", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Row = TypeVar("Row", bound=Model)


def paginate(
    rows: QuerySet[Row],
    request: Request,
    shape: Callable[[Row], dict[str, Any]],
    *,
    time_field: str = "created_at",
    newest_first: bool = False,
) -> dict[str, Any]:
    """One page, `{"items", "next"}`, ordered by `time_field` and `id`, which the rows must have.

    `?limit=` 1 to 100, 50 if absent; `?cursor=` the `next` of the page before. Problem `invalid_input` otherwise.
    """
    limit = _limit(request.query_params.get("limit"))
    page = _read(rows, request, limit, time_field, newest_first)
    return _page(page, limit, time_field, shape)


def paginate_together(
    kinds: Sequence[tuple[QuerySet[Any], Callable[[Any], dict[str, Any]]]], request: Request, *, time_field: str
) -> dict[str, Any]:
    """As `paginate`, newest first, with rows of several models in one list."""
    limit = _limit(request.query_params.get("limit"))
    shapes = {rows.model: shape for rows, shape in kinds}
    found = [row for rows, _ in kinds for row in _read(rows, request, limit, time_field, newest_first=True)]
    found.sort(key=lambda row: (getattr(row, time_field), row.pk), reverse=True)
    return _page(found, limit, time_field, lambda row: shapes[type(row)](row))


def _read(rows: QuerySet[Row], request: Request, limit: int, time_field: str, newest_first: bool) -> list[Row]:
    """The rows of one page and one more, which tells whether there is a next."""
    cursor = request.query_params.get("cursor")
    if cursor is not None:
        rows = rows.filter(_beyond(cursor, time_field, newest_first))
    sign = "-" if newest_first else ""
    return list(rows.order_by(f"{sign}{time_field}", f"{sign}id")[: limit + 1])


def _page(found: Sequence[Any], limit: int, time_field: str, shape: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    page = found[:limit]
    more = len(found) > limit
    return {
        "items": [shape(row) for row in page],
        "next": _encode(getattr(page[-1], time_field), str(page[-1].pk)) if more else None,
    }


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    if not _LIMIT.fullmatch(text) or int(text) > MAX_LIMIT:
        raise Problem.invalid({"limit": f"An integer from 1 to {MAX_LIMIT}."})
    return int(text)


def _beyond(cursor: str, time_field: str, newest_first: bool) -> Q:
    moment, key = _decode(cursor)
    comparison = "lt" if newest_first else "gt"
    beyond = Q(**{f"{time_field}__{comparison}": moment}) | Q(**{time_field: moment, f"id__{comparison}": key})
    # Says nothing new, but lets an index begin where the page before ended.
    return Q(**{f"{time_field}__{comparison}e": moment}) & beyond


def _encode(moment: datetime, key: str) -> str:
    since = moment - _EPOCH
    microseconds = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    return base64.urlsafe_b64encode(f"{microseconds} {key}".encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[datetime, str]:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
        match = _CURSOR.fullmatch(text)
        if match is not None:
            return datetime.fromtimestamp(int(match[1]) // 1_000_000, UTC).replace(
                microsecond=int(match[1]) % 1_000_000
            ), match[2]
    except (binascii.Error, ValueError, OverflowError, OSError):
        pass
    raise Problem.invalid({"cursor": "The `next` of an earlier answer."})
