"""SearchApi: `GET /api/v1/search` with bearer authentication (spec B). Failures may come with status 200."""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Needs, Outgoing, Parsed, Provider, RawResult, Secret
from searchengines.credentials import api_key_field, bearer
from searchengines.errors import Reason, SearchFailure
from searchengines.options import WEB_OPTIONS, text_option
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text

_DEFAULT_ENGINE = "google"
_NO_RESULTS = ("any results", "no results")
_KEY_WORDS = ("api key", "api_key", "unauthorized")
_QUOTA_WORDS = ("searches", "credits", "quota", "plan", "limit")


class SearchApi(Provider):
    app_id = "app_searchapi"
    slug = "searchapi"
    display_name = "SearchApi"
    description = "Results of Google and other engines through SearchApi."
    needs = Needs.API_KEY
    data_notice = "Queries go to SearchApi (www.searchapi.io), which asks the engine that you choose."
    origin = "https://www.searchapi.io"
    fields = (api_key_field(),)
    options = (
        text_option(
            "engine",
            "Engine",
            r"[a-z][a-z0-9_]{0,63}",
            "the name of an engine such as google or bing",
            maximum=64,
            default=_DEFAULT_ENGINE,
        ),
        text_option("gl", "Country", r"[A-Za-z]{2}", "a 2-letter country code such as fr", maximum=2),
        text_option(
            "hl", "Language", r"[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?", "a language code such as fr or pt-br", maximum=8
        ),
        *WEB_OPTIONS,
    )
    count_range = (1, 100)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        engine = text(snapshot.options.get("engine")) or _DEFAULT_ENGINE
        params: list[tuple[str, str | Secret]] = [("engine", engine), ("q", query), ("num", str(count))]
        params += [(name, text(snapshot.options[name])) for name in ("gl", "hl") if name in snapshot.options]
        return Outgoing("GET", "/api/v1/search", params=tuple(params), headers={"Authorization": bearer(snapshot)})

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "organic_results", "search_metadata", "error")
        results = entries(body.get("organic_results"))
        if not results:
            _check_empty(body)
        return Parsed(raw_results(results, _read))


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(entry.get("link"), entry.get("title"), entry.get("snippet"), published=entry.get("date"))


def _check_empty(body: dict[str, Any]) -> None:
    """Raises unless the body says that nothing was found, or says nothing at all."""
    error = body.get("error")
    if error is None:
        if object_or_empty(body.get("search_metadata")).get("status", "Success") != "Success":
            raise SearchFailure.upstream(Reason.BAD_STATUS)
        return
    message = text(error).lower()
    if any(words in message for words in _NO_RESULTS):
        return
    if any(words in message for words in _KEY_WORDS):
        raise SearchFailure.credentials_rejected()
    if any(words in message for words in _QUOTA_WORDS):
        raise SearchFailure.quota_exhausted()
    raise SearchFailure.upstream(Reason.BAD_STATUS)
