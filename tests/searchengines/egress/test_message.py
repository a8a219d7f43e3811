"""Requests as they go on the wire, and secrets that cannot go there."""

import pytest

from searchengines.contract import Outgoing, Secret
from searchengines.egress import Egress
from searchengines.errors import Code, SearchFailure
from tests.searchengines.egress.calls import local, send
from tests.upstream import Upstream


def test_path_and_parameters_follow_the_base_url(gate: Egress, upstream: Upstream) -> None:
    params = (("q", "a b&c=d é \U0001f600 #?"), ("q", ""), ("key", Secret("s3cret+/=&")))
    send(gate, local(f"{upstream.url}/searxng"), Outgoing("GET", "/search", params=params))
    assert upstream.last.path == "/searxng/search"
    assert upstream.last.query == [("q", "a b&c=d é \U0001f600 #?"), ("q", ""), ("key", "s3cret+/=&")]


def test_a_lone_surrogate_is_sent_as_a_question_mark(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), Outgoing("GET", "/search", params=(("q", "a\ud83db"),)))
    assert upstream.last.query == [("q", "a?b")]
    send(gate, local(upstream.url), Outgoing("POST", "/search", json={"q": "a\ud83db"}))
    assert upstream.last.json == {"q": "a\ud83db"}


def test_an_empty_path_is_the_root(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), Outgoing("GET", "", params=(("q", "x"),)))
    assert (upstream.last.path, upstream.last.query) == ("/", [("q", "x")])


def test_an_adapters_header_replaces_the_default_of_any_case(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), Outgoing("GET", "/search", headers={"accept": "application/json"}))
    assert upstream.last.headers["accept"] == "application/json"


@pytest.mark.parametrize(
    "text",
    ["canary\r\nX: 1", "canary\n", " canary", "canary ", "canary\x00", "canary\x1b", "can\tary", "canaré", "ключ", ""],
)
@pytest.mark.parametrize("place", ["headers", "params"])
def test_a_secret_that_cannot_be_sent_is_not_sent_and_not_shown(
    gate: Egress, upstream: Upstream, text: str, place: str
) -> None:
    secret = Secret(text)
    outgoing = (
        Outgoing("GET", "/search", headers={"X-API-KEY": secret})
        if place == "headers"
        else Outgoing("GET", "/search", params=(("key", secret),))
    )
    with pytest.raises(SearchFailure) as caught:
        send(gate, local(upstream.url), outgoing)
    assert caught.value.code is Code.AUTH_UNAVAILABLE
    assert caught.value.reason is None
    assert caught.value.__context__ is None
    assert upstream.connections == 0
    assert gate.stats().in_flight == 0


@pytest.mark.parametrize(
    "outgoing",
    [
        Outgoing("GET", "/search", headers={"X-Other": "canary\r\nX: 1"}),
        Outgoing("GET", "/search", headers={"X-Other": "canar\u00e9"}),
        Outgoing("GET", "/canary\r\nX: 1"),
        Outgoing("GET", "/canary x"),
        Outgoing("GET", "canary"),
    ],
)
def test_a_request_that_is_not_http_is_our_fault_and_shows_nothing(
    gate: Egress, upstream: Upstream, outgoing: Outgoing
) -> None:
    with pytest.raises(ValueError) as caught:
        send(gate, local(upstream.url), outgoing)
    assert "canary" not in str(caught.value)
    assert upstream.connections == 0


@pytest.mark.parametrize(
    "outgoing",
    [
        Outgoing("GET", "/x", headers={"Authorization": Secret("Bearer canary-key"), "X-Other": "\r\n"}),
        Outgoing("GET", "/ x", params=(("key", Secret("canary-key")),)),
        Outgoing("GET", "/x", headers={"Authorization": Secret("canary-key\r\n")}),
        Outgoing("GET", "/x", params=(("key", Secret("canary-key\n")),)),
        Outgoing("POST", "/x", headers={"Authorization": Secret("Bearer canary-key")}, json={"n": float("nan")}),
    ],
)
def test_no_frame_of_the_error_has_the_secret_in_a_local(gate: Egress, upstream: Upstream, outgoing: Outgoing) -> None:
    with pytest.raises((ValueError, SearchFailure)) as caught:
        send(gate, local(upstream.url), outgoing)
    frames = [entry.frame.f_locals for entry in caught.traceback[1:]]
    assert len(frames) >= 2
    assert "canary-key" not in repr(frames)


def test_the_answer_has_lower_case_headers_and_joins_repeated_ones(gate: Egress, upstream: Upstream) -> None:
    upstream.reply(status=429, headers={"Retry-After": "7", "X-Many": "a\r\nx-many: b"}, json={"e": 1})
    incoming = send(gate, local(upstream.url))
    assert incoming.status == 429
    assert incoming.headers["retry-after"] == "7"
    assert incoming.headers["x-many"] == "a, b"
    assert incoming.body == b'{"e": 1}'
    assert "body" not in repr(incoming)
