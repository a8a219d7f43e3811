"""What providers say in their own words: keys refused, plans used up, nothing found. And words no one expected."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchengines.contract import ConnectionSnapshot, Provider, Target
from searchengines.errors import SearchFailure
from searchengines.normalise import answer_text, normalise
from searchengines.providers import ALL
from tests.searchengines.stage import PROVIDERS, Stage, ok_body, sample_config, sample_secrets

KEY, QUOTA, STATUS, SHAPE = "credentials_rejected", "quota_exhausted", "bad_status", "bad_shape"

FAILURES = [
    ("brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, KEY),
    ("brave", 422, {"errors": [{"code": "SUBSCRIPTION_TOKEN_INVALID"}]}, KEY),
    ("brave", 422, {"error": {"code": "VALIDATION"}}, STATUS),
    ("brave", 422, {"error": "SUBSCRIPTION_TOKEN_INVALID"}, STATUS),
    ("brave", 422, {"errors": []}, STATUS),
    ("brave", 404, {"error": {"code": "SUBSCRIPTION_NOT_FOUND"}}, KEY),
    ("brave", 404, {"error": {"code": "OTHER"}}, STATUS),
    ("tavily", 401, {"detail": "Unauthorized"}, KEY),
    ("tavily", 400, {"detail": {"error": "Query is too long."}}, STATUS),
    ("tavily", 433, {"detail": {"error": "limit"}}, QUOTA),
    ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, QUOTA),
    ("serper", 400, {"message": "Missing query parameter", "statusCode": 400}, STATUS),
    ("serper", 400, {"message": ["credits"]}, STATUS),
    ("staan", 400, {"code": "INVALID_CREDENTIALS"}, KEY),
    ("staan", 400, {"message": ["count must be equal to 10"]}, STATUS),
    ("google", 400, {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, KEY),
    ("google", 400, {"error": {"errors": [{"reason": "keyInvalid"}]}}, KEY),
    ("google", 400, {"error": {"errors": [{"reason": "badRequest"}]}}, STATUS),
    ("google", 400, {"error": {"details": "API_KEY_INVALID"}}, STATUS),
    ("google", 403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}]}}, QUOTA),
    ("google", 403, {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}, QUOTA),
    ("google", 403, {"error": {"errors": [{"reason": "accessNotConfigured"}]}}, KEY),
    ("searchapi", 200, {"error": "Invalid API key."}, KEY),
    ("searchapi", 200, {"error": "account has no searches left"}, QUOTA),
    ("searchapi", 200, {"error": "Your plan is used up"}, QUOTA),
    ("searchapi", 200, {"error": "Unsupported engine"}, STATUS),
    ("searchapi", 200, {"error": {"message": "x"}}, STATUS),
    ("searchapi", 200, {"search_metadata": {"status": "Error"}}, STATUS),
    ("exa", 402, {"tag": "NO_MORE_CREDITS"}, QUOTA),
    ("exa", 403, {"tag": "TEAM_BUDGET_EXCEEDED"}, QUOTA),
    ("exa", 403, {"tag": "FORBIDDEN"}, KEY),
    ("exa", 400, {"error": "x-api-key header is invalid"}, KEY),
    ("exa", 400, {"error": "numResults too large", "tag": "INVALID_REQUEST_BODY"}, STATUS),
    ("duckduckgo", 401, {}, STATUS),
    ("duckduckgo", 403, {}, STATUS),
    ("searxng", 401, {}, STATUS),
    ("searxng", 200, {"error": "x"}, SHAPE),
    ("serper", 200, {"message": "Unauthorized.", "statusCode": 403}, SHAPE),
    ("google", 200, {"error": {"code": 403}}, SHAPE),
    ("brave", 200, {"web": []}, SHAPE),
]


@pytest.mark.parametrize(("slug", "status", "body", "reason"), FAILURES)
def test_failure_in_the_providers_words(stage: Stage, slug: str, status: int, body: Any, reason: str) -> None:
    assert stage.failure(PROVIDERS[slug], status=status, body=body) == ("upstream_failure", reason)
    assert len(stage.sent) == 1


EMPTY = [
    ("searchapi", {"error": "Google didn't return any results."}),
    ("searchapi", {"error": "Bing didn’t return any results."}),
    ("searchapi", {"search_metadata": {"status": "Success"}}),
    ("serper", {"searchParameters": {}}),
    ("google", {"kind": "customsearch#search"}),
    ("google", {"items": [{"title": "", "link": "", "snippet": ""}]}),
    ("brave", {"type": "search"}),
    ("brave", {"type": "search", "web": {}}),
    ("duckduckgo", {"AbstractURL": "", "RelatedTopics": []}),
    ("searxng", {"results": []}),
    ("searxng", {"results": [], "unresponsive_engines": None}),
]


@pytest.mark.parametrize(("slug", "body"), EMPTY)
def test_nothing_found_is_an_answer(stage: Stage, slug: str, body: Any) -> None:
    answer = stage.play(PROVIDERS[slug], body=body)
    assert (answer.results, answer.answer) == ((), None)


def test_results_beside_an_error_are_results(stage: Stage) -> None:
    body = {"error": "partial", "organic_results": [{"link": "https://a.example/", "title": "A"}]}
    assert [item.url for item in stage.play(PROVIDERS["searchapi"], body=body).results] == ["https://a.example/"]


@pytest.mark.parametrize("status", [200, 202])
@pytest.mark.parametrize("body", [b"<form id=challenge-form></form>", b""])
def test_duckduckgo_challenge(stage: Stage, status: int, body: bytes) -> None:
    expected = ("rate_limited", None) if status == 202 else ("upstream_failure", "not_json")
    assert stage.failure(PROVIDERS["duckduckgo"], status=status, body=body) == expected


@pytest.mark.parametrize(
    ("slug", "body", "expected"),
    [
        ("tavily", {"results": [], "answer": "<b>Yes</b> &amp; no"}, "Yes & no"),
        ("tavily", {"results": [], "answer": None}, None),
        ("tavily", {"results": [], "answer": {"x": 1}}, None),
        ("searxng", {"results": [], "answers": ["old text"]}, "old text"),
        ("searxng", {"results": [], "answers": [{"url": "x"}, {"answer": " "}, {"answer": "second"}]}, "second"),
        ("searxng", {"results": [], "answers": "text"}, None),
        ("duckduckgo", {"Answer": "42", "AbstractText": "other"}, "42"),
        ("duckduckgo", {"Answer": {"result": ""}, "AbstractText": "abstract"}, "abstract"),
        ("duckduckgo", {"Answer": {"result": "6"}}, "6"),
        ("brave", {"type": "search", "answer": "not theirs"}, None),
    ],
)
def test_answer(stage: Stage, slug: str, body: Any, expected: str | None) -> None:
    assert stage.play(PROVIDERS[slug], body=body).answer == expected


def test_exa_snippet_without_highlights_prefers_the_text(stage: Stage) -> None:
    body = {"results": [{"url": "https://a.example/", "text": "whole", "highlights": ["part"], "summary": "sum"}]}
    exa = PROVIDERS["exa"]
    found = [stage.play(exa, body=body, options=options).results[0].snippet for options in ({}, {"highlights": False})]
    assert found == ["part", "whole"]


def test_serper_order_is_that_of_positions(stage: Stage) -> None:
    positions: list[Any] = [3, 1, "x", None, 2]
    body = {"organic": [{"link": f"https://{n}.example/", "position": p} for n, p in enumerate(positions)]}
    found = [item.url for item in stage.play(PROVIDERS["serper"], body=body).results]
    assert found == [f"https://{n}.example/" for n in (1, 4, 0, 2, 3)]


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a JSON value."""
    found = [here]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        found += paths(inner, (*here, name))
    return found


