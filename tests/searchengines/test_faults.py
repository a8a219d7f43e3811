"""Every provider in `ALL` through every fault; an engine is covered by being listed."""

import json
from typing import Any

import pytest

from searchengines.contract import Incoming, Outgoing, Provider, SearchQuery
from searchengines.errors import SearchFailure
from searchengines.providers import ALL
from tests.searchengines.stage import KEY, PROVIDERS, Stage, ok_body

every_provider = pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)

STATUSES = (204, 301, 302, 307, 400, 401, 402, 403, 404, 418, 422, 429, 432, 433, 500, 502, 503)
OWN_MEANING = {
    ("searxng", 403): "json_disabled",
    ("tavily", 432): "quota_exhausted",
    ("tavily", 433): "quota_exhausted",
    ("exa", 402): "quota_exhausted",
}

NOT_JSON = {
    "html": b"<!doctype html><title>sign in</title>",
    "empty": b"",
    "blank": b"  \n",
    "truncated": b'{"results": [{"url": "https://a.exa',
    "nan": b'{"results": [{"score": NaN}]}',
    "infinity": b'{"results": [{"score": -Infinity}]}',
    "deep": b"[" * 200_000,
    "deep object": b'{"a":' * 100_000,
    "huge integer": b'{"results": ' + b"9" * 5000 + b"}",
    "not utf-8": b'{"results": "\xff\xfe"}',
    "utf-16": '{"results": []}'.encode("utf-16"),
    "two documents": b"{} {}",
    "single quotes": b"{'results': []}",
}

WRONG_TOP_LEVEL = [None, True, 3, 1.5, "text", [], [{"results": []}], {}, {"unrelated": 1}]

# Where each engine keeps its list of entries.
LIST_AT = {
    "searxng": ("results",),
    "brave": ("web", "results"),
    "tavily": ("results",),
    "serper": ("organic",),
    "staan": ("web", "results"),
    "google": ("items",),
    "searchapi": ("organic_results",),
    "duckduckgo": ("RelatedTopics",),
    "exa": ("results",),
}


def with_list(provider: Provider, value: Any) -> Any:
    body: Any = value
    for name in reversed(LIST_AT[provider.slug]):
        body = {name: body}
    return body


def expected_for_status(provider: Provider, status: int) -> tuple[str, str | None]:
    if status == 429:
        return "rate_limited", None
    reason = OWN_MEANING.get((provider.slug, status))
    if reason is None and 300 <= status < 400:
        reason = "redirected"
    if reason is None and status in (401, 403) and provider.secret_fields:
        reason = "credentials_rejected"
    return "upstream_failure", reason or "bad_status"


@every_provider
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("body", [b"", b"<h1>Sorry</h1>", b'{"error": {"code": 5}, "message": [1]}'], ids=len)
def test_status(stage: Stage, provider: Provider, status: int, body: bytes) -> None:
    headers = {"location": "https://other.example/"} if 300 <= status < 400 else {}
    if status == 204:
        body = b""
    found = stage.failure(provider, status=status, headers=headers, body=body)
    assert found == expected_for_status(provider, status)
    assert len(stage.sent) == 1


@every_provider
@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_body_that_is_not_json(stage: Stage, provider: Provider, body: bytes) -> None:
    assert stage.failure(provider, body=body) == ("upstream_failure", "not_json")
    assert len(stage.sent) == 1


@every_provider
@pytest.mark.parametrize("body", WRONG_TOP_LEVEL, ids=repr)
def test_body_that_is_not_this_providers(stage: Stage, provider: Provider, body: Any) -> None:
    encoded = json.dumps(body).encode()
    assert stage.failure(provider, body=encoded) == ("upstream_failure", "bad_shape")


@every_provider
@pytest.mark.parametrize("value", [True, 3, "text", {}, {"0": {"url": "https://a.example/"}}], ids=repr)
def test_list_of_another_type(stage: Stage, provider: Provider, value: Any) -> None:
    assert stage.failure(provider, body=with_list(provider, value)) == ("upstream_failure", "bad_shape")


@every_provider
def test_null_list_is_empty(stage: Stage, provider: Provider) -> None:
    assert stage.play(provider, body=with_list(provider, None)).results == ()


@every_provider
def test_malformed_entries_are_left_out_and_the_others_stay(stage: Stage, provider: Provider) -> None:
    body = ok_body(provider)
    entries = body
    for name in LIST_AT[provider.slug]:
        entries = entries[name]
    good = stage.play(provider, body=body).results
    entries[:] = [None, 3, "https://text.example/", [], {}, {"url": {}, "link": [], "FirstURL": 5}, *entries]
    answer = stage.play(provider, body=body)
    assert answer.results == good
    assert good
    assert sum(answer.dropped.values()) >= 6


