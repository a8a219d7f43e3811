"""How often someone may do something: "600/min" and the like; "0" turns a limit off (contract section 8)."""

import math
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Q, QuerySet

from apps.activity.counters import UNTIMED, Tick, count
from apps.activity.models import Counter
from apps.workspaces.errors import Problem

RATE = re.compile(r"([0-9]{1,9})/(s|sec|min|hour|day)")
MAX_SHARE = 500
# Of keys with permits left; beyond it all are forgotten, which costs a statement each.
MAX_KEYS = 10_000
# Seconds by which machines' clocks may differ at most.
CLOCKS_DIFFER = 3600
SECONDS = {"s": 1, "sec": 1, "min": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Rate:
    """``calls`` in any window of ``seconds``."""

    calls: int
    seconds: int

    @property
    def share(self) -> int:
        """How many calls a process asks for at once: a small part of the rate, one for rates below 400."""
        return min(max(1, self.calls // 200), MAX_SHARE)

    def window(self, now: float) -> int:
        return int(now // self.seconds)

    def throttled(self, now: float) -> Problem:
        return Problem.throttled(max(1, math.ceil(self.seconds - now % self.seconds)))


class Permits:
    """Calls that this process has been granted and not used yet, by key; they end with their window.

    The count is exact over all processes and a rate is never exceeded. What a process is granted and does not use is
    lost to the others, at most one share each: the price of a statement for every share instead of every call.
    """

    def __init__(self) -> None:
        self._granted: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def take(self, rate: Rate, key: str, now: float) -> bool:
        """Use one that was granted; False when more have to be counted."""
        with self._lock:
            window, left = self._granted.get(key, (0, 0))
            if window != rate.window(now) or left <= 0:
                return False
            self._granted[key] = (window, left - 1)
            return True

    def tick(self, rate: Rate, key: str) -> Tick:
        """What to count for another share."""
        return Tick(key, rate.seconds, rate.share)

    def receive(self, rate: Rate, key: str, value: int, now: float) -> None:
        """Use one of the share whose count came to `value`, and keep the rest. Raises `Problem` throttled."""
        granted = min(rate.share, rate.calls - (value - rate.share))
        if granted <= 0:
            raise rate.throttled(now)
        with self._lock:
            if len(self._granted) >= MAX_KEYS:
                self._granted.clear()
            window, left = self._granted.get(key, (0, 0))
            kept = left if window == rate.window(now) else 0
            self._granted[key] = (rate.window(now), kept + granted - 1)

    def forget(self) -> None:
        self._granted.clear()


permits = Permits()


def ended_counters(now: float) -> "QuerySet[Counter]":
    """Counters of limits whose window is over. A row does not say how long its window is, but its number does.

    The same moment is a number at least 24 times as high in the next shorter unit, so the unit of a window is the
    longest one in which it is not in the future.
    """
    over, longer = Q(), 0
    for seconds in sorted(set(SECONDS.values()), reverse=True):
        over |= Q(window__gt=longer, window__lt=int((now - CLOCKS_DIFFER) // seconds))
        longer = int((now + CLOCKS_DIFFER) // seconds)
    ended = Counter.objects.filter(over)
    for prefix in UNTIMED:
        ended = ended.exclude(key__startswith=prefix)
    return ended


@lru_cache(maxsize=64)
def parse_rate(text: str) -> Rate | None:
    """None: no limit. Raises `ValueError` when the text is neither "0" nor a rate."""
    if text.strip() == "0":
        return None
    match = RATE.fullmatch(text.strip())
    if match is None:
        raise ValueError('a rate is written like "600/min", with s, min, hour or day; "0" turns it off')
    calls = int(match[1])
    return Rate(calls, SECONDS[match[2]]) if calls else None


def spend(text: str, key: str, also: Sequence[Tick] = ()) -> list[int]:
    """Count one call under `key` against the rate, and `also` in the same statement; the values of `also`.

    Raises `Problem` throttled.
    """
    rate, now = parse_rate(text), time.time()
    if rate is None or permits.take(rate, key, now):
        return count(also, now)
    value, *others = count([permits.tick(rate, key), *also], now)
    permits.receive(rate, key, value, now)
    return others
