"""DuckDuckGo's Instant Answer API: `GET /?format=json`, no key (spec B).

Answers are labelled `application/x-javascript`; 202 is a normal answer when it is JSON and a challenge otherwise.
"""

from collections.abc import Iterator
from typing import Any

from searchengines.contract import ConnectionSnapshot, Needs, Outgoing, Parsed, Provider, RawResult
from searchengines.errors import Code, SearchFailure
from searchengines.options import WEB_OPTIONS
from searchengines.payload import MALFORMED, as_object, entries, object_or_empty, require_any, text

_FLAGS = (("format", "json"), ("no_html", "1"), ("no_redirect", "1"), ("skip_disambig", "1"))


class DuckDuckGo(Provider):
    app_id = "app_duckduckgo"
    slug = "duckduckgo"
    display_name = "DuckDuckGo"
    description = "DuckDuckGo's instant answers: a summary and related topics."
    needs = Needs.NOTHING
    data_notice = "Queries go to DuckDuckGo (api.duckduckgo.com), without a key."
    notice = "DuckDuckGo offers instant answers only, not full web search: many queries find nothing."
    origin = "https://api.duckduckgo.com"
    options = WEB_OPTIONS
    count_range = (1, 100)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        return Outgoing("GET", "/", params=(("q", query), *_FLAGS))

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "RelatedTopics", "AbstractURL", "AbstractText", "Answer")
        topics = entries(body.get("RelatedTopics"))
        return Parsed(_results(body, topics), _answer(body))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        return SearchFailure(Code.RATE_LIMITED) if status == 202 else None

    def accepts(self, status: int) -> bool:
        return status in (200, 202)


def _results(body: dict[str, Any], topics: list[Any]) -> Iterator[RawResult]:
    if body.get("AbstractURL"):
        yield RawResult(body["AbstractURL"], body.get("Heading"), body.get("AbstractText"))
    for topic in topics:
        group = topic.get("Topics") if isinstance(topic, dict) else None
        for item in group if isinstance(group, list) else [topic]:
            yield _read(item)


def _read(topic: Any) -> RawResult:
    if not isinstance(topic, dict):
        return MALFORMED
    return RawResult(topic.get("FirstURL"), topic.get("Text"), topic.get("Text"))


def _answer(body: dict[str, Any]) -> str:
    """`Answer` is text, or an object whose `result` may be empty (the calculator); else the abstract serves."""
    answer = body.get("Answer")
    found = text(answer) or text(object_or_empty(answer).get("result"))
    return found if found.strip() else text(body.get("AbstractText"))
