"""Google Custom Search: `GET /customsearch/v1`, with the key in the query string (spec B).

The key travels as a `Secret`, so that no log line or error shows the URL with it.
"""

import re
from typing import Any
from urllib.parse import parse_qs

from searchengines.contract import ConnectionSnapshot, Field, Needs, Outgoing, Parsed, Provider, RawResult, Secret
from searchengines.credentials import api_key_field
from searchengines.errors import InvalidValue, SearchFailure
from searchengines.options import WEB_OPTIONS, text_option
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text

_ENGINE_ID = re.compile(r"[A-Za-z0-9_:-]{3,128}")
_QUOTA_REASONS = frozenset({"dailyLimitExceeded", "quotaExceeded", "rateLimitExceeded", "userRateLimitExceeded"})


def _clean_engine_id(value: object) -> str:
    """The search engine id, also out of the address of its control panel or public page."""
    candidate = value.strip() if isinstance(value, str) else ""
    if "?" in candidate:
        query = candidate.partition("?")[2].partition("#")[0]
        candidate = parse_qs(query, max_num_fields=50).get("cx", [""])[0] if query.count("&") < 50 else ""
    if not _ENGINE_ID.fullmatch(candidate):
        raise InvalidValue("Takes the search engine id (cx), such as 0123456789abcdef0, not a client id.", "engine_id")
    return candidate


class Google(Provider):
    app_id = "app_google_search"
    slug = "google"
    display_name = "Google Custom Search"
    description = "Google results through a Programmable Search Engine of your own."
    needs = Needs.API_KEY
    data_notice = "Queries go to Google (www.googleapis.com)."
    notice = "Google has closed this API to new customers and ends it on 2027-01-01."
    origin = "https://www.googleapis.com"
    fields = (
        Field(
            "cx",
            "Search engine id",
            _clean_engine_id,
            required=True,
            placeholder="0123456789abcdef0",
            help="The id of your Programmable Search Engine; the address of its page will do.",
        ),
        api_key_field(),
    )
    options = (
        text_option(
            "lr",
            "Language restriction",
            r"lang_[a-z]{2}(?:-[A-Z]{2})?(?:\|lang_[a-z]{2}(?:-[A-Z]{2})?){0,9}",
            "language restrictions such as lang_fr or lang_en|lang_fr",
            maximum=128,
        ),
        *WEB_OPTIONS,
    )
    count_range = (1, 10)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        params: list[tuple[str, str | Secret]] = [
            ("key", snapshot.secret("apiKey")),
            ("cx", snapshot.config["cx"]),
            ("q", query),
            ("num", str(count)),
        ]
        if "lr" in snapshot.options:
            params.append(("lr", text(snapshot.options["lr"])))
        return Outgoing("GET", "/customsearch/v1", params=tuple(params))

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "items", "kind", "searchInformation")
        return Parsed(raw_results(entries(body.get("items")), _read))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        reasons = _error_reasons(payload)
        if status == 403 and reasons & _QUOTA_REASONS:
            return SearchFailure.quota_exhausted()
        if status == 400 and any(reason.startswith("API_KEY_") or reason == "keyInvalid" for reason in reasons):
            return SearchFailure.credentials_rejected()
        return None


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(entry.get("link"), entry.get("title"), entry.get("snippet"))


def _error_reasons(payload: Any) -> set[str]:
    """The `reason` of every entry of `error.errors` and `error.details`."""
    error = object_or_empty(object_or_empty(payload).get("error"))
    listed = [error.get(name) for name in ("errors", "details")]
    return {text(object_or_empty(item).get("reason")) for part in listed if isinstance(part, list) for item in part}
