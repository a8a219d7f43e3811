"""Counting in windows, exact across processes: in Redis when configured, else one statement in the database."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import redis
from django.conf import settings
from django.db import connection

from apps.activity.models import Counter

TABLE = Counter._meta.db_table
# A reserved word of SQL.
WINDOW = '"window"'

# A counter without a window turns for ever (key rotation).
FOREVER = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """One count to add. ``seconds`` is the length of the window, or `FOREVER`."""

    key: str
    seconds: int = FOREVER

    def window(self, now: float) -> int:
        return int(now // self.seconds) if self.seconds else 0


def count(ticks: Sequence[Tick], now: float | None = None) -> list[int]:
    """Add one to each and return the new values, in order. One statement, or one round trip to Redis."""
    if not ticks:
        return []
    moment = time.time() if now is None else now
    return _count_in_redis(ticks, moment) if settings.REDIS_URL else _count_in_database(ticks, moment)


def _count_in_database(ticks: Sequence[Tick], now: float) -> list[int]:
    # Sorted, so that two statements take the rows' locks in the same order.
    ordered = sorted(ticks, key=lambda tick: tick.key)
    rows = ", ".join(["(%s, %s, 1)"] * len(ordered))
    parameters = [part for tick in ordered for part in (tick.key, tick.window(now))]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {TABLE} (key, {WINDOW}, value) VALUES {rows} "  # noqa: S608 - names are our own
            f"ON CONFLICT (key) DO UPDATE SET {WINDOW} = excluded.{WINDOW}, "
            f"value = CASE WHEN {TABLE}.{WINDOW} = excluded.{WINDOW} THEN {TABLE}.value + 1 ELSE 1 END "
            "RETURNING key, value",
            parameters,
        )
        values = dict(cursor.fetchall())
    return [values[tick.key] for tick in ticks]


def _count_in_redis(ticks: Sequence[Tick], now: float) -> list[int]:
    pipeline = redis_client().pipeline(transaction=False)
    for tick in ticks:
        name = f"agentteam:{tick.key}:{tick.window(now)}"
        pipeline.incr(name)
        pipeline.expire(name, tick.seconds * 2 if tick.seconds else 30 * 86_400)
    return [int(value) for value in cast("list[Any]", pipeline.execute())[::2]]


def redis_client() -> "redis.Redis":
    return _client(settings.REDIS_URL)


@lru_cache(maxsize=2)
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