@every_provider
@pytest.mark.parametrize("value", [None, True, 3, 1e400, "\ud83d\x00\u202e", [], {}, [[]], {"a": {}}], ids=ascii)
def test_members_of_any_type(stage: Stage, provider: Provider, value: Any) -> None:
    body = ok_body(provider)
    entries = body
    for name in LIST_AT[provider.slug]:
        entries = entries[name]
    for entry in entries:
        for name in entry:
            if name not in ("url", "link", "FirstURL", "Topics"):
                entry[name] = value
    answer = stage.play(provider, body=json.dumps(body).replace("Infinity", "1e400").encode())
    assert answer.results
    for result in answer.results:
        result.title.encode()
        result.snippet.encode()
        assert result.published_date is None or result.published_date.endswith("Z")


@every_provider
def test_byte_order_mark_is_skipped(stage: Stage, provider: Provider) -> None:
    plain = json.dumps(ok_body(provider)).encode()
    assert stage.play(provider, body=b"\xef\xbb\xbf" + plain).results == stage.play(provider, body=plain).results


@every_provider
def test_answer_of_more_than_a_mebibyte(stage: Stage, provider: Provider) -> None:
    body = {**ok_body(provider), "padding": "x" * (1 << 20)}
    # On loopback the reason is masked: callers must not map the network that we stand in.
    assert stage.failure(provider, body=body)[0] == "upstream_failure"


@every_provider
@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0", 1),
        ("999999999999", 86400),
        ("soon", None),
        ("-5", None),
        ("Mon, 02 Mar 2020 08:15:00 GMT", 1),
        ("Mon, 02 Mar 9999 08:15:00 -2359", 86400),
        ("Mon, 02 Mar 2026 08:15:00 +99999999999999", None),
        ("Mon, 02 Mar 99999 08:15:00 GMT", None),
    ],
)
def test_rate_limit_says_when(stage: Stage, provider: Provider, header: str, seconds: int | None) -> None:
    with pytest.raises(SearchFailure) as caught:
        stage.play(provider, status=429, headers={"retry-after": header}, body={})
    assert (caught.value.code, caught.value.retry_after) == ("rate_limited", seconds)


@every_provider
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_a_failure_carries_nothing_of_the_providers(stage: Stage, provider: Provider, status: int) -> None:
    with pytest.raises(SearchFailure) as caught:
        stage.play(provider, status=status, body={"message": "provider words", "error": {"message": "provider words"}})
    # Digits of a time may happen to be those of a status.
    members = {name: value for name, value in vars(caught.value).items() if name != "upstream_seconds"}
    shown = f"{caught.value!s} {caught.value!r} {caught.value.__cause__!r} {members!r}"
    assert caught.value.__context__ is None
    assert "provider words" not in shown
    assert KEY not in shown
    assert "key=" not in shown
    assert str(status) not in shown


@every_provider
@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_failure_does_not_carry_the_body_that_was_no_json(stage: Stage, provider: Provider, status: int) -> None:
    with pytest.raises(SearchFailure) as caught:
        stage.play(provider, status=status, body=b"<html>provider words")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_no_repr_shows_what_is_searched_for_or_what_came_back() -> None:
    shown = [
        SearchQuery("canary words", limit=5),
        Outgoing("GET", "/search", params=(("q", "canary words"),), json={"q": "canary words"}),
        Incoming(200, {"x-words": "canary words"}, b"canary words"),
    ]
    assert "canary" not in repr(shown)


@every_provider
def test_key_refusal_is_marked(stage: Stage, provider: Provider) -> None:
    with pytest.raises(SearchFailure) as caught:
        stage.play(provider, status=401, body={})
    assert caught.value.key_refused is bool(provider.secret_fields)


@every_provider
def test_a_failure_carries_the_time_that_was_waited(stage: Stage, provider: Provider) -> None:
    for answer in ({"status": 500, "body": {}}, {"body": b"no json"}):
        with pytest.raises(SearchFailure) as caught:
            stage.play(provider, **answer)
        assert 0 < caught.value.upstream_seconds < 5


def test_a_failure_before_anything_is_sent_waited_for_nobody(stage: Stage) -> None:
    with pytest.raises(SearchFailure) as caught:
        stage.play(PROVIDERS["brave"], secrets={})
    assert (caught.value.code, caught.value.upstream_seconds, stage.sent) == ("provider_auth_unavailable", 0.0, [])


@every_provider
def test_an_agent_never_gets_more_than_its_limit(stage: Stage, provider: Provider) -> None:
    answer = stage.play(provider, body=ok_body(provider), query=SearchQuery("x", limit=1))
    assert len(answer.results) == 1
    assert answer.dropped["over_limit"] >= 1
    assert answer.upstream_seconds > 0
