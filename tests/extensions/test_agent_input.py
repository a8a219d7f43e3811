"""An agent's input at the exec route: what is refused, by which name, and what comes before it (spec A 4.1)."""

from typing import Any

from searchengines.providers import ALL
from tests.road import RESULT, Road
from tests.stored import code, fields, rows
from tests.workspaces.conftest import Caller

QUERY = "Text of 1 to 512 characters."
CLEAN = "Text without control characters and lone surrogates."
LIMIT = "A whole number from 1 to 10."
UNKNOWN = "Unknown member. Members taken here: query, limit."


def call(road: Road, body: Any) -> Any:
    return road.agent("POST", "exec/brave/search", body)


REFUSED: list[tuple[Any, dict[str, str]]] = [
    ({}, {"query": f"Required. {QUERY}"}),
    ({"limit": 5}, {"query": f"Required. {QUERY}"}),
    *[
        ({"query": value}, {"query": QUERY})
        for value in (None, 5, True, ["x"], {"text": "x"}, ["\ud800"], {"\ud800": 1})
    ],
    *[
        ({"query": value}, {"query": QUERY})
        for value in ("", "   ", "\t\n\r", "\u3000\u00a0\u2003", "x" * 513, "\U0001f6a2" * 513)
    ],
    *[
        ({"query": value}, {"query": CLEAN})
        for value in ("a\0b", "a\x1bb", "a\x7fb", "a\x85b", "a\ud800b", "a\udc00\ud800b")
    ],
    *[
        ({"query": "x", "limit": value}, {"limit": LIMIT})
        for value in (0, 11, -1, 5.5, "5", "05", "5 ", "five", "", True, False, None, [], {}, [5], 1e308, 10**400, 1e-5)
    ],
    ({"query": "x", "provider": "tavily"}, {"provider": UNKNOWN}),
    ({"query": "x", "": 1}, {"": UNKNOWN}),
    ({"query": "x", "\ud800": 1}, {"\ufffd": UNKNOWN}),
    ({"query": "x", "Query": "y", "max_results": 3}, {"Query": UNKNOWN, "max_results": UNKNOWN}),
    ({"q": "x"}, {"q": UNKNOWN, "query": f"Required. {QUERY}"}),
    ({"query": "", "limit": "5", "page": 1}, {"query": QUERY, "limit": LIMIT, "page": UNKNOWN}),
    ({"query": "x", "x" * 300: "a\0b"}, {"x" * 100: UNKNOWN}),
]


def test_input_that_is_not_taken_is_named_and_nothing_is_written_or_sent(desk: Road) -> None:
    desk.connect("brave")
    before = rows()
    for body, wrong in REFUSED:
        refused = call(desk, body)
        assert fields(refused) == wrong
        assert refused["Cache-Control"] == "no-store"
    assert rows() == before
    assert desk.upstream.requests == []


BODIES = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"5",
    b"{",
    b'{"query": "x",}',
    b"{'query': 'x'}",
    b'{"query": "x"} {}',
    b'{"query": "x", "query": "y"}',
    b'{"query": "x", "limit": NaN}',
    b'{"query": "x", "limit": Infinity}',
    b'{"query": "x", "limit": -Infinity}',
    b'{"query": "x", "limit": 1e400}',
    b'{"query": "x", "limit": ' + b"1" * 5000 + b"}",
    b'{"query": "\xff\xfe"}',
    b'\xef\xbb\xbf{"query": "x"}',
    b"[" * 30_000,
    b'{"query": ' * 10_000,
    b'{"query": "x", "extra": ' + b"[" * 40 + b"]" * 40 + b"}",
]


def test_a_body_that_is_not_json_of_ours_is_invalid_input(desk: Road) -> None:
    desk.connect("brave")
    before = rows()
    for body in BODIES:
        refused = desk.agent.raw("POST", "exec/brave/search", body)
        assert code(refused) == (400, "invalid_input"), body[:60]
    assert rows() == before
    assert desk.upstream.requests == []


def test_bodies_of_other_kinds_and_sizes(desk: Road) -> None:
    desk.connect("brave")
    before = rows()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        refused = desk.agent.raw("POST", "exec/brave/search", b'{"query": "x"}', kind)
        assert code(refused) == (415, "unsupported_media_type"), kind
    large = b'{"query": "' + b"x" * 300_000 + b'"}'
    assert code(desk.agent.raw("POST", "exec/brave/search", large)) == (413, "payload_too_large")
    assert code(desk.agent("GET", "exec/brave/search")) == (405, "method_not_allowed")
    assert rows() == before
    assert desk.upstream.requests == []


def test_input_that_is_taken(road: Road) -> None:
    road.connect("exa")
    boat, words = "\U0001f6a2", "ferry\ttimes\r\nnorth"
    for query, sent in [
        ("x", "x"),
        ("  ferry times \n", "ferry times"),
        (words, "ferry times  north"),
        (boat * 512, boat * 512),
        (f" {boat * 512} ", boat * 512),
        ("e\u0301 \u202eabc\u200b", "e\u0301 \u202eabc\u200b"),
        ('C# & R+ "50%" café ? a=b', 'C# & R+ "50%" café ? a=b'),
    ]:
        assert road.agent("POST", "exec/exa/search", {"query": query}).json() == {"results": [RESULT]}
        assert road.upstream.last.json["query"] == sent
    for limit, asked in [({}, 5), ({"limit": 1}, 1), ({"limit": 1.0}, 1), ({"limit": 10}, 10), ({"limit": 1e1}, 10)]:
        assert road.search("exa", **limit).status_code == 200
        assert road.upstream.last.json["numResults"] == asked


def test_512_characters_beyond_the_basic_plane_reach_every_provider(road: Road) -> None:
    for number, provider in enumerate(ALL, 1):
        road.connect(provider.slug)
        assert road.search(provider.slug, query="\U0001f6a2" * 512).json() == {"results": [RESULT]}
        assert len(road.upstream.requests) == number


def test_checks_run_in_the_order_token_catalog_input_connection(road: Road) -> None:
    bad = {"query": ""}
    installation_id = road.install("brave")
    for token in (None, "ata_unknown", "nonsense"):
        assert code(Caller(token)("POST", "exec/brave/search", bad)) == (401, "unauthenticated")
    assert code(road.house.owner.api("POST", "exec/brave/search", bad)) == (403, "permission_denied")
    # Installed and not connected: not in the catalog, whatever the input.
    assert code(call(road, bad)) == (404, "extension_not_found")
    # Secret missing: connected, so that the input comes first.
    road.house.admin.api(
        "PUT", road.connection_path(installation_id), {"credentials": {"apiKey": "${vault://local/X}"}}
    )
    assert code(call(road, bad)) == (400, "invalid_input")
    assert code(call(road, {"query": "x"})) == (424, "provider_auth_unavailable")
    assert code(road.agent("POST", "exec/brave/delete", bad)) == (404, "extension_not_found")
    assert code(road.agent("POST", "exec/tavily/search", bad)) == (404, "extension_not_found")
    assert code(road.agent.raw("POST", "exec/tavily/search", b"{")) == (404, "extension_not_found")
    assert road.upstream.requests == []


def test_there_is_no_alias_and_no_near_match(desk: Road) -> None:
    desk.connect("brave")
    for name in ("web-search", "BRAVE", "brave ", "app_brave_search", "%00", "..", "bräve", "x" * 300):
        assert desk.agent("POST", f"exec/{name}/search", {"query": "x"}).status_code == 404
    assert desk.upstream.requests == []
