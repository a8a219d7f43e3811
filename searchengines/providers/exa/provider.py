"""Exa: `POST /search` with `x-api-key`; highlights serve as the snippet (spec B)."""

from typing import Any

from searchengines.contract import ConnectionSnapshot, Json, Needs, Outgoing, Parsed, Provider, RawResult
from searchengines.credentials import api_key_field
from searchengines.errors import SearchFailure
from searchengines.options import WEB_OPTIONS, boolean_option, integer_option, text_option
from searchengines.payload import as_object, entries, object_or_empty, raw_results, require_any, text, texts

# Whole pages would not fit into the 1 MiB that an answer may have, and a snippet shows no more than this.
_TEXT_CHARACTERS = 4096


class Exa(Provider):
    app_id = "app_exa"
    slug = "exa"
    display_name = "Exa"
    description = "Web search by meaning, with highlights of each page."
    needs = Needs.API_KEY
    data_notice = "Queries go to Exa (api.exa.ai)."
    origin = "https://api.exa.ai"
    fields = (api_key_field(),)
    options = (
        text_option(
            "type",
            "Search mode",
            r"[a-z][a-z-]{0,31}",
            "a search mode such as auto, fast, instant or deep",
            maximum=32,
            default="auto",
        ),
        text_option(
            "category",
            "Category",
            r"[A-Za-z][A-Za-z -]{0,63}",
            "a category such as news, research paper, company or people",
            maximum=64,
        ),
        integer_option("numResults", "Results", 1, 100, document_name="num_results", default=10),
        boolean_option(
            "highlights",
            "Highlights",
            document_name="highlights",
            default=True,
            help="Asks for the passages that match best; they become the snippet.",
        ),
        boolean_option(
            "text",
            "Page text",
            document_name="text",
            default=False,
            help="Asks for the page text, which serves as snippet where there are no highlights.",
        ),
        *WEB_OPTIONS,
    )
    count_option = "numResults"
    count_range = (1, 100)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        body: dict[str, Json] = {"query": query, "numResults": count}
        body |= {name: snapshot.options[name] for name in ("type", "category") if name in snapshot.options}
        contents: dict[str, Json] = {}
        if _wants_highlights(snapshot):
            contents["highlights"] = True
        if snapshot.options.get("text") is True:
            contents["text"] = {"maxCharacters": _TEXT_CHARACTERS}
        if contents:
            body["contents"] = contents
        return Outgoing("POST", "/search", headers={"x-api-key": snapshot.secret("apiKey")}, json=body)

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        require_any(body, "results")
        highlights_first = _wants_highlights(snapshot)

        def read(entry: dict[str, Any]) -> RawResult:
            return RawResult(
                entry.get("url"),
                entry.get("title"),
                _snippet(entry, highlights_first),
                entry.get("score"),
                entry.get("publishedDate"),
            )

        return Parsed(raw_results(entries(body["results"]), read))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        body = object_or_empty(payload)
        tag = text(body.get("tag"))
        if status == 402 or tag == "NO_MORE_CREDITS" or tag.endswith("_BUDGET_EXCEEDED"):
            return SearchFailure.quota_exhausted()
        if tag == "INVALID_API_KEY" or (status == 400 and "x-api-key" in text(body.get("error"))):
            return SearchFailure.credentials_rejected()
        return None

    def accepts(self, status: int) -> bool:
        return status in (200, 201)


def _wants_highlights(snapshot: ConnectionSnapshot) -> bool:
    return snapshot.options.get("highlights") is not False


def _snippet(entry: dict[str, Any], highlights_first: bool) -> str:
    """Highlights when they were asked for, else the page text; each stands in for the other, then the summary."""
    passages = [" … ".join(texts(entry.get("highlights"))), text(entry.get("text"))]
    if not highlights_first:
        passages.reverse()
    return next((passage for passage in (*passages, text(entry.get("summary"))) if passage.strip()), "")
