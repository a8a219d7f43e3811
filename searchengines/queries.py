"""Queries cut to what a provider takes (contract section 1)."""

import re

_WORD = re.compile(r"\S+")


def shortened(query: str, characters: int | None, words: int | None) -> str:
    """`query`, cut after a whole word so that it has at most so many words and Unicode characters.

    A single word that is too long by itself is cut where it must be. None is no limit.
    """
    if words is not None:
        ends = [match.end() for match in _WORD.finditer(query)]
        if len(ends) > words:
            query = query[: ends[words - 1]]
    if characters is None or len(query) <= characters:
        return query
    head = query[: characters + 1]
    whole_words = head[: len(head.rstrip()) if head[-1].isspace() else _last_blank(head)].rstrip()
    return whole_words or query[:characters]


def _last_blank(text: str) -> int:
    """The position of the last blank in `text`, or 0."""
    return next((index for index in range(len(text) - 1, -1, -1) if text[index].isspace()), 0)
