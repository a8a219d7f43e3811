"""A call as the road reports it, and how many of them become rows at once.

A model instance for each call would cost more than the call's own validation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.activity.identifiers import new_execution_id
from apps.activity.models import Execution


@dataclass(frozen=True, slots=True)
class Executed:
    """The members of an `Execution`, which says what they mean. Times are in milliseconds."""

    workspace_id: str
    caller: str
    caller_id: str
    caller_member_id: str
    installation_id: str
    extension: str
    action: str
    code: str
    reason: str
    results: int
    milliseconds: float
    upstream_milliseconds: float
    key_ordinal: int | None
    request_id: str
    id: str = field(default_factory=new_execution_id)
    at: datetime = field(default_factory=timezone.now)


MEMBERS = tuple(member.name for member in fields(Executed))


def insert(rows: Sequence[Executed]) -> None:
    """Write them; a row that is there already stays. Raises `DatabaseError`, and then none is written."""
    adapt = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        cursor.executemany(_statement(connection.vendor), [_values(row, adapt) for row in rows])


def _values(row: Executed, adapt: Any) -> list[Any]:
    values = [getattr(row, name) for name in MEMBERS]
    values[-1] = adapt(row.at)
    return values


@lru_cache(maxsize=2)
def _statement(vendor: str) -> str:
    quote = connection.ops.quote_name
    names = {field.name: str(field.column) for field in Execution._meta.concrete_fields}
    columns = ", ".join(quote(names[name]) for name in MEMBERS)
    places = ", ".join(["%s"] * len(MEMBERS))
    table = quote(Execution._meta.db_table)
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 - our own names
