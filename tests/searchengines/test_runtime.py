"""What the runtime adds to an adapter: counts, limits, checks, deadlines, domain rules."""

import time
from typing import Any

import pytest

from searchengines import runtime
from searchengines.contract import ConnectionSnapshot, Provider, Reach, SearchQuery, Secret, Target
from searchengines.errors import SearchFailure
from searchengines.providers import ALL
from tests.searchengines.stage import CONTEXT, PROVIDERS, Stage, ok_body, sample_config, sample_secrets

every_provider = pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)
keyed = pytest.mark.parametrize(
    "provider", [provider for provider in ALL if provider.secret_fields], ids=lambda provider: provider.slug
)


@pytest.mark.parametrize(
    ("slug", "options", "query", "asked"),
    [
        ("tavily", {}, SearchQuery("x", limit=3), 3),
        ("tavily", {}, SearchQuery("x"), 5),
        ("tavily", {}, SearchQuery("x", max_results=0), 0),
        ("tavily", {}, SearchQuery("x", max_results=50), 20),
        ("tavily", {"maxResults": 0}, SearchQuery("x", limit=3), 0),
        ("tavily", {"maxResults": 12}, SearchQuery("x", limit=3), 12),
        ("tavily", {"maxResults": 12}, SearchQuery("x", max_results=2), 2),
        ("exa", {}, SearchQuery("x"), 10),
        ("exa", {"numResults": 40}, SearchQuery("x"), 40),
        ("exa", {}, SearchQuery("x", max_results=1000), 100),
        ("google", {}, SearchQuery("x", limit=10), 10),
        ("google", {}, SearchQuery("x", max_results=50), 10),
        ("google", {}, SearchQuery("x", max_results=-4), 1),
        ("brave", {}, SearchQuery("x", max_results=50), 20),
        ("brave", {}, SearchQuery("x"), 10),
    ],
)
def test_how_many_are_asked_for(slug: str, options: dict[str, Any], query: SearchQuery, asked: int) -> None:
    assert runtime.requested_count(PROVIDERS[slug], options, query) == asked


def tavily_body(count: int) -> dict[str, Any]:
    return {"results": [{"url": f"https://{number}.example/", "title": "t"} for number in range(count)]}


def test_stored_count_above_the_limit_is_asked_for_and_cut(stage: Stage) -> None:
    tavily = PROVIDERS["tavily"]
    answer = stage.play(tavily, body=tavily_body(12), options={"maxResults": 12}, query=SearchQuery("x", limit=4))
    assert stage.sent[0].json["max_results"] == 12
    assert len(answer.results) == 4


def test_service_gets_what_it_asked_for(stage: Stage) -> None:
    answer = stage.play(PROVIDERS["tavily"], body=tavily_body(30), query=SearchQuery("x", max_results=15))
    assert stage.sent[0].json["max_results"] == 15
    assert len(answer.results) == 15


def test_stored_count_of_nothing_is_legal(stage: Stage) -> None:
    answer = stage.play(PROVIDERS["tavily"], body=tavily_body(0), options={"maxResults": 0})
    assert (stage.sent[0].json["max_results"], answer.results) == (0, ())


@pytest.mark.parametrize("slug", ["tavily", "brave", "staan"])
def test_long_query_is_cut_after_a_word(stage: Stage, slug: str) -> None:
    query = " ".join(["word" + "s" * 16] * 24)  # 503 characters, 24 words
    request = stage.request_for(PROVIDERS[slug], query=query)
    found = dict(request.query) or request.json
    sent = found.get("q", found.get("query"))
    assert len(sent) <= 400
    assert query.startswith(sent + " ")
    assert len(sent) > 375


def test_brave_gets_fifty_words(stage: Stage) -> None:
    query = " ".join(f"w{number}" for number in range(60))
    assert stage.request_for(PROVIDERS["brave"], query=query).param("q") == " ".join(query.split()[:50])


@pytest.mark.parametrize("slug", ["searxng", "serper", "google", "searchapi", "duckduckgo", "exa"])
def test_others_get_the_whole_query(stage: Stage, slug: str) -> None:
    query = "w " * 255 + "w"
    request = stage.request_for(PROVIDERS[slug], query=query)
    found = dict(request.query) or request.json
    assert found.get("q", found.get("query")) == query


@keyed
@pytest.mark.parametrize(
    "text", [None, "", "short", "key with blank", "kéy-0123456789", "a,b-0123456789", "k" * 513, "x\r\ny: z-0123"]
)
def test_unusable_key_is_not_sent(stage: Stage, provider: Provider, text: str | None) -> None:
    secrets = {} if text is None else {"apiKey": Secret(text)}
    assert stage.failure(provider, secrets=secrets) == ("provider_auth_unavailable", None)
    assert stage.sent == []


