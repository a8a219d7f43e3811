"""One way to turn providers' entries into results (spec A 4.2)."""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from searchengines.contract import DropReason, RawResult, Result
from searchengines.dates import iso_utc
from searchengines.domains import DomainRules
from searchengines.text import plain_text
from searchengines.urls import result_url

TITLE_CHARACTERS = 512
SNIPPET_CHARACTERS = 4096
# More entries than any provider gives; to look at all that fit into 1 MiB would keep a processor busy.
MAX_ENTRIES = 1000

_NO_RULES = DomainRules()


def normalise(
    entries: Iterable[RawResult], limit: int, rules: DomainRules = _NO_RULES, *, dated: bool = True
) -> tuple[tuple[Result, ...], Counter[DropReason]]:
    """At most `limit` results in the provider's order, and how many entries were left out, by reason.

    Malformed entries, duplicates (the same URL once its fragment is gone) and what the rules exclude are
    left out before the cut; entries beyond the first `MAX_ENTRIES` are neither read nor counted. Never raises,
    whatever the members of the entries are. Without ``dated`` no date is read: it costs more than the rest.
    """
    results: list[Result] = []
    dropped: Counter[DropReason] = Counter()
    seen: set[str] = set()
    for entry in islice(entries, MAX_ENTRIES):
        if len(results) >= limit:
            dropped[DropReason.OVER_LIMIT] += 1
            continue
        found = result_url(entry.url)
        if isinstance(found, DropReason):
            dropped[found] += 1
            continue
        url, host = found
        if url in seen:
            dropped[DropReason.DUPLICATE] += 1
        elif rules and not rules.permits(host):
            dropped[DropReason.DOMAIN_RULE] += 1
        else:
            seen.add(url)
            results.append(_result(url, entry, dated))
    return tuple(results), dropped


def answer_text(value: object) -> str | None:
    """A provider's written answer as plain text, or None when there is none."""
    return plain_text(value, SNIPPET_CHARACTERS) or None


def _result(url: str, entry: RawResult, dated: bool) -> Result:
    return Result(
        url,
        plain_text(entry.title, TITLE_CHARACTERS),
        plain_text(entry.snippet, SNIPPET_CHARACTERS),
        _score(entry.score),
        iso_utc(entry.published) if dated and entry.published is not None else None,
    )


def _score(value: object) -> float | None:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    # Wider integers have no exact float, and the largest have none at all.
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53:
        return float(value)
    return None


__all__ = ["SNIPPET_CHARACTERS", "TITLE_CHARACTERS", "answer_text", "normalise"]