def replaced(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    body = copy.deepcopy(body)
    place = body
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return body


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.just("\ud83d<b>&"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_member_may_be_anything(provider: Provider, data: st.DataObject) -> None:
    body = ok_body(provider)
    path = data.draw(st.sampled_from(paths(body)))
    payload = replaced(body, path, data.draw(json_values))
    snapshot = ConnectionSnapshot(
        Target("https://x.example"), sample_config(provider), sample_secrets(provider), {"highlights": False}
    )
    try:
        parsed = provider.parse(payload, snapshot)
    except SearchFailure as failure:
        assert failure.code == "upstream_failure"
        return
    results, _ = normalise(parsed.results, 10)
    json.dumps([result.title + result.snippet + result.url for result in results]).encode("ascii")
    (answer_text(parsed.answer) or "").encode()


@pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)
@settings(max_examples=100, deadline=None)
@given(payload=json_values, status=st.sampled_from([200, 202, 400, 402, 403, 404, 422, 432]))
def test_error_bodies_may_be_anything(provider: Provider, payload: Any, status: int) -> None:
    for wrapped in (payload, {"error": payload}, {"errors": payload, "message": payload, "tag": payload}):
        failure = provider.failure(status, wrapped)
        assert failure is None or isinstance(failure, SearchFailure)
