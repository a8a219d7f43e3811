"""Options of an installed engine: closed schemas, and what each does to a request or an answer (contract section 2)."""

import time
from typing import Any

import pytest

from apps.activity.models import AuditRow
from apps.marketplace.models import EngineOptions
from searchengines.providers import ENGINES
from tests.road import ANSWERS, RESULT, Road
from tests.stored import code, fields, rows

# Of every engine each option with a value, and what the value does to the request: ("query" or "json", name, sent).
Effect = tuple[str, str, Any]
EFFECTS: dict[str, dict[str, tuple[Any, Effect]]] = {
    "searxng": {
        "engines": ("bing,brave", ("query", "engines", "bing,brave")),
        "categories": ("news", ("query", "categories", "news")),
    },
    "brave": {
        "country": ("FR", ("query", "country", "FR")),
        "searchLang": ("fr", ("query", "search_lang", "fr")),
        "safesearch": ("strict", ("query", "safesearch", "strict")),
    },
    "tavily": {
        "maxResults": (9, ("json", "max_results", 9)),
        "searchDepth": ("advanced", ("json", "search_depth", "advanced")),
        "topic": ("news", ("json", "topic", "news")),
        "includeAnswer": (True, ("json", "include_answer", True)),
    },
    "serper": {"gl": ("fr", ("json", "gl", "fr")), "hl": ("fr", ("json", "hl", "fr"))},
    "staan": {
        "market": ("en-US", ("json", "market", "en-us")),
        "extraSnippets": (True, ("json", "extra_snippets", True)),
        "minScore": (0.4, ("json", "min_score", 0.4)),
        "fullContent": ("markdown", ("json", "full_content", "markdown")),
        # Staan is always asked for 10: this one cuts the answer.
        "count": (1, ("json", "count", 10)),
    },
    "google": {"lr": ("lang_fr", ("query", "lr", "lang_fr"))},
    "searchapi": {
        "engine": ("bing", ("query", "engine", "bing")),
        "gl": ("fr", ("query", "gl", "fr")),
        "hl": ("fr", ("query", "hl", "fr")),
    },
    "duckduckgo": {},
    "exa": {
        "type": ("fast", ("json", "type", "fast")),
        "category": ("news", ("json", "category", "news")),
        "numResults": (25, ("json", "numResults", 25)),
        "highlights": (False, ("json", "contents", {"text": {"maxCharacters": 4096}})),
        "text": (True, ("json", "contents", {"text": {"maxCharacters": 4096}})),
    },
}
WEB = {"timeoutMs", "allowDomains", "denyDomains"}


def put(road: Road, installation_id: str, options: Any) -> Any:
    return road.house.admin.api("PUT", road.options_path(installation_id), options)


def test_every_option_of_every_web_engine_is_listed_here() -> None:
    declared = {engine.slug: {option.name for option in engine.options} for engine in ENGINES if engine.slug != "rag"}
    assert declared == {slug: set(effects) | WEB for slug, effects in EFFECTS.items()}


@pytest.mark.parametrize("slug", [slug for slug, effects in EFFECTS.items() if effects])
def test_each_option_reaches_the_provider(road: Road, slug: str) -> None:
    installation_id = road.connect(slug)
    road.search(slug)
    plain = road.upstream.last
    road.set_options(installation_id, {name: value for name, (value, _) in EFFECTS[slug].items()})
    assert road.search(slug).status_code == 200
    sent = road.upstream.last
    for where, name, wanted in (effect for _, effect in EFFECTS[slug].values()):
        assert (sent.param(name) if where == "query" else sent.json[name]) == wanted
    assert (plain.query, plain.json) != (sent.query, sent.json)
    road.set_options(installation_id, {})
    road.search(slug)
    assert (road.upstream.last.query, road.upstream.last.json) == (plain.query, plain.json)


def test_options_that_change_the_answer(road: Road) -> None:
    staan = road.connect("staan")
    passages = [{"url": f"https://{n}.example/", "title": "T", "snippet": "", "full_content": "page"} for n in range(4)]
    road.upstream.reply(json={"web": {"results": passages}})
    assert [found["snippet"] for found in road.search("staan", limit=3).json()["results"]] == ["page"] * 3
    road.set_options(staan, {"count": 1})
    assert len(road.search("staan", limit=3).json()["results"]) == 1
    exa = road.connect("exa")
    both = {"url": "https://e.example/", "title": "E", "highlights": ["mark"], "text": "page"}
    road.upstream.reply(json={"results": [both]})
    assert road.search("exa").json()["results"][0]["snippet"] == "mark"
    road.set_options(exa, {"highlights": False, "text": True})
    assert road.search("exa").json()["results"][0]["snippet"] == "page"


