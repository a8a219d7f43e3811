"""How often someone may do something: "600/min" and the like; "0" turns a limit off (contract section 8)."""

import math
import re
import time
from dataclasses import dataclass
from functools import lru_cache

from apps.activity.counters import Tick, count
from apps.workspaces.errors import Problem

RATE = re.compile(r"([0-9]{1,9})/(s|sec|min|hour|day)")
SECONDS = {"s": 1, "sec": 1, "min": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class Rate:
    """``calls`` in any window of ``seconds``."""

    calls: int
    seconds: int

    def tick(self, key: str) -> Tick:
        return Tick(key, self.seconds)

    def check(self, value: int, now: float | None = None) -> None:
        """``value`` is the count that includes this call. Raises `Problem` throttled, with the time to wait."""
        if value > self.calls:
            moment = time.time() if now is None else now
            raise Problem.throttled(max(1, math.ceil(self.seconds - moment % self.seconds)))


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


def spend(text: str, key: str) -> None:
    """Count one call under `key` against the rate. Raises `Problem` throttled."""
    rate = parse_rate(text)
    if rate is not None:
        rate.check(count([rate.tick(key)])[0])
