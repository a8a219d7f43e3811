"""Failures that people reported of tools like this one: those that an adapter or the runtime decides."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from searchengines.contract import Provider, SearchAnswer, SearchQuery
from searchengines.errors import InvalidValue, SearchFailure
from tests.searchengines.stage import KEY, PROVIDERS, Stage, sample_config

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/field-cases.json").read_text())}
# A connection reset, a silent server, an inflating body and a name that does not resolve belong to egress.
TRANSPORT = {"NW-01", "NW-07", "NW-10"}
ANSWERED = [name for name, case in CASES.items() if case["repro"]["kind"] == "upstream" and name not in TRANSPORT]
# Input that never reaches an engine is refused by the Definition's schema.
ASKED = ["QY-03", "QY-04", "QY-06", "QY-09", "QY-10", "QY-12", "MT-07"]


def expanded(value: Any) -> Any:
    """`$repeat: [s, n]` is s repeated n times."""
    if isinstance(value, dict):
        if "$repeat" in value:
            text, times = value["$repeat"]
            return text * times
        return {name: expanded(item) for name, item in value.items()}
    return [expanded(item) for item in value] if isinstance(value, list) else value


def body_of(repro: dict[str, Any]) -> Any:
    if "body_b64" in repro:
        return base64.b64decode(repro["body_b64"])
    return repro["body_text"].encode() if "body_text" in repro else expanded(repro.get("body", {}))


def asked(args: dict[str, Any]) -> SearchQuery:
    # What the Definition does before: trim, and give limit its default.
    return SearchQuery(expanded(args["query"]).strip(), limit=int(args.get("limit", 5)))


def statuses(repro: dict[str, Any]) -> list[int]:
    return [repro["status"], *(variant for variant in repro.get("variants", []) if isinstance(variant, int))]


@pytest.mark.parametrize("name", ANSWERED)
def test_answer(stage: Stage, name: str) -> None:
    repro = CASES[name]["repro"]
    provider = PROVIDERS[repro["app"]]
    for status in statuses(repro):
        reply = {"status": status, "headers": repro["headers"], "body": body_of(repro), "query": asked(repro["args"])}
        if "error" in repro["expect"]:
            with pytest.raises(SearchFailure) as caught:
                stage.play(provider, **reply)
            check_failure(caught.value, repro["expect"])
        else:
            check_answer(stage.play(provider, **reply), repro["expect"])
        assert len(stage.sent) == 1
        assert not set(stage.sent[0].headers) & {"x-forwarded-for", "x-real-ip"}


def check_failure(failure: SearchFailure, expect: dict[str, Any]) -> None:
    assert failure.code == expect["error"]
    if "admin_reason" in expect:
        assert failure.reason == expect["admin_reason"]
    shown = f"{failure!r} {failure!s} {vars(failure)!r}"
    assert KEY not in shown
    for text in expect.get("must_not_contain", []):
        assert text not in shown


def check_answer(answer: SearchAnswer, expect: dict[str, Any]) -> None:
    found = [{"url": item.url, "title": item.title, "snippet": item.snippet} for item in answer.results]
    known = {"results", "results_include", "rule", "count", "title_len", "snippet_len", "snippet_contains", "test"}
    assert set(expect) <= known
    if "results" in expect:
        assert found == expect["results"]
    assert len(found) == expect.get("count", len(found))
    assert set(expect.get("results_include", [])) <= {item["url"] for item in found}
    if "title_len" in expect:
        assert (len(found[0]["title"]), len(found[0]["snippet"])) == (expect["title_len"], expect["snippet_len"])
    assert expect.get("snippet_contains", "") in (found[0]["snippet"] if found else "")


def test_url_with_a_blank_is_encoded(stage: Stage) -> None:
    repro = CASES["RP-13"]["repro"]
    answer = stage.play(PROVIDERS["tavily"], body=repro["body"])
    assert [item.url for item in answer.results] == [
        "https://board.example.test/s/긴%20제목",
        "https://ok.example.test/",
    ]


@pytest.mark.parametrize("name", ASKED)
def test_question(stage: Stage, name: str) -> None:
    repro = CASES[name]["repro"]
    request = stage.request_for(PROVIDERS[repro["app"]], query=asked(repro["args"]))
    expect = repro["expect"]
    sent = dict(request.query)
    if "upstream_q" in expect:
        assert sent["q"] == expect["upstream_q"]
    if "upstream_other_params" in expect:
        assert sorted(set(sent) - {"q"}) == expect["upstream_other_params"]
    if "upstream_query" in expect:
        assert request.json["query"] == expect["upstream_query"]
    if "upstream_param" in expect:
        assert sent.items() >= expect["upstream_param"].items()
    if "request_body_keys_subset_of" in expect:
        assert set(request.json) <= set(expect["request_body_keys_subset_of"])
    if "effective_limit" in expect:
        assert sent["count"] == str(expect["effective_limit"])
    assert not {"null", "None", ""} & set(sent.values())


@pytest.mark.parametrize(
    ("slug", "query"), [("tavily", "ab " * 150), ("brave", "short " * 60), ("staan", "abcdefg " * 64)]
)
def test_qy_02_query_is_shortened_and_the_call_succeeds(stage: Stage, slug: str, query: str) -> None:
    empty = {"tavily": {"results": []}, "brave": {"web": None}, "staan": {"web": None}}[slug]
    assert stage.play(PROVIDERS[slug], body=empty, query=query.strip()).results == ()
    sent = stage.sent[0]
    text = sent.param("q") or sent.json.get("q") or sent.json["query"]
    assert len(text) <= 400
    assert query.startswith(text + " ")


@pytest.mark.parametrize(
    ("query", "sent"),
    [(":zh ferry times", "zh ferry times"), ("!images ferry", "images ferry"), ("!!g ferry", "g ferry")],
)
def test_qy_08_searxng_marks(stage: Stage, query: str, sent: str) -> None:
    assert stage.request_for(PROVIDERS["searxng"], query=query).param("q") == sent


def test_qy_08_redirect_to_another_engine_is_a_failure(stage: Stage) -> None:
    found = stage.failure(PROVIDERS["searxng"], status=302, headers={"location": "https://g.example/"}, body=b"")
    assert found == ("upstream_failure", "redirected")


def clean_put(provider: Provider, put: dict[str, Any]) -> dict[str, str]:
    fields = {item.name: item for item in provider.fields}
    given = {**put.get("config", {}), **put.get("credentials", {})}
    return {name: fields[name].clean(value) for name, value in given.items()}


def variants(repro: dict[str, Any], member: str, name: str) -> list[dict[str, Any]]:
    """The case's own PUT and one for each of its variants of that member."""
    return [repro["put"], *({member: {**repro["put"][member], name: value}} for value in repro.get("variants", []))]