def test_an_agent_never_receives_more_than_its_limit(road: Road) -> None:
    installation_id = road.connect("exa")
    road.upstream.reply(json={"results": [{"url": f"https://{n}.example/", "title": "T"} for n in range(30)]})
    road.set_options(installation_id, {"numResults": 30})
    assert len(road.search("exa").json()["results"]) == 5
    assert len(road.search("exa", limit=10).json()["results"]) == 10
    assert road.upstream.last.json["numResults"] == 30


@pytest.mark.parametrize(
    ("slug", "options", "wrong"),
    [
        ("brave", {"gl": "fr"}, {"gl"}),
        ("brave", {"maxResults": 5, "country": "FR"}, {"maxResults"}),
        ("brave", {"country": "FRA"}, {"country"}),
        ("brave", {"safesearch": "hard", "searchLang": "!"}, {"safesearch", "searchLang"}),
        ("brave", {"search_lang": "fr"}, {"search_lang"}),
        ("brave", {"apiKey": "canary-0000"}, {"apiKey"}),
        ("tavily", {"maxResults": 21}, {"maxResults"}),
        ("tavily", {"maxResults": -1}, {"maxResults"}),
        ("tavily", {"maxResults": "5"}, {"maxResults"}),
        ("tavily", {"maxResults": True}, {"maxResults"}),
        ("tavily", {"maxResults": 1.5}, {"maxResults"}),
        ("tavily", {"maxResults": None}, {"maxResults"}),
        ("tavily", {"maxResults": 1e308}, {"maxResults"}),
        ("tavily", {"maxResults": 10**400}, {"maxResults"}),
        ("tavily", {"includeAnswer": "yes"}, {"includeAnswer"}),
        ("staan", {"minScore": 1.01}, {"minScore"}),
        ("staan", {"minScore": 10**400}, {"minScore"}),
        ("staan", {"count": 11, "market": "france"}, {"count", "market"}),
        ("exa", {"numResults": 101}, {"numResults"}),
        ("google", {"cx": "0123456789abcdef0"}, {"cx"}),
        ("searxng", {"language": "fr"}, {"language"}),
        ("duckduckgo", {"country": "FR"}, {"country"}),
        ("duckduckgo", {"timeoutMs": 999}, {"timeoutMs"}),
        ("duckduckgo", {"timeoutMs": 15001}, {"timeoutMs"}),
        ("duckduckgo", {"allowDomains": "example.com"}, {"allowDomains"}),
        ("duckduckgo", {"allowDomains": ["https://example.com"]}, {"allowDomains"}),
        ("duckduckgo", {"denyDomains": ["*.example.com"]}, {"denyDomains"}),
        ("duckduckgo", {"denyDomains": [None]}, {"denyDomains"}),
        ("duckduckgo", {"denyDomains": [f"{n}.example" for n in range(101)]}, {"denyDomains"}),
    ],
)
def test_options_that_are_not_taken_are_named_and_nothing_changes(
    desk: Road, slug: str, options: dict[str, Any], wrong: set[str]
) -> None:
    installation_id = desk.install(slug)
    desk.set_options(installation_id, {"timeoutMs": 5000})
    before = rows()
    refused = put(desk, installation_id, options)
    assert set(fields(refused)) == wrong
    assert "canary" not in refused.content.decode()
    assert rows() == before


def test_options_are_replaced_as_a_whole_shown_and_audited_by_name(desk: Road) -> None:
    installation_id = desk.install("tavily")
    path = desk.options_path(installation_id)
    assert desk.house.admin.api("GET", path).json() == {}
    stored = put(desk, installation_id, {"maxResults": 7.0, "topic": "news", "denyDomains": ["BÜCHER.example."]})
    shown = {"maxResults": 7, "topic": "news", "denyDomains": ["xn--bcher-kva.example"]}
    assert (stored.status_code, stored.json(), stored["Cache-Control"]) == (200, shown, "no-store")
    assert desk.house.admin.api("GET", path).json() == shown
    assert isinstance(EngineOptions.objects.get().options["maxResults"], int)
    assert put(desk, installation_id, {"timeoutMs": 1000}).json() == {"timeoutMs": 1000}
    assert put(desk, installation_id, {}).json() == {}
    saved = AuditRow.objects.filter(action="options.saved").order_by("at").first()
    assert saved is not None
    assert saved.details == {"options": ["denyDomains", "maxResults", "topic"]}


