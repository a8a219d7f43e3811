"""Serper: `POST /search` with `X-API-KEY`; results come in the order of their positions (spec A 6)."""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Json, Needs, Outgoing, Parsed, Provider, RawResult
from searchengines.credentials import api_key_field
from searchengines.errors import SearchFailure
from searchengines.options import WEB_OPTIONS, text_option
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text


class Serper(Provider):
    app_id = "app_serper"
    slug = "serper"
    display_name = "Serper Search"
    description = "Google results through Serper."
    needs = Needs.API_KEY
    data_notice = "Queries go to Serper (google.serper.dev), which searches Google."
    origin = "https://google.serper.dev"
    fields = (api_key_field(),)
    options = (
        text_option("gl", "Country", r"[A-Za-z]{2}", "a 2-letter country code such as fr", maximum=2),
        text_option(
            "hl", "Language", r"[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?", "a language code such as fr or pt-br", maximum=8
        ),
        *WEB_OPTIONS,
    )
    count_range = (1, 100)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        body: dict[str, Json] = {"q": query, "num": count}
        body |= {name: snapshot.options[name] for name in ("gl", "hl") if name in snapshot.options}
        return Outgoing("POST", "/search", headers={"X-API-KEY": snapshot.secret("apiKey")}, json=body)

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "organic", "searchParameters")
        return Parsed(raw_results(_by_position(entries(body.get("organic"))), _read))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        message = text(object_or_empty(payload).get("message")).lower()
        return SearchFailure.quota_exhausted() if status == 400 and "credits" in message else None


def _by_position(items: list[Any]) -> list[Any]:
    """`items` by their `position`, from 1; an entry without one is taken to stand where it is."""

    def position(indexed: tuple[int, Any]) -> float:
        index, item = indexed
        given = item.get("position") if isinstance(item, dict) else None
        return given if isinstance(given, int | float) else index + 1

    return [item for _, item in sorted(enumerate(items), key=position)]


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(entry.get("link"), entry.get("title"), entry.get("snippet"), published=entry.get("date"))
