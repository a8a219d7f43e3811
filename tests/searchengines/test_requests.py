"""What each engine sends, with nothing set and with every option."""

from collections.abc import Mapping
from typing import Any

import pytest

from searchengines.contract import Provider, SearchQuery
from searchengines.providers import ALL
from tests.searchengines.stage import KEY, PROVIDERS, Stage, sample_config
from tests.upstream import Request

every_provider = pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)

BARE: dict[str, tuple[str, str, Mapping[str, str], Any, tuple[str, str] | None]] = {
    "searxng": ("GET", "/search", {"q": "peat", "format": "json"}, None, None),
    "brave": ("GET", "/res/v1/web/search", {"q": "peat", "count": "5"}, None, ("x-subscription-token", KEY)),
    "tavily": ("POST", "/search", {}, {"query": "peat", "max_results": 5}, ("authorization", f"Bearer {KEY}")),
    "serper": ("POST", "/search", {}, {"q": "peat", "num": 5}, ("x-api-key", KEY)),
    "staan": (
        "POST",
        "/v2/search/web",
        {},
        {"q": "peat", "market": "fr-fr", "count": 10},
        ("authorization", f"Bearer {KEY}"),
    ),
    "google": (
        "GET",
        "/customsearch/v1",
        {"key": KEY, "cx": "0123456789abcdef0", "q": "peat", "num": "5"},
        None,
        None,
    ),
    "searchapi": (
        "GET",
        "/api/v1/search",
        {"engine": "google", "q": "peat", "num": "5"},
        None,
        ("authorization", f"Bearer {KEY}"),
    ),
    "duckduckgo": (
        "GET",
        "/",
        {"q": "peat", "format": "json", "no_html": "1", "no_redirect": "1", "skip_disambig": "1"},
        None,
        None,
    ),
    "exa": (
        "POST",
        "/search",
        {},
        {"query": "peat", "numResults": 5, "contents": {"highlights": True}},
        ("x-api-key", KEY),
    ),
}

# slug, option, value, where it arrives, what arrives.
OPTIONS = [
    ("searxng", "engines", "google, bing", ("query", "engines"), "google,bing"),
    ("searxng", "categories", "general", ("query", "categories"), "general"),
    ("brave", "country", "FR", ("query", "country"), "FR"),
    ("brave", "searchLang", "fr", ("query", "search_lang"), "fr"),
    ("brave", "safesearch", "strict", ("query", "safesearch"), "strict"),
    ("tavily", "maxResults", 7, ("json", "max_results"), 7),
    ("tavily", "maxResults", 0, ("json", "max_results"), 0),
    ("tavily", "searchDepth", "advanced", ("json", "search_depth"), "advanced"),
    ("tavily", "topic", "news", ("json", "topic"), "news"),
    ("tavily", "includeAnswer", True, ("json", "include_answer"), True),
    ("serper", "gl", "fr", ("json", "gl"), "fr"),
    ("serper", "hl", "pt-br", ("json", "hl"), "pt-br"),
    ("staan", "market", "de-DE", ("json", "market"), "de-de"),
    ("staan", "extraSnippets", True, ("json", "extra_snippets"), True),
    ("staan", "minScore", 0.5, ("json", "min_score"), 0.5),
    ("staan", "fullContent", "markdown", ("json", "full_content"), "markdown"),
    ("google", "lr", "lang_en|lang_fr", ("query", "lr"), "lang_en|lang_fr"),
    ("searchapi", "engine", "bing", ("query", "engine"), "bing"),
    ("searchapi", "gl", "fr", ("query", "gl"), "fr"),
    ("searchapi", "hl", "fr", ("query", "hl"), "fr"),
    ("exa", "type", "fast", ("json", "type"), "fast"),
    ("exa", "category", "research paper", ("json", "category"), "research paper"),
    ("exa", "numResults", 100, ("json", "numResults"), 100),
    ("exa", "text", True, ("json", "contents"), {"highlights": True, "text": {"maxCharacters": 4096}}),
    ("exa", "highlights", True, ("json", "contents"), {"highlights": True}),
]
# Options that change the answer or several members; each has a test of its own below or in test_runtime.
ELSEWHERE = {"timeoutMs", "allowDomains", "denyDomains", "count"}


def cleaned(provider: Provider, **options: Any) -> dict[str, Any]:
    declared = {option.name: option for option in provider.options}
    return {name: declared[name].clean(value) for name, value in options.items()}


def received(request: Request, place: str) -> Mapping[str, Any]:
    return dict(request.query) if place == "query" else request.json


@every_provider
def test_bare_request(stage: Stage, provider: Provider) -> None:
    method, path, query, body, header = BARE[provider.slug]
    request = stage.request_for(provider, query=SearchQuery("peat", limit=5))
    assert (request.method, request.path, dict(request.query), request.json) == (method, path, query, body)
    assert len(request.query) == len(query)
    if header is not None:
        assert request.headers[header[0]] == header[1]
    assert "x-forwarded-for" not in request.headers
    assert "x-real-ip" not in request.headers
    assert "cookie" not in request.headers


