"""Spec A 4.2: entries of any kind become bounded plain results, or are left out."""

import math
import string
import time
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchengines.contract import DropReason, RawResult
from searchengines.dates import iso_utc
from searchengines.domains import DomainRules, canonical_domain
from searchengines.normalise import answer_text, normalise
from searchengines.queries import shortened
from searchengines.text import plain_text
from searchengines.urls import result_url


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("plain text", "plain text"),
        ("  two  blanks\tand\r\nlines  ", "two blanks and lines"),
        ("a\u00a0b\u2028c\u2029d\x85e\x0bf", "a b c d e f"),
        ("<strong>tidal</strong> <em>la</em>goon", "tidal lagoon"),
        ("<p>one</p><p>two</p>three<br/>four", "one two three four"),
        ("&amp; &lt;b&gt; &#x27;north&#39; &nbsp; &eacute;", "& <b> 'north' é"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("AT&T &unknown; R&D", "AT&T &unknown; R&D"),
        ("before<script>alert('<b>')</script>after", "before after"),
        ("before<STYLE type=x>p { }</style >after", "before after"),
        ("before<script>never closed <b>", "before"),
        ("a<!-- hidden <b> -->b", "ab"),
        ("a<!-- never closed", "a"),
        ("<!doctype html>a<?xml x?>b", "a b"),
        ("a < b > c and 1 <2", "a < b > c and 1 <2"),
        ("vector<int> and List<String>", "vector<int> and List<String>"),
        ("<x-y>custom</x-y> <blah onclick=1>x", "custom x"),
        ('<a href="https://a.example/">link</a>', "link"),
        ("<<b>>", "<>"),
        ("open <b", "open <b"),
        ("nul\x00 bell\x07 esc\x1b del\x7f c1\x9f", "nul bell esc del c1"),
        ("&#x202e;right&#8236; to &#0;left", "right to \ufffdleft"),
        ("lone \ud83d end \udc00", "lone end"),
        ("pair 🚢 and e\u0301 and 👩\u200d🚀", "pair 🚢 and e\u0301 and 👩\u200d🚀"),
        ("tag\U000e0041\U000e007f bom\ufeff iso\u2066late\u2069", "tag bom isolate"),
        ("", ""),
        (None, ""),
        (5, ""),
        ({"a": 1}, ""),
        (["text"], ""),
        (True, ""),
    ],
    ids=ascii,
)
def test_plain_text(given_text: Any, expected: str) -> None:
    assert plain_text(given_text, 100) == expected


def test_character_references_may_have_any_number_of_digits() -> None:
    # Python refuses to make a number of more than 4300 digits.
    text = "&#" + "0" * 5000 + "65;&#000000000066 &#" + "1" * 5000 + ";&#00000000;"
    assert plain_text(text, 100) == "AB \ufffd\ufffd"


def test_bounds_count_characters_and_cut_no_character() -> None:
    assert plain_text("🚢" * 700, 512) == "🚢" * 512
    assert plain_text("T" * 700, 512) == "T" * 512
    assert plain_text("ab " * 300, 512) == ("ab " * 300)[:512].strip()
    assert plain_text("&amp;" * 4096, 4096) == "&" * 4096


