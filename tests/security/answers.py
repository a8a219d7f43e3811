"""One body that every provider's adapter reads as the one good result of `tests.road`."""

from typing import Any

from tests.road import ANSWERS, SNIPPET, TITLE, URL

_ENTRY = {"url": URL, "link": URL, "title": TITLE, "content": SNIPPET, "description": SNIPPET, "snippet": SNIPPET}
_ENTRIES = [{**_ENTRY, "highlights": [SNIPPET]}]

ANY: dict[str, Any] = {
    **ANSWERS["duckduckgo"],
    "results": _ENTRIES,
    "unresponsive_engines": [],
    "web": {"results": _ENTRIES},
    "organic": _ENTRIES,
    "items": _ENTRIES,
    "search_metadata": {"status": "Success"},
    "organic_results": _ENTRIES,
}