@every_provider
def test_the_key_is_sent_in_its_own_place_only(stage: Stage, provider: Provider) -> None:
    request = stage.request_for(provider)
    places = [value for _, value in request.query] + list(request.headers.values()) + [request.body.decode()]
    assert sum(KEY in place for place in places) == len(provider.secret_fields)


@pytest.mark.parametrize(("slug", "option", "value", "place", "arrives"), OPTIONS)
def test_option_changes_the_request(
    stage: Stage, slug: str, option: str, value: Any, place: tuple[str, str], arrives: Any
) -> None:
    provider = PROVIDERS[slug]
    request = stage.request_for(provider, options=cleaned(provider, **{option: value}))
    assert received(request, place[0])[place[1]] == arrives


def test_every_option_of_every_engine_has_such_a_test() -> None:
    shown = {(slug, option) for slug, option, *_ in OPTIONS}
    declared = {(provider.slug, option.name) for provider in ALL for option in provider.options}
    assert {pair for pair in declared if pair[1] not in ELSEWHERE} == shown


def test_exa_without_highlights_asks_for_no_contents(stage: Stage) -> None:
    request = stage.request_for(PROVIDERS["exa"], options={"highlights": False})
    assert "contents" not in request.json


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"minScore": 0.5}, {"extra_snippets": True, "min_score": 0.5}),
        ({"minScore": 0.5, "extraSnippets": False}, {"extra_snippets": False}),
        ({"minScore": 0.5, "extraSnippets": True}, {"extra_snippets": True, "min_score": 0.5}),
    ],
)
def test_staan_sends_min_score_together_with_extra_snippets(
    stage: Stage, options: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    body = stage.request_for(PROVIDERS["staan"], options=options).json
    assert {name: body[name] for name in ("extra_snippets", "min_score") if name in body} == sent


def test_staan_is_always_asked_for_ten_and_cut_here(stage: Stage) -> None:
    entries = [{"url": f"https://{number}.example/"} for number in range(10)]
    answer = stage.play(
        PROVIDERS["staan"], body={"web": {"results": entries}}, options={"count": 3}, query=SearchQuery("x", limit=8)
    )
    assert stage.sent[0].json["count"] == 10
    assert [item.url for item in answer.results] == [f"https://{number}.example/" for number in range(3)]


def test_staan_full_content_serves_where_the_snippet_is_empty(stage: Stage) -> None:
    entries = [
        {"url": "https://a.example/", "snippet": "", "full_content": "# Whole page"},
        {"url": "https://b.example/", "snippet": "short", "full_content": "# Whole page"},
    ]
    answer = stage.play(PROVIDERS["staan"], status=201, body={"web": {"results": entries}})
    assert [item.snippet for item in answer.results] == ["# Whole page", "short"]


@pytest.mark.parametrize("language", ["fr", "zh-CN", "pt-BR", "all", "auto", "zz-ZZ"])
def test_searxng_language_is_sent_verbatim(stage: Stage, language: str) -> None:
    provider = PROVIDERS["searxng"]
    request = stage.request_for(provider, config={**sample_config(provider), "language": language})
    assert request.param("language") == language
    assert request.param("lang") is None


def test_searxng_gets_what_its_limiter_wants(stage: Stage) -> None:
    request = stage.request_for(PROVIDERS["searxng"])
    assert request.headers["accept-encoding"] == "gzip"
    assert request.headers["accept-language"] == "*"


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("harbor ferry", "harbor ferry"),
        ('C# & R+ "50%" café ? a=b', 'C# & R+ "50%" café ? a=b'),
        ("two  spaces", "two  spaces"),
        (":zh ferry times", "zh ferry times"),
        ("!!g ferry times", "g ferry times"),
        ("!images ferry", "images ferry"),
        ("C++ <5 elements", "C++ 5 elements"),
        ("left : right", "left right"),
        ("!:<!x y", "x y"),
        ("wait! a:b x<y", "wait! a:b x<y"),
        ("ferry\u2003!g", "ferry g"),
    ],
)
def test_searxng_query_marks_are_removed(stage: Stage, query: str, sent: str) -> None:
    assert stage.request_for(PROVIDERS["searxng"], query=query).param("q") == sent


@pytest.mark.parametrize("query", ["!!", "!", ": ! <", "<<"])
def test_searxng_is_not_asked_when_only_marks_were_given(stage: Stage, query: str) -> None:
    answer = stage.play(PROVIDERS["searxng"], query=query)
    assert (answer.results, answer.upstream_seconds, stage.sent) == ((), 0.0, [])


@every_provider
def test_query_arrives_as_it_is(stage: Stage, provider: Provider) -> None:
    query = 'C# & R+ "50%" café ? a=b {"input":"x"} %41 日本 🚢'
    request = stage.request_for(provider, query=query)
    found = dict(request.query) or request.json
    assert found.get("q", found.get("query")) == query


@every_provider
def test_no_member_is_null(stage: Stage, provider: Provider) -> None:
    request = stage.request_for(provider)
    assert None not in (request.json or {}).values()
    assert not {"null", "None", ""} & {value for _, value in request.query}