def test_aq_10_only_ascii_keys() -> None:
    repro = CASES["AQ-10"]["repro"]
    for put in variants(repro, "credentials", "apiKey"):
        with pytest.raises(InvalidValue) as caught:
            clean_put(PROVIDERS[repro["app"]], put)
        assert "ASCII" in caught.value.message
        assert not any(text in caught.value.message for text in repro["expect"]["must_not_contain"])


@pytest.mark.parametrize("name", ["CF-03", "CF-12"])
def test_base_url_that_is_refused(name: str) -> None:
    repro = CASES[name]["repro"]
    with pytest.raises(InvalidValue) as caught:
        clean_put(PROVIDERS["searxng"], repro["put"])
    assert not any(text in caught.value.message for text in repro["expect"].get("must_not_contain", []))


def test_cf_01_search_is_appended_to_the_whole_path(stage: Stage) -> None:
    stored = [clean_put(PROVIDERS["searxng"], put) for put in variants(CASES["CF-01"]["repro"], "config", "baseUrl")]
    assert [item["baseUrl"] for item in stored] == [
        "https://www.example.test/searxng",
        "https://www.example.test/searxng",
        "https://www.example.test/a/b",
    ]
    request = stage.request_for(PROVIDERS["searxng"], path="/searxng")
    assert request.path == CASES["CF-01"]["repro"]["expect"]["request_path"]


def test_cf_04_one_trailing_search_is_dropped() -> None:
    stored = clean_put(PROVIDERS["searxng"], CASES["CF-04"]["repro"]["put"])
    assert stored == {"baseUrl": "http://machine.example.test:6385"}


@pytest.mark.parametrize("name", ["CF-09", "CF-10"])
def test_language_is_sent_as_it_was_set(stage: Stage, name: str) -> None:
    repro = CASES[name]["repro"]
    for put in variants(repro, "config", "language"):
        language = put["config"]["language"]
        request = stage.request_for(PROVIDERS["searxng"], config=clean_put(PROVIDERS["searxng"], put))
        assert request.param("language") == language
        assert request.param("lang") is None


def test_language_is_not_sent_when_it_was_not_set(stage: Stage) -> None:
    request = stage.request_for(PROVIDERS["searxng"], config=sample_config(PROVIDERS["searxng"]))
    assert request.param("language") is None


def test_cf_19_engine_id_out_of_an_address() -> None:
    repro = CASES["CF-19"]["repro"]
    assert clean_put(PROVIDERS["google"], repro["put"]) == {"cx": repro["expect"]["stored_or_400"]}
    for value in repro["variants_reject"]:
        with pytest.raises(InvalidValue):
            clean_put(PROVIDERS["google"], {"config": {"cx": value}})


def test_rp_27_refusal_is_an_error(stage: Stage) -> None:
    found = stage.failure(PROVIDERS["google"], status=403, body={"error": {"code": 403}})
    assert found == ("upstream_failure", "credentials_rejected")
