import pytest

from apps.workspaces.api.parsing import MAX_BODY_BYTES, require_json, strict_loads
from apps.workspaces.api.rendering import to_json_bytes
from apps.workspaces.errors import Problem
from tests.workspaces.conftest import House, error, state


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"name": "a", "name": "b"}', "The body repeats a member of an object."),
        (b'{"name": {"x": 1, "x": 1}}', "The body repeats a member of an object."),
        (b'{"name": NaN}', "The body holds a number that JSON does not know."),
        (b'{"name": -Infinity}', "The body holds a number that JSON does not know."),
        (b'{"name": ' + b"9" * 5000 + b"}", "The body holds a number that is too long."),
        (b'{"name": 1e400}', "The body holds a number that is too large."),
        (b'{"name": -1e400}', "The body holds a number that is too large."),
        (b"[" * 30_000, "The body is nested more than 32 levels deep."),
        (b'{"a":' * 30_000, "The body is nested more than 32 levels deep."),
        (b"[" * 33 + b"]" * 33, "The body is nested more than 32 levels deep."),
        (b"\xef\xbb\xbf{}", "The body is not JSON in UTF-8."),
        (b'{"name": "\xff"}', "The body is not JSON in UTF-8."),
        (b'{"name": "\xed\xa0\x80"}', "The body is not JSON in UTF-8."),
        ('{"name": "a"}'.encode("utf-16"), "The body is not JSON in UTF-8."),
        (b"{'name': 1}", "The body is not JSON in UTF-8."),
        (b'{"name": 1} {}', "The body is not JSON in UTF-8."),
        (b'{"name": 1,}', "The body is not JSON in UTF-8."),
        (b'{"name": "a\nb"}', "The body is not JSON in UTF-8."),
        (b" ", "The body is not JSON in UTF-8."),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else "",
)
def test_malformed_bodies_are_refused_and_nothing_changes(house: House, body: bytes, message: str) -> None:
    before = state()
    response = house.owner.api.raw("POST", f"{house.path}/agents", body)
    assert (response.status_code, error(response)) == (400, {"code": "invalid_input", "message": message})
    assert state() == before


def test_what_json_allows_is_read() -> None:
    assert strict_loads(b"[" * 32 + b"]" * 32)
    assert strict_loads(b'{"a": [1, 2.5, true, null, "\xc3\xa9"]}') == {"a": [1, 2.5, True, None, "é"]}
    assert strict_loads(b"9" * 4300) == int("9" * 4300)
    assert strict_loads(b'"\\ud800"') == "\ud800"
    assert strict_loads(b'{"a": "' + b"[" * 100 + b'"}') == {"a": "[" * 100}
    assert strict_loads(b"[" + b"{}," * 40 + b"{}]") == [{}] * 41


def test_oversize_body_is_refused_at_the_limit(house: House) -> None:
    before = state()
    shell = len('{"name": ""}')
    fits = house.owner.api("POST", f"{house.path}/agents", {"name": "x" * (MAX_BODY_BYTES - shell)})
    assert (fits.status_code, error(fits)["fields"]) == (400, {"name": "Text of 1 to 100 characters, in one line."})
    over = house.owner.api("POST", f"{house.path}/agents", {"name": "x" * (MAX_BODY_BYTES - shell + 1)})
    assert (over.status_code, error(over)["code"]) == (413, "payload_too_large")
    assert state() == before


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
    ],
)
def test_other_content_types_are_refused(house: House, content_type: str) -> None:
    before = state()
    response = house.owner.api.raw("POST", f"{house.path}/agents", b'{"name": "a"}', content_type)
    assert (response.status_code, error(response)["code"]) == (415, "unsupported_media_type")
    assert state() == before


def test_charset_of_json_may_be_named() -> None:
    require_json("application/json")
    require_json('Application/JSON; Charset="UTF-8"')
    with pytest.raises(Problem):
        require_json("")


def test_lone_surrogates_are_written_as_replacement_characters() -> None:
    assert to_json_bytes({"a": "x\ud800y"}) == '{"a":"x\ufffdy"}'.encode()
    assert to_json_bytes({"a": "\ud83d\ude00"}) == '{"a":"😀"}'.encode()
    assert to_json_bytes(["é"]) == '["é"]'.encode()


@pytest.mark.parametrize("accept", ["image/png", "text/html", "*/*;q=0", "nonsense"])
def test_any_accept_header_gets_json(house: House, accept: str) -> None:
    response = house.owner.api("GET", "workspaces", Accept=accept)
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