@pytest.mark.parametrize("start", ["", "<", "</", "<a ", "<!", "&#", "&#x", "<script>", "<style>", "<!--"])
@pytest.mark.parametrize(
    "unit",
    ["<script>", "<b", "<!--", "<", "&", "&#", "<a ", "</", "<style><!--", "<x-", "<b>", "<p>"]
    + ["a", "a-", " ", "1", "=", "&a", "<x >", "</style"],
)
def test_hostile_markup_takes_linear_time(start: str, unit: str) -> None:
    text = start + unit * ((1 << 16) // len(unit))
    before = time.thread_time()
    plain_text(text, 4096)
    # Linear work is some milliseconds of the processor; quadratic work would be half a minute.
    assert time.thread_time() - before < 1


GOOD_URLS = {
    "https://a.example/": "https://a.example/",
    "http://a.example": "http://a.example",
    "https://a.example/x#frag": "https://a.example/x",
    "https://a.example/x#": "https://a.example/x",
    "https://a.example/?q=1&r=%20#a#b": "https://a.example/?q=1&r=%20",
    "https://a.example?q=1": "https://a.example?q=1",
    "https://a.example/a/": "https://a.example/a/",
    "https://a.example/%7Euser/./..//b": "https://a.example/%7Euser/./..//b",
    "HTTPS://A.Example/Path": "https://A.Example/Path",
    "  https://a.example/ \n": "https://a.example/",
    "https://a.example/s/긴 제목": "https://a.example/s/긴%20제목",
    "https://a.example/a\u00a0b": "https://a.example/a%C2%A0b",
    'https://a.example/"<>`': "https://a.example/%22%3C%3E%60",
    "https://a.example:8443/x": "https://a.example:8443/x",
    "https://a.example.:443/": "https://a.example.:443/",
    "https://bücher.example/": "https://bücher.example/",
    "https://my_host/x": "https://my_host/x",
    "http://127.0.0.1/x": "http://127.0.0.1/x",
    "http://[2001:db8::1]:80/": "http://[2001:db8::1]:80/",
    "https://a.example/x@y:z": "https://a.example/x@y:z",
    "https://a.example/(x)[1]{2}|3": "https://a.example/(x)[1]{2}|3",
}
BAD_URLS = [
    (None, DropReason.NO_URL),
    ("", DropReason.NO_URL),
    ("   ", DropReason.NO_URL),
    ("#top", DropReason.NO_URL),
    (5, DropReason.MALFORMED),
    (True, DropReason.MALFORMED),
    ({}, DropReason.MALFORMED),
    (["https://a.example/"], DropReason.MALFORMED),
    ("javascript:alert(1)", DropReason.BAD_SCHEME),
    ("data:text/html,x", DropReason.BAD_SCHEME),
    ("ftp://a.example/", DropReason.BAD_SCHEME),
    ("mailto:a@example.test", DropReason.BAD_SCHEME),
    ("//a.example/", DropReason.BAD_SCHEME),
    ("/relative", DropReason.BAD_SCHEME),
    ("a.example/x", DropReason.BAD_SCHEME),
    ("java\nscript:alert(1)", DropReason.BAD_SCHEME),
    ("https:a.example", DropReason.BAD_URL),
    ("https:/a.example", DropReason.BAD_URL),
    ("https://", DropReason.BAD_URL),
    ("https:///path", DropReason.BAD_URL),
    ("https://?q", DropReason.BAD_URL),
    ("https://:80/", DropReason.BAD_URL),
    ("https://a..b/", DropReason.BAD_URL),
    ("https://-a.example/", DropReason.BAD_URL),
    ("https://a b.example/", DropReason.BAD_URL),
    ("https://a%20b.example/", DropReason.BAD_URL),
    ("https://user:pw@a.example/", DropReason.BAD_URL),
    ("https://user@a.example/", DropReason.BAD_URL),
    ("https://a.example\\@b.example/", DropReason.BAD_URL),
    ("https://a.example/x\ty", DropReason.BAD_URL),
    ("https://a.example/x\x00y", DropReason.BAD_URL),
    ("https://a.example/\ud83d", DropReason.BAD_URL),
    ("https://a.example/\u202egpj", DropReason.BAD_URL),
    ("https://a.example:99999/", DropReason.BAD_URL),
    ("https://a.example:x/", DropReason.BAD_URL),
    ("https://a.example:1:2/", DropReason.BAD_URL),
    ("https://[::1/", DropReason.BAD_URL),
    ("https://[::1]x/", DropReason.BAD_URL),
    ("https://[fe80::1%25eth0]/", DropReason.BAD_URL),
    ("https://1.2.3/", DropReason.BAD_URL),
    ("https://300.1.1.1/", DropReason.BAD_URL),
    ("https://0x7f000001/", DropReason.BAD_URL),
    ("https://0X7F.0.0.0x1/", DropReason.BAD_URL),
    ("https://a.0x/", DropReason.BAD_URL),
    ("https://" + "a" * 64 + ".example/", DropReason.BAD_URL),
    ("https://" + "a." * 125 + "example/", DropReason.BAD_URL),
    ("https://a.example/" + "x" * 9000, DropReason.BAD_URL),
]


@pytest.mark.parametrize(("url", "shown"), GOOD_URLS.items(), ids=ascii)
def test_good_url(url: str, shown: str) -> None:
    found = result_url(url)
    assert not isinstance(found, DropReason)
    assert found[0] == shown
    assert result_url(shown) == found


@pytest.mark.parametrize(("url", "reason"), BAD_URLS, ids=ascii)
def test_bad_url(url: Any, reason: DropReason) -> None:
    assert result_url(url) is reason


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2026-03-02T08:15:00", "2026-03-02T08:15:00Z"),
        ("2026-03-02T08:15:00.000Z", "2026-03-02T08:15:00Z"),
        ("2026-03-02 08:15:00+02:00", "2026-03-02T06:15:00Z"),
        ("2026-03-02T23:30:00-05:00", "2026-03-03T04:30:00Z"),
        ("2026-03-02", "2026-03-02T00:00:00Z"),
        (" 2026-03-02 ", "2026-03-02T00:00:00Z"),
        ("Mon, 02 Mar 2026 08:15:00 GMT", "2026-03-02T08:15:00Z"),
        ("Mon, 2 Mar 2026 08:15:00 +0100", "2026-03-02T07:15:00Z"),
        ("02 Mar 2026 08:15 UTC", "2026-03-02T08:15:00Z"),
        ("Mar 2, 2026", "2026-03-02T00:00:00Z"),
        ("March 2, 2026", "2026-03-02T00:00:00Z"),
        ("Sept. 2, 2026", "2026-09-02T00:00:00Z"),
        ("2 Mar 2026", "2026-03-02T00:00:00Z"),
        ("2 march 2026", "2026-03-02T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00+05:00", None),
        ("9999-12-31T23:59:59-05:00", None),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("31 Feb 2026", None),
        ("2 Foo 2026", None),
        ("2 Mar 2026 25:00:00 GMT", None),
        ("3 days ago", None),
        ("yesterday", None),
        ("20260302", None),
        ("02/03/2026", None),
        ("", None),
        ("٢ Mar 2026", None),
        (1772438400, None),
        (None, None),
        ([], None),
        ("2026-03-02" + " " * 100, None),
    ],
)
def test_date(date: Any, expected: str | None) -> None:
    assert iso_utc(date) == expected


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (0.5, 0.5),
        (3, 3.0),
        (0, 0.0),
        (-1.5, -1.5),
        (True, None),
        ("0.5", None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
        (None, None),
        ([], None),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_score(score: Any, expected: float | None) -> None:
    (result,), _ = normalise([RawResult("https://a.example/", score=score)], 5)
    assert result.score == expected
    assert result.score is None or type(result.score) is float


def test_filter_first_then_cut() -> None:
    entries = [
        RawResult(None),
        RawResult(False),
        RawResult("mailto:a@example.test"),
        RawResult("https://1.example/", "first"),
        RawResult("https://1.example/#x", "second"),
        RawResult("https://denied.example/"),
        RawResult("https://2.example/?a=1"),
        RawResult("https://2.example/?a=2"),
        RawResult("https://3.example/"),
        RawResult("not even looked at"),
    ]
    results, dropped = normalise(entries, 3, DomainRules.of([], ["denied.example"]))
    assert [result.url for result in results] == [
        "https://1.example/",
        "https://2.example/?a=1",
        "https://2.example/?a=2",
    ]
    assert results[0].title == "first"
    assert dropped == {
        "no_url": 1,
        "malformed": 1,
        "bad_scheme": 1,
        "duplicate": 1,
        "domain_rule": 1,
        "over_limit": 2,
    }


def test_entries_beyond_any_providers_number_are_not_read() -> None:
    entries = iter([RawResult("https://1.example/")] * 1000 + [RawResult("https://2.example/")] * 5)
    results, dropped = normalise(entries, 10)
    assert [result.url for result in results] == ["https://1.example/"]
    assert dropped == {"duplicate": 999}
    assert len(list(entries)) == 5


def test_missing_members_are_empty_text() -> None:
    (result,), _ = normalise([RawResult("https://a.example/")], 1)
    assert (result.title, result.snippet, result.score, result.published_date) == ("", "", None, None)


@pytest.mark.parametrize(
    ("answer", "expected"), [("<b>Yes</b>", "Yes"), ("", None), (" \n", None), (None, None), ({}, None)]
)
def test_answer_text(answer: Any, expected: str | None) -> None:
    assert answer_text(answer) == expected


@pytest.mark.parametrize(
    ("domain", "canonical"),
    [
        ("example.com", "example.com"),
        ("Example.COM.", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example.", "xn--bcher-kva.example"),
        ("日本。example", "xn--wgv71a.example"),
        ("localhost", "localhost"),
        ("192.0.2.7", "192.0.2.7"),
        ("my_host.example", "my_host.example"),
        ("", None),
        (".", None),
        ("*.example.com", None),
        ("https://example.com", None),
        ("example.com/path", None),
        ("example.com:80", None),
        ("a..b", None),
        ("-a.example", None),
        ("a b", None),
        ("1.2.3", None),
        ("0x7f000001", None),
        ("a.0xF.", None),
        ("0x7g", "0x7g"),
        ("[::1]", None),
        ("a" * 64 + ".example", None),
        ("a." * 130 + "b", None),
        ("\ud83d.example", None),
    ],
    ids=ascii,
)
def test_canonical_domain(domain: str, canonical: str | None) -> None:
    assert canonical_domain(domain) == canonical


@pytest.mark.parametrize(
    ("query", "characters", "words", "expected"),
    [
        ("a b c", None, None, "a b c"),
        ("a b c", 5, 3, "a b c"),
        ("a b c", 4, None, "a b"),
        ("a b c", 3, None, "a b"),
        ("a b c", None, 2, "a b"),
        ("a  b   c", None, 2, "a  b"),
        ("abcdef", 3, None, "abc"),
        ("abcdef gh", 6, None, "abcdef"),
        ("abcdef gh", 7, None, "abcdef"),
        ("🚢🚢 🚢🚢", 3, None, "🚢🚢"),
        ("a\u3000bcd", 3, None, "a"),
    ],
)
def test_shortened(query: str, characters: int | None, words: int | None, expected: str) -> None:
    assert shortened(query, characters, words) == expected


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
wild_text = st.text(st.sampled_from("<>/!-&;#xab =\"'\x00\u202e\ud83d \n") | st.characters(), max_size=60)
hosts = st.from_regex(r"\A[a-z]{1,3}(\.[a-z]{1,3}){0,2}\Z")
urls = st.builds(
    lambda scheme, host, tail: scheme + host + tail,
    st.sampled_from(["https://", "http://", "HTTP://", "//", "ftp://", "javascript:", ""]),
    hosts | wild_text,
    st.text(string.printable + "é日\u202e\ud83d", max_size=20),
)
entries_strategy = st.lists(
    st.builds(RawResult, anything | urls, anything | wild_text, anything | wild_text, anything, anything), max_size=8
)


@settings(max_examples=300, deadline=None)
@given(entries_strategy, st.integers(0, 6), st.lists(hosts, max_size=2), st.lists(hosts, max_size=2))
def test_whatever_comes_in_what_goes_out_is_bounded(
    entries: list[RawResult], limit: int, allow: list[str], deny: list[str]
) -> None:
    results, dropped = normalise(entries, limit, DomainRules.of(allow, deny))
    assert len(results) <= limit
    assert len(results) + sum(dropped.values()) == len(entries)
    assert len({result.url for result in results}) == len(results)
    for result in results:
        parts = urlsplit(result.url)
        assert parts.scheme in ("http", "https")
        assert parts.hostname
        assert "#" not in result.url
        assert parts.username is None
        for text in (result.url, result.title, result.snippet):
            text.encode()
            assert not any(ord(character) < 32 or character in "\x7f\u202e" for character in text)
        assert len(result.title) <= 512
        assert len(result.snippet) <= 4096
        assert result.score is None or math.isfinite(result.score)
        assert result.published_date is None or datetime.fromisoformat(result.published_date)


@settings(max_examples=300, deadline=None)
@given(wild_text)
def test_plain_text_is_one_line_and_stable_once_unescaped(text: str) -> None:
    shown = plain_text(text, 40)
    assert shown == shown.strip()
    assert len(shown) <= 40
    assert "  " not in shown
    if "<" not in shown and "&" not in shown:
        assert plain_text(shown, 40) == shown


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab \t🚢"), min_size=1, max_size=60), st.integers(1, 20), st.integers(1, 5))
def test_shortened_is_a_bounded_prefix(text: str, characters: int, words: int) -> None:
    query = text.strip() or "x"
    found = shortened(query, characters, words)
    assert query.startswith(found)
    assert 1 <= len(found) <= characters
    assert len(found.split()) <= words
