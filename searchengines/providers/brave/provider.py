"""Brave Search: `GET /res/v1/web/search` with `X-Subscription-Token` (spec A 6)."""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Needs, Outgoing, Parsed, Provider, RawResult, Secret
from searchengines.credentials import api_key_field
from searchengines.errors import SearchFailure
from searchengines.options import WEB_OPTIONS, choice_option, text_option
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text

_OPTION_PARAMS = (("country", "country"), ("searchLang", "search_lang"), ("safesearch", "safesearch"))


class Brave(Provider):
    app_id = "app_brave_search"
    slug = "brave"
    display_name = "Brave Search"
    description = "Web search on Brave's own index."
    needs = Needs.API_KEY
    data_notice = "Queries go to Brave Search (api.search.brave.com)."
    origin = "https://api.search.brave.com"
    max_query_characters = 400
    max_query_words = 50
    fields = (api_key_field(),)
    options = (
        text_option("country", "Country", r"[A-Za-z]{2}", "a 2-letter country code such as FR", maximum=2),
        text_option(
            "searchLang",
            "Content language",
            r"[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?",
            "a language code such as en or pt-br",
            maximum=8,
            document_name="search_lang",
        ),
        choice_option("safesearch", "Safe search", ("off", "moderate", "strict"), document_name="safesearch"),
        *WEB_OPTIONS,
    )
    count_range = (1, 20)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        params: list[tuple[str, str | Secret]] = [("q", query), ("count", str(count))]
        params += [(param, text(snapshot.options[name])) for name, param in _OPTION_PARAMS if name in snapshot.options]
        return Outgoing(
            "GET",
            "/res/v1/web/search",
            params=tuple(params),
            headers={"X-Subscription-Token": snapshot.secret("apiKey")},
        )

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "web", "type", "query")
        web = body.get("web")
        return Parsed(raw_results([] if web is None else entries(as_object(web).get("results")), _read))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        code = _error_code(payload)
        if (status == 422 and code.startswith("SUBSCRIPTION_TOKEN")) or code == "SUBSCRIPTION_NOT_FOUND":
            return SearchFailure.credentials_rejected()
        return None


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(
        entry.get("url"),
        entry.get("title"),
        entry.get("description"),
        published=entry.get("page_age") or entry.get("age"),
    )


def _error_code(payload: Any) -> str:
    """`error.code`, or that of the first of `errors`: both shapes are seen."""
    body = object_or_empty(payload)
    errors = body.get("errors")
    listed = errors[0] if isinstance(errors, list) and errors else None
    return text(object_or_empty(body.get("error") or listed).get("code"))