HOSTS = [
    "example.com",
    "www.example.com",
    "a.b.example.com.",
    "notexample.com",
    "example.com.evil.test",
    "xn--bcher-kva.example",
    "bücher.example",
    "shop.BÜCHER.example",
    "other.test",
    "192.0.2.7",
]


DOMAINS: list[tuple[dict[str, Any], set[int]]] = [
    ({"allowDomains": ["example.com"]}, {0, 1, 2}),
    ({"allowDomains": ["Example.COM."]}, {0, 1, 2}),
    ({"allowDomains": ["www.example.com", "other.test"]}, {1, 8}),
    ({"allowDomains": ["bücher.example"]}, {5, 6, 7}),
    ({"denyDomains": ["example.com", "xn--bcher-kva.example"]}, {3, 4, 8, 9}),
    ({"denyDomains": ["192.0.2.7", "test"]}, {0, 1, 2, 3, 5, 6, 7}),
    ({"allowDomains": ["example.com"], "denyDomains": ["www.example.com"]}, {0, 2}),
    ({"allowDomains": []}, set(range(10))),
]


def test_domains_cover_sub_domains_idn_and_trailing_dots(road: Road) -> None:
    installation_id = road.connect("brave")
    results = [{"url": f"https://{host}/{n}", "title": "T", "description": "D"} for n, host in enumerate(HOSTS)]
    road.upstream.reply(json={"web": {"results": results}})
    for options, left in DOMAINS:
        assert put(road, installation_id, options).status_code == 200
        found = road.search("brave", limit=10).json()["results"]
        assert {int(item["url"].rpartition("/")[2]) for item in found} == left, options


def test_domains_apply_to_every_web_engine(road: Road) -> None:
    for slug in EFFECTS:
        installation_id = road.connect(slug)
        for options, results in [
            ({}, [RESULT]),
            ({"denyDomains": ["example"]}, []),
            ({"allowDomains": ["harbour.example"]}, [RESULT]),
            ({"allowDomains": ["elsewhere.example"]}, []),
        ]:
            road.set_options(installation_id, options)
            assert road.search(slug).json() == {"results": results}, slug


def test_domains_are_applied_before_the_cut(road: Road) -> None:
    installation_id = road.connect("brave")
    hosts = ["a.test", "a.test", "b.test", "a.test", "b.test"]
    results = [{"url": f"https://{host}/{n}", "title": "T"} for n, host in enumerate(hosts)]
    road.upstream.reply(json={"web": {"results": results}})
    put(road, installation_id, {"denyDomains": ["a.test"]})
    found = road.search("brave", limit=2).json()["results"]
    assert [item["url"] for item in found] == ["https://b.test/2", "https://b.test/4"]


def test_the_timeout_ends_a_slow_call(road: Road) -> None:
    installation_id = road.connect("brave")
    road.set_options(installation_id, {"timeoutMs": 1000})
    road.upstream.reply(json=ANSWERS["brave"], delay=30)
    started = time.monotonic()
    assert code(road.search("brave")) == (502, "upstream_failure")
    tested = road.test(installation_id)
    assert 2 <= time.monotonic() - started < 10
    # Silence of an address that is not global reads like any other unreachable one.
    assert (code(tested), tested.json()["error"]["reason"]) == ((502, "upstream_failure"), "unreachable")
    assert len(road.upstream.requests) == 2


def test_options_that_no_longer_pass_their_own_checks_send_nothing(road: Road) -> None:
    installation_id = road.connect("brave")
    EngineOptions.objects.create(installation_id=installation_id, options={"safesearch": "whatever"})
    tested = road.test(installation_id)
    assert (code(tested), tested.json()["error"]["reason"]) == ((502, "upstream_failure"), "bad_shape")
    assert road.upstream.requests == []