@every_provider
@pytest.mark.parametrize(
    "options",
    [
        {"unknown": 1},
        {"timeoutMs": 999},
        {"timeoutMs": 15001},
        {"timeoutMs": True},
        {"timeoutMs": "5000"},
        {"allowDomains": "example.com"},
        {"denyDomains": ["Example.COM"]},
        {"denyDomains": ["https://example.com"]},
        {"allowDomains": None},
    ],
    ids=repr,
)
def test_stored_option_that_is_no_longer_valid_stops_the_call(
    stage: Stage, provider: Provider, options: dict[str, Any]
) -> None:
    assert stage.failure(provider, options=options) == ("upstream_failure", "bad_shape")
    assert stage.sent == []


@every_provider
def test_stored_config_with_another_member_stops_the_call(stage: Stage, provider: Provider) -> None:
    config = {**sample_config(provider), "other": "x"}
    assert stage.failure(provider, config=config) == ("upstream_failure", "bad_shape")
    assert stage.sent == []


@pytest.mark.parametrize(
    ("slug", "config"),
    [
        ("searxng", {}),
        ("searxng", {"baseUrl": "https://user:pw@searxng.example.com"}),
        ("searxng", {"baseUrl": "https://searxng.example.com/"}),
        ("searxng", {"baseUrl": "https://searxng.example.com", "language": "english"}),
        ("google", {}),
        ("google", {"cx": "a b"}),
    ],
)
def test_stored_config_that_is_no_longer_valid_stops_the_call(stage: Stage, slug: str, config: dict[str, str]) -> None:
    assert stage.failure(PROVIDERS[slug], config=config) == ("upstream_failure", "bad_shape")
    assert stage.sent == []


def test_timeout_option_ends_the_call(stage: Stage) -> None:
    stage.upstream.reply(200, json=tavily_body(1), delay=30)
    tavily = PROVIDERS["tavily"]
    snapshot = ConnectionSnapshot(
        Target(stage.upstream.url, Reach.LOOPBACK), {}, sample_secrets(tavily), {"timeoutMs": 1000}
    )
    started = time.monotonic()
    with pytest.raises(SearchFailure) as caught:
        runtime.search(tavily, CONTEXT, snapshot, SearchQuery("x", limit=1), stage.egress)
    assert caught.value.code == "upstream_failure"
    assert 0.9 <= time.monotonic() - started < 5


MIXED = [
    "https://example.com/",
    "https://docs.example.com/a",
    "https://notexample.com/",
    "https://EXAMPLE.com./b",
    "https://bücher.example/",
    "https://other.test:8443/x",
    "http://[2001:db8::1]/",
    "http://192.0.2.7/",
]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, MIXED),
        ({"allowDomains": []}, MIXED),
        ({"allowDomains": ["example.com"]}, [MIXED[0], MIXED[1], MIXED[3]]),
        ({"allowDomains": ["docs.example.com"]}, [MIXED[1]]),
        ({"denyDomains": ["example.com"]}, [MIXED[2], MIXED[4], MIXED[5], MIXED[6], MIXED[7]]),
        ({"allowDomains": ["example.com"], "denyDomains": ["docs.example.com"]}, [MIXED[0], MIXED[3]]),
        ({"allowDomains": ["xn--bcher-kva.example"]}, [MIXED[4]]),
        ({"allowDomains": ["other.test", "192.0.2.7"]}, [MIXED[5], MIXED[7]]),
        ({"denyDomains": ["example"]}, [MIXED[0], MIXED[1], MIXED[2], MIXED[3], MIXED[5], MIXED[6], MIXED[7]]),
    ],
)
def test_domain_rules(stage: Stage, options: dict[str, Any], kept: list[str]) -> None:
    body = {"results": [{"url": url} for url in MIXED]}
    answer = stage.play(
        PROVIDERS["tavily"], body=body, options=options, query=SearchQuery("x", limit=10, max_results=20)
    )
    assert [item.url for item in answer.results] == kept
    assert answer.dropped == ({"domain_rule": len(MIXED) - len(kept)} if len(kept) < len(MIXED) else {})


@every_provider
def test_domain_rules_hold_for_every_engine(stage: Stage, provider: Provider) -> None:
    everything = stage.play(provider, body=ok_body(provider)).results
    hosts = sorted({item.url.split("/")[2] for item in everything})
    answer = stage.play(provider, body=ok_body(provider), options={"denyDomains": hosts})
    assert answer.results == ()
    answer = stage.play(provider, body=ok_body(provider), options={"allowDomains": hosts})
    assert answer.results == everything
