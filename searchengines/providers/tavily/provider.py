"""Tavily: `POST /search` with bearer authentication (spec A 6, spec B)."""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Json, Needs, Outgoing, Parsed, Provider, RawResult
from searchengines.credentials import api_key_field, bearer
from searchengines.errors import SearchFailure
from searchengines.options import WEB_OPTIONS, boolean_option, choice_option, integer_option
from searchengines.payload import as_object, entries, raw_results, require_any

_OPTION_MEMBERS = (("searchDepth", "search_depth"), ("topic", "topic"), ("includeAnswer", "include_answer"))
_PLAN_LIMITS = (432, 433)


class Tavily(Provider):
    app_id = "app_tavily"
    slug = "tavily"
    display_name = "Tavily Search"
    description = "Web search made for language models; can add a written answer."
    needs = Needs.API_KEY
    data_notice = "Queries go to Tavily (api.tavily.com)."
    origin = "https://api.tavily.com"
    max_query_characters = 400
    fields = (api_key_field("tvly-…"),)
    options = (
        integer_option("maxResults", "Results", 0, 20, document_name="max_results", default=5),
        choice_option("searchDepth", "Depth", ("basic", "advanced"), document_name="search_depth", default="basic"),
        choice_option("topic", "Topic", ("general", "news", "finance"), document_name="topic"),
        boolean_option(
            "includeAnswer",
            "Written answer",
            document_name="include_answer",
            default=False,
            help="Asks Tavily for an answer of its own; services receive it beside the results.",
        ),
        *WEB_OPTIONS,
    )
    count_option = "maxResults"
    count_range = (0, 20)
    default_count = 5

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        body: dict[str, Json] = {"query": query, "max_results": count}
        body |= {member: snapshot.options[name] for name, member in _OPTION_MEMBERS if name in snapshot.options}
        return Outgoing("POST", "/search", headers={"Authorization": bearer(snapshot)}, json=body)

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "results")
        return Parsed(raw_results(entries(body["results"]), _read), body.get("answer"))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        return SearchFailure.quota_exhausted() if status in _PLAN_LIMITS else None


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(
        entry.get("url"), entry.get("title"), entry.get("content"), entry.get("score"), entry.get("published_date")
    )
