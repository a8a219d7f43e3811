"""Base URLs at save: accepted in one canonical form, or refused by a named rule."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests import Request

from searchengines.egress import canonical_base_url
from searchengines.errors import InvalidValue

CASES = json.loads((Path(__file__).parents[2] / "cases" / "base-urls.json").read_text())["cases"]
ACCEPTED = [(case["input"], case["canonical"]) for case in CASES if case["accept"]]
REFUSED = [(case["input"], case["reason"]) for case in CASES if not case["accept"]]


def refusal(value: object, *, allow_loopback: bool = True) -> InvalidValue:
    with pytest.raises(InvalidValue) as caught:
        canonical_base_url(value, allow_loopback=allow_loopback)
    return caught.value


def test_the_corpus_is_whole() -> None:
    assert (len(ACCEPTED), len(REFUSED)) == (20, 109)


@pytest.mark.parametrize(("value", "canonical"), ACCEPTED)
def test_accepted_urls_are_stored_in_their_canonical_form(value: str, canonical: str) -> None:
    assert canonical_base_url(value) == canonical
    assert canonical_base_url(canonical) == canonical


@pytest.mark.parametrize(("value", "rule"), REFUSED)
def test_refused_urls_name_the_rule_and_not_the_value(value: object, rule: str) -> None:
    refused = refusal(value)
    assert refused.rule == rule
    assert str(refused) == refused.message
    if isinstance(value, str) and len(value) > 8 and "search.example.org" not in value:
        assert value not in refused.message


def test_a_password_is_never_echoed() -> None:
    for value in ("http://admin:hunter2-canary@h.example", "http://h.example@x:hunter2-canary@y/", "x hunter2-canary"):
        assert "hunter2-canary" not in refusal(value).message


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ("http://searxng:8080/search", "http://searxng:8080"),
        ("http://searxng:8080/search/", "http://searxng:8080"),
        ("https://h.example/searxng/search", "https://h.example/searxng"),
        ("https://h.example/research", "https://h.example/research"),
    ],
)
def test_one_trailing_search_is_dropped(value: str, canonical: str) -> None:
    assert canonical_base_url(value) == canonical


def test_two_trailing_searches_are_refused() -> None:
    assert refusal("http://searxng:8080/search/search").rule == "path_segments"


@pytest.mark.parametrize("value", ["http://h.example/search?q=<query>", "http://h.example/search?q=%s&format=json"])
def test_query_templates_are_refused(value: str) -> None:
    assert refusal(value).rule in ("query", "forbidden_char")


@pytest.mark.parametrize(
    "value", ["http://127.0.0.1:8888", "http://127.9.9.9", "http://localhost", "http://a.localhost", "http://[::1]"]
)
def test_loopback_is_a_setting(value: str) -> None:
    assert canonical_base_url(value) == value
    assert refusal(value, allow_loopback=False).rule == "loopback"


def test_private_addresses_do_not_depend_on_the_loopback_setting() -> None:
    assert canonical_base_url("http://192.168.1.10", allow_loopback=False) == "http://192.168.1.10"


def test_too_long_is_refused() -> None:
    assert refusal("http://h.example/" + "a" * 2048).rule == "length"


hosts = st.from_regex(r"[A-Za-z0-9_]{1,8}(\.[A-Za-z0-9_-]{1,8}){0,2}", fullmatch=True) | st.sampled_from(
    ["127.0.0.1", "[::1]", "[FD00::1:0]", "localhost", "10.0.0.8", "xn--bcher-kva.example"]
)
urls = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    hosts,
    st.sampled_from(["", ":80", ":443", ":8080", ":0"]),
    st.from_regex(r"(/([a-z.~@:-]{0,4}|search)){0,3}", fullmatch=True),
)


@given(urls)
def test_canonical_forms_are_stable_and_unambiguous(value: str) -> None:
    try:
        canonical = canonical_base_url(value)
    except InvalidValue:
        return
    assert canonical_base_url(canonical) == canonical
    assert not canonical.endswith(("/", "/search"))
    # requests, which reads URLs with another parser, leaves it as it is.
    assert Request("GET", canonical + "/search").prepare().url == canonical + "/search"


@given(st.text() | st.text(alphabet="htps:/@[].%#?\\x0179 \t\n").map("http://".__add__))
def test_any_text_is_accepted_or_refused_but_never_an_accident(value: str) -> None:
    try:
        canonical = canonical_base_url(value)
    except InvalidValue:
        return
    assert canonical_base_url(canonical) == canonical
