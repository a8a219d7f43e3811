"""Staan: `POST /v2/search/web` with bearer authentication (spec B).

The API takes no other `count` than 10 and lower-case markets, so fewer results are cut locally.
"""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Json, Needs, Outgoing, Parsed, Provider, RawResult
from searchengines.credentials import api_key_field, bearer
from searchengines.errors import SearchFailure
from searchengines.options import (
    WEB_OPTIONS,
    boolean_option,
    choice_option,
    integer_option,
    number_option,
    text_option,
)
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text

_PAGE = 10
_DEFAULT_MARKET = "fr-FR"


class Staan(Provider):
    app_id = "app_staan"
    slug = "staan"
    display_name = "Staan"
    description = "European web search, by Qwant."
    needs = Needs.API_KEY
    data_notice = "Queries go to Staan (api.staan.ai), hosted in Europe."
    origin = "https://api.staan.ai"
    max_query_characters = 400
    fields = (api_key_field(),)
    options = (
        text_option(
            "market",
            "Market",
            r"[A-Za-z]{2}-[A-Za-z]{2}",
            "a market such as fr-FR or en-us",
            maximum=5,
            default=_DEFAULT_MARKET,
        ),
        integer_option("count", "Results", 1, _PAGE, document_name="count", default=_PAGE),
        number_option(
            "minScore",
            "Minimum score of extra passages",
            0,
            1,
            document_name="min_score",
            help="Asks for extra passages, unless they are switched off.",
        ),
        boolean_option(
            "extraSnippets",
            "Extra passages",
            document_name="extra_snippets",
            help="Adds further passages of each page to its snippet.",
        ),
        choice_option(
            "fullContent",
            "Page content",
            ("markdown", "html"),
            document_name="full_content",
            help="Fetches the page content, which serves as snippet where the page has none.",
        ),
        *WEB_OPTIONS,
    )
    count_option = "count"
    count_range = (1, _PAGE)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        options = snapshot.options
        market = text(options.get("market")) or _DEFAULT_MARKET
        body: dict[str, Json] = {"q": query, "market": market.lower(), "count": _PAGE}
        if "extraSnippets" in options:
            body["extra_snippets"] = options["extraSnippets"]
        # The score is that of the extra chunks: asked for alone, it brings them.
        if "minScore" in options and body.setdefault("extra_snippets", True):
            body["min_score"] = options["minScore"]
        if "fullContent" in options:
            body["full_content"] = options["fullContent"]
        return Outgoing("POST", "/v2/search/web", headers={"Authorization": bearer(snapshot)}, json=body)

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "web")
        web = body["web"]
        return Parsed(raw_results([] if web is None else entries(as_object(web).get("results")), _read))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        refused = object_or_empty(payload).get("code") == "INVALID_CREDENTIALS"
        return SearchFailure.credentials_rejected() if refused else None

    def accepts(self, status: int) -> bool:
        return status in (200, 201)


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(entry.get("url"), entry.get("title"), _snippet(entry), published=entry.get("published_date"))


def _snippet(entry: dict[str, Any]) -> str:
    chunks = entry.get("extra_snippets")
    extra = [text(object_or_empty(item).get("chunk")) for item in chunks] if isinstance(chunks, list) else []
    passages = [passage for passage in (text(entry.get("snippet")), *extra) if passage.strip()]
    return " … ".join(passages) or text(entry.get("full_content"))
