"""SearXNG: `GET <baseUrl>/search?q=…&format=json` (spec A 6), behind a limiter that wants gzip."""

from typing import Any

from searchengines import cleaning
from searchengines.contract import ConnectionSnapshot, Field, Needs, Outgoing, Parsed, Provider, RawResult, Secret
from searchengines.egress.base_url import canonical_base_url
from searchengines.errors import Code, Reason, SearchFailure
from searchengines.options import WEB_OPTIONS, names_option
from searchengines.payload import as_object, entries, raw_results, text

_MARKS = "!:<"


class SearXNG(Provider):
    app_id = "app_searxng"
    slug = "searxng"
    display_name = "SearXNG"
    description = "Web search through a SearXNG instance of your own."
    needs = Needs.SELF_HOSTED
    data_notice = "Queries go to the SearXNG instance that you name, and from there to the engines it is set up with."
    origin = None
    fields = (
        Field(
            "baseUrl",
            "Base URL",
            canonical_base_url,
            required=True,
            placeholder="https://searxng.example.com",
            help="The address of your instance. It must allow the json format: list `json` under `search.formats` in "
            "its settings.yml. If this server runs in a container, `localhost` is that container; "
            "use the host's name or address.",
        ),
        Field(
            "language",
            "Language",
            cleaning.matching_text(
                r"all|auto|[a-z]{2,3}(?:-[A-Za-z]{2})?", "one language code such as fr or pt-BR, or all, or auto"
            ),
            placeholder="fr",
            help="One language code. Left empty, the instance decides.",
        ),
    )
    options = (
        names_option("engines", "Engines", help="Engines of the instance, separated by commas."),
        names_option("categories", "Categories", help="Categories of the instance, separated by commas."),
        *WEB_OPTIONS,
    )
    count_range = (1, 100)

    def request(self, snapshot: ConnectionSnapshot, query: str, count: int) -> Outgoing | None:
        asked = _without_marks(query)
        if not asked:
            return None
        params: list[tuple[str, str | Secret]] = [("q", asked), ("format", "json")]
        if language := snapshot.config.get("language"):
            params.append(("language", language))
        params += [
            (name, text(snapshot.options[name])) for name in ("engines", "categories") if name in snapshot.options
        ]
        return Outgoing("GET", "/search", params=tuple(params), accept_gzip=True)

    def parse(self, payload: Any, snapshot: ConnectionSnapshot) -> Parsed:
        body = as_object(payload)
        if "results" not in body:
            raise SearchFailure.upstream(Reason.BAD_SHAPE)
        results = entries(body["results"])
        if not results and body.get("unresponsive_engines"):
            raise SearchFailure.upstream(Reason.ENGINES_FAILED)
        return Parsed(raw_results(results, _read), _answer(body.get("answers")))

    def failure(self, status: int, payload: Any) -> SearchFailure | None:
        return SearchFailure(Code.UPSTREAM_FAILURE, Reason.JSON_DISABLED) if status == 403 else None


def _without_marks(query: str) -> str:
    """The words of `query` without the leading marks that would choose an engine, a language or a timeout."""
    words = query.split()
    if not any(word[0] in _MARKS for word in words):
        return query
    return " ".join(word for word in (word.lstrip(_MARKS) for word in words) if word)


def _read(entry: dict[str, Any]) -> RawResult:
    return RawResult(
        entry.get("url"), entry.get("title"), entry.get("content"), entry.get("score"), entry.get("publishedDate")
    )


def _answer(answers: Any) -> str:
    """The first answer: an object today, a string before 2025."""
    for item in answers if isinstance(answers, list) else ():
        answer = text(item.get("answer") if isinstance(item, dict) else item)
        if answer.strip():
            return answer
    return ""
