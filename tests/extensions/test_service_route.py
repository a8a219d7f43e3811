"""The services' route: specification B's normalised response for every engine, strict input, named Extensions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.marketplace.models import Connection
from apps.workspaces.services.tokens import issue_service_token
from searchengines.knowledge_base import KnowledgeBase
from searchengines.providers import ALL
from tests.road import ANSWERS, KEY, RESULT, SNIPPET, TITLE, URL, Road
from tests.stored import code, fields, rows
from tests.workspaces.conftest import OPERATOR, Caller, build_house

SLUGS = [provider.slug for provider in ALL]
DATE = "2026-03-02T08:15:00Z"
SECOND = "https://quay.example/"

# Two results of each provider: the first with everything that the provider can say, the second with the address only.
RICH: dict[str, Any] = {
    "searxng": {
        "results": [
            {"url": URL, "title": TITLE, "content": SNIPPET, "score": 3.0, "publishedDate": "2026-03-02T08:15:00"},
            {"url": SECOND, "score": None, "publishedDate": None},
        ],
        "answers": [{"answer": "Hourly.", "url": None}],
    },
    "brave": {
        "web": {
            "results": [
                {"url": URL, "title": TITLE, "description": SNIPPET, "page_age": "2026-03-02T08:15:00"},
                {"url": SECOND},
            ]
        }
    },
    "tavily": {
        "answer": "Hourly.",
        "results": [
            {
                "url": URL,
                "title": TITLE,
                "content": SNIPPET,
                "score": 0.91,
                "published_date": "Mon, 02 Mar 2026 08:15:00 GMT",
            },
            {"url": SECOND},
        ],
    },
    "serper": {
        "organic": [
            {"link": URL, "title": TITLE, "snippet": SNIPPET, "date": "2026-03-02T08:15:00Z"},
            {"link": SECOND, "date": "2 hours ago"},
        ]
    },
    "staan": {
        "web": {
            "results": [
                {"url": URL, "title": TITLE, "snippet": SNIPPET, "published_date": "2026-03-02T10:15:00+02:00"},
                {"url": SECOND, "published_date": ""},
            ]
        }
    },
    "google": {"items": [{"link": URL, "title": TITLE, "snippet": SNIPPET}, {"link": SECOND}]},
    "searchapi": {
        "organic_results": [
            {"link": URL, "title": TITLE, "snippet": SNIPPET, "date": "2026-03-02T08:15:00Z"},
            {"link": SECOND, "date": "soon"},
        ]
    },
    "duckduckgo": {
        "AbstractURL": URL,
        "Heading": TITLE,
        "AbstractText": SNIPPET,
        "Answer": {"result": "Hourly."},
        "RelatedTopics": [{"FirstURL": SECOND, "Text": ""}],
    },
    "exa": {
        "results": [
            {"url": URL, "title": TITLE, "highlights": [SNIPPET], "score": 0.43, "publishedDate": DATE},
            {"url": SECOND, "title": None, "score": None, "publishedDate": None},
        ]
    },
}
SCORES = {"searxng": 3.0, "tavily": 0.91, "exa": 0.43}
ANSWERING = {"searxng", "tavily", "duckduckgo"}
DATED = set(SLUGS) - {"google", "duckduckgo"}


def normalised(slug: str) -> dict[str, Any]:
    first: dict[str, Any] = {"title": TITLE, "url": URL, "snippet": SNIPPET}
    if slug in SCORES:
        first["score"] = SCORES[slug]
    if slug in DATED:
        first["published_date"] = DATE
    shown: dict[str, Any] = {"provider": slug, "query": "ferry times"}
    if slug in ANSWERING:
        shown["answer"] = "Hourly."
    return {**shown, "results": [first, {"title": "", "url": SECOND, "snippet": ""}]}


def search(caller: Caller, slug: str, query: Any = "ferry times", **members: Any) -> Any:
    return caller("POST", f"search-engines/{slug}/search", {"query": query, **members})


@pytest.mark.parametrize("slug", SLUGS)
def test_the_normalised_response_and_the_agents_answer_of_the_same_payload(road: Road, slug: str) -> None:
    road.connect(slug)
    road.upstream.reply(json=RICH[slug])
    service = road.service(slug)
    found = search(service, slug, query="  ferry times\n")
    assert (found.status_code, found.json()) == (200, normalised(slug))
    assert list(found.json()) == list(normalised(slug))
    assert found["Cache-Control"] == "no-store"
    agent = road.search(slug)
    assert agent.json() == {"results": [RESULT, {"url": SECOND, "title": "", "snippet": ""}]}
    road.upstream.reply(json=ANSWERS[slug])
    plain = search(service, slug).json()
    assert plain["results"] == [{"title": TITLE, "url": URL, "snippet": SNIPPET}]
    recorded = [(row.caller, row.code, row.results) for row in road.executions()]
    assert recorded == [("service", "ok", 2), ("agent", "ok", 2), ("service", "ok", 1)]


@pytest.mark.parametrize(("slug", "option"), [("tavily", {"includeAnswer": True}), ("exa", {"text": True})])
def test_the_agents_answer_does_not_change_by_a_byte(road: Road, slug: str, option: dict[str, Any]) -> None:
    installation_id = road.connect(slug)
    before = road.search(slug).content
    road.set_options(installation_id, option)
    road.upstream.reply(json={**ANSWERS[slug], "answer": "Hourly.", "answers": ["Hourly."]})
    assert road.search(slug).content == before


def test_searxng_answers_were_strings_before(road: Road) -> None:
    road.connect("searxng")
    service = road.service("searxng")
    for answers, shown in [(["Hourly."], "Hourly."), ([{"answer": ""}, "<b>Two</b>"], "Two"), ([], None), (None, None)]:
        road.upstream.reply(json={**ANSWERS["searxng"], "answers": answers})
        assert search(service, "searxng").json().get("answer") == shown
        assert ("answer" in search(service, "searxng").json()) == (shown is not None)


# What a provider is asked for: (where, name).
COUNTS = {
    "brave": ("query", "count"),
    "tavily": ("json", "max_results"),
    "serper": ("json", "num"),
    "google": ("query", "num"),
    "searchapi": ("query", "num"),
    "exa": ("json", "numResults"),
}
DEFAULTS = {"brave": 10, "tavily": 5, "serper": 10, "google": 10, "searchapi": 10, "exa": 10}
RANGES = {
    "brave": (1, 20),
    "tavily": (0, 20),
    "serper": (1, 100),
    "google": (1, 10),
    "searchapi": (1, 100),
    "exa": (1, 100),
}


def asked(road: Road, slug: str) -> int:
    where, name = COUNTS[slug]
    sent = road.upstream.last
    return int(sent.param(name) or -1) if where == "query" else sent.json[name]


@pytest.mark.parametrize("slug", list(COUNTS))
def test_how_many_are_asked_for(road: Road, slug: str) -> None:
    installation_id = road.connect(slug)
    service = road.service(slug)
    lowest, highest = RANGES[slug]
    for given, wanted in [
        ({}, DEFAULTS[slug]),
        ({"max_results": 3}, 3),
        ({"max_results": 3.0}, 3),
        ({"max_results": 100}, highest),
        ({"max_results": 0}, lowest),
    ]:
        assert search(service, slug, **given).status_code == 200
        assert asked(road, slug) == wanted
    stored = {"tavily": {"maxResults": 7}, "exa": {"numResults": 7}}.get(slug)
    if stored is not None:
        road.set_options(installation_id, stored)
        search(service, slug)
        assert asked(road, slug) == 7
        search(service, slug, max_results=4)
        assert asked(road, slug) == 4


@pytest.mark.parametrize("slug", ["searxng", "staan", "duckduckgo"])
def test_engines_that_take_no_count_are_cut_here(road: Road, slug: str) -> None:
    road.connect(slug)
    road.upstream.reply(json=RICH[slug])
    service = road.service(slug)
    assert [len(search(service, slug, max_results=n).json()["results"]) for n in (1, 2, 100)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("members", "wrong"),
    [
        *[
            ({"max_results": value}, {"max_results"})
            for value in (-1, 101, 1.5, "5", True, None, [], {}, 1e308, -1e308, 10**400, 5e-324)
        ],
        ({"query": ""}, {"query"}),
        ({"query": " \t\n"}, {"query"}),
        ({"query": None}, {"query"}),
        ({"query": ["x"]}, {"query"}),
        ({"query": "x" * 513}, {"query"}),
        ({"query": "a\0b"}, {"query"}),
        ({"query": "a\ud800b"}, {"query"}),
        ({"min_score": 0.5}, {"min_score"}),
        ({"limit": 5}, {"limit"}),
        ({"provider": "tavily", "maxResults": 5}, {"provider", "maxResults"}),
    ],
)
def test_input_that_is_not_taken_is_named(desk: Road, members: dict[str, Any], wrong: set[str]) -> None:
    desk.connect("brave")
    service = desk.service("brave")
    before = rows()
    assert set(fields(search(service, "brave", **members))) == wrong
    assert rows() == before
    assert desk.upstream.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'"x"',
        b'{"query": "x", "query": "y"}',
        b'{"query": "x", "max_results": NaN}',
        b'{"query": "x", "max_results": Infinity}',
        b'{"query": "x", "max_results": 1e400}',
        b'{"query": "x", "min_score": -Infinity}',
        b'{"query": "\xff"}',
        b"[" * 30_000,
        b'{"query": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_body_that_is_not_json_of_ours_is_invalid_input(desk: Road, body: bytes) -> None:
    desk.connect("brave")
    service = desk.service("brave")
    before = rows()
    refused = service.raw("POST", "search-engines/brave/search", body)
    assert code(refused) == (400, "invalid_input")
    assert rows() == before
    assert desk.upstream.requests == []


def test_a_lowest_score_is_bounded_where_it_is_taken() -> None:
    from apps.workspaces.errors import Problem
    from extensions.service_input import validate

    engine = KnowledgeBase()
    for value in (0, 0.5, 1, 1.0):
        assert validate({"query": "x", "min_score": value}, engine).min_score == value
    for value in (-0.1, 1.1, True, "0.5", None, float("nan"), float("inf"), 10**400):
        with pytest.raises(Problem) as refused:
            validate({"query": "x", "min_score": value}, engine)
        assert refused.value.fields is not None
        assert set(refused.value.fields) == {"min_score"}
    for value in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(Problem):
            validate({"query": "x", "max_results": value}, engine)


def test_a_token_is_limited_to_the_extensions_that_it_names(road: Road) -> None:
    road.connect("brave")
    road.connect("tavily")
    service = road.service("brave")
    road.upstream.reply(json=ANSWERS["brave"])
    assert search(service, "brave").status_code == 200
    asked_before, before = len(road.upstream.requests), rows()
    for name in ("tavily", "serper", "web-search", "BRAVE", "brave%20", "app_brave_search"):
        assert code(search(service, name)) == (404, "extension_not_found")
        # The catalog comes before the input.
        assert code(search(service, name, query="")) == (404, "extension_not_found")
    assert rows() == before
    assert len(road.upstream.requests) == asked_before


def test_kinds_of_tokens_are_kept_apart(road: Road) -> None:
    road.connect("brave")
    service = road.service("brave")
    before = rows()
    assert code(search(Caller(None), "brave")) == (401, "unauthenticated")
    for unknown in ("ats_unknown", "ata_unknown", "nonsense", service.token[:-1] if service.token else ""):
        assert code(search(Caller(unknown), "brave")) == (401, "unauthenticated")
    assert code(search(road.agent, "brave")) == (403, "permission_denied")
    assert code(search(road.house.owner.api, "brave")) == (403, "permission_denied")
    assert code(service("POST", "exec/brave/search", {"query": "x"})) == (403, "permission_denied")
    assert code(service("GET", "exec")) == (403, "permission_denied")
    assert code(service("GET", road.house.path)) == (403, "permission_denied")
    assert rows() == before
    assert road.upstream.requests == []


def test_a_token_ends_when_it_is_revoked_or_expires(road: Road) -> None:
    road.connect("brave")
    ids = [token["id"] for token in road.house.admin.api("GET", f"{road.house.path}/service-tokens").json()["items"]]
    assert ids == []
    service = road.service("brave")
    (token,) = road.house.admin.api("GET", f"{road.house.path}/service-tokens").json()["items"]
    assert search(service, "brave").status_code == 200
    assert road.house.admin.api("DELETE", f"{road.house.path}/service-tokens/{token['id']}").status_code == 204
    assert code(search(service, "brave")) == (401, "unauthenticated")
    issued = issue_service_token(
        road.house.workspace.id,
        OPERATOR,
        name="brief",
        extensions=["brave"],
        expires_at=datetime.now(UTC) + timedelta(hours=1),
    )
    assert search(Caller(issued.text), "brave").status_code == 200
    issued.row.expires_at = datetime.now(UTC) - timedelta(seconds=1)
    issued.row.save()
    assert code(search(Caller(issued.text), "brave")) == (401, "unauthenticated")


def test_another_workspaces_token_finds_nothing(road: Road) -> None:
    road.connect("brave")
    other = build_house("lighthouse")
    foreign = Caller(issue_service_token(other.workspace.id, OPERATOR, name="indexer", extensions=["brave"]).text)
    assert code(search(foreign, "brave")) == (404, "extension_not_found")
    assert road.upstream.requests == []


def test_what_closes_the_engine_to_agents_closes_it_to_services(road: Road) -> None:
    installation_id = road.connect("brave")
    service = road.service("brave")
    extension = f"{road.house.path}/app-installations/{installation_id}/extension"
    road.house.admin.api("PATCH", extension, {"agentAccess": "selected"})
    assert search(service, "brave").status_code == 200
    road.house.admin.api("PATCH", extension, {"enabled": False})
    assert code(search(service, "brave")) == (404, "extension_not_found")
    road.house.admin.api("PATCH", extension, {"enabled": True})
    Connection.objects.create(installation_id=installation_id, external_subject_ref="second")
    assert code(search(service, "brave")) == (409, "connection_ambiguous")
    Connection.objects.all().delete()
    assert code(search(service, "brave")) == (404, "extension_not_found")
    assert len(road.upstream.requests) == 1


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({"status": 429, "headers": {"Retry-After": "9"}}, (429, "rate_limited")),
        ({"status": 401, "json": {"message": "provider-text"}}, (502, "upstream_failure")),
        ({"body": b"<html>provider-text"}, (502, "upstream_failure")),
    ],
)
def test_failures_have_a_code_and_nothing_of_the_providers(
    road: Road, reply: dict[str, Any], found: tuple[int, str]
) -> None:
    road.connect("brave")
    road.upstream.reply(**reply)
    failed = search(road.service("brave"), "brave")
    assert code(failed) == found
    assert failed.json()["error"].get("retryAfter") == (9 if found[0] == 429 else None)
    assert "reason" not in failed.json()["error"]
    assert "provider-text" not in failed.content.decode()
    assert KEY not in failed.content.decode()
    assert len(road.upstream.requests) == 1


def test_trailing_results_are_dropped_until_the_answer_fits(road: Road, settings: Any) -> None:
    road.connect("tavily")
    results = [{"url": f"https://{n}.example/", "title": "T", "content": "é" * 300, "score": 0.5} for n in range(8)]
    road.upstream.reply(json={"answer": "Hourly.", "results": results})
    service = road.service("tavily")
    whole = search(service, "tavily", max_results=8)
    settings.EXTENSION_MAX_RESPONSE_BYTES = len(whole.content) - 1
    cut = search(service, "tavily", max_results=8)
    assert cut.json() == {**whole.json(), "results": whole.json()["results"][:7]}
    settings.EXTENSION_MAX_RESPONSE_BYTES = len(whole.content)
    assert search(service, "tavily", max_results=8).content == whole.content
