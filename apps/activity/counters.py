"""Counting in windows, exact across processes: in Redis when configured, else one statement in the database.

A Redis that does not answer is no reason to refuse calls, nor to let them all through: the database counts instead.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import redis
import structlog
from django.conf import settings
from django.db import connection

from apps.activity.models import Counter

log = structlog.get_logger("agentteam.counters")

TABLE = Counter._meta.db_table
# A reserved word of SQL.
WINDOW = '"window"'

# A counter without a window turns for ever (key rotation).
FOREVER = 0
# Keys whose window is no time: turns of keys, and numbers of forms (one row a connection, and one a person).
UNTIMED = ("turn:", "form:")


@dataclass(frozen=True, slots=True)
class Tick:
    """An ``amount`` to add to a count. ``seconds`` is the length of the window, or `FOREVER`."""

    key: str
    seconds: int = FOREVER
    amount: int = 1

    def window(self, now: float) -> int:
        return int(now // self.seconds) if self.seconds else 0


def count(ticks: Sequence[Tick], now: float | None = None) -> list[int]:
    """Add to each and return the new values, in order. One statement, or one round trip to Redis."""
    if not ticks:
        return []
    moment = time.time() if now is None else now
    if settings.REDIS_URL and rest.over():
        try:
            values = _count_in_redis(ticks, moment)
        except redis.RedisError as why:
            rest.begin(why)
        else:
            rest.end()
            return values
    return _count_in_database(ticks, moment)


def _count_in_database(ticks: Sequence[Tick], now: float) -> list[int]:
    # Sorted, so that two statements take the rows' locks in the same order.
    ordered = sorted(ticks, key=lambda tick: tick.key)
    rows = ", ".join(["(%s, %s, %s)"] * len(ordered))
    parameters = [part for tick in ordered for part in (tick.key, tick.window(now), tick.amount)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {TABLE} (key, {WINDOW}, value) VALUES {rows} "  # noqa: S608 - names are our own
            f"ON CONFLICT (key) DO UPDATE SET {WINDOW} = excluded.{WINDOW}, "
            f"value = excluded.value + CASE WHEN {TABLE}.{WINDOW} = excluded.{WINDOW} THEN {TABLE}.value ELSE 0 END "
            "RETURNING key, value",
            parameters,
        )
        values = dict(cursor.fetchall())
    return [values[tick.key] for tick in ticks]


def _count_in_redis(ticks: Sequence[Tick], now: float) -> list[int]:
    """Raises `redis.RedisError`."""
    pipeline = redis_client().pipeline(transaction=False)
    for tick in ticks:
        name = f"agentteam:{tick.key}:{tick.window(now)}"
        pipeline.incrby(name, tick.amount)
        pipeline.expire(name, tick.seconds * 2 if tick.seconds else 30 * 86_400)
    return [int(value) for value in pipeline.execute()[::2]]


class RedisRest:
    """While Redis does not answer, counting goes on in the database: no limit is off, and no call fails for it.

    After a failure Redis is left alone for ``SECONDS``; then one call tries it, and the others do not wait for that.
    """

    SECONDS = 5.0

    def __init__(self) -> None:
        self._until = 0.0

    def over(self) -> bool:
        """Whether this call may try Redis."""
        if not self._until:
            return True
        moment = time.monotonic()
        if moment < self._until:
            return False
        self._until = moment + self.SECONDS
        return True

    def begin(self, why: redis.RedisError) -> None:
        if not self._until:
            log.error("redis does not answer: counting in the database", why=type(why).__name__)
        self._until = time.monotonic() + self.SECONDS

    def end(self) -> None:
        if self._until:
            log.warning("redis answers again")
            self._until = 0.0


rest = RedisRest()


def redis_client() -> "redis.Redis":
    return _client(settings.REDIS_URL)


@lru_cache(maxsize=2)
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, health_check_interval=30)
