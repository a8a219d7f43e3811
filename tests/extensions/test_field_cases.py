"""Failures that people reported of tools like this one, played at the routes; and where each other one is played."""

import base64
import itertools
import json
import re
import socket
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection as database

from apps.marketplace.models import AgentAuthorization
from tests.hostile import CUT, Hostile
from tests.road import ANSWERS, KEY, RESULT, Road
from tests.security.logs import everything_logged
from tests.stored import bytes_of, code, fields, rows
from tests.upstream import Reply, Request, Upstream
from tests.workspaces.conftest import Caller, build_house

ROOT = Path(__file__).parents[1]
CASES = {case["id"]: case["repro"] for case in json.loads((ROOT / "cases/field-cases.json").read_text())}

# Cases of the transport, with its own deadlines and servers.
TRANSPORT = {"NW-01", "NW-07", "NW-10"}
ANSWERED = {name: case for name, case in CASES.items() if case["kind"] == "upstream" and name not in TRANSPORT}
CONFIGURED = {name for name, case in CASES.items() if case["kind"] == "config" and name != "NW-09"}
ASKED = {name for name, case in CASES.items() if case["kind"] == "agent_input"} - {"RG-09"}

# Where the cases are played that this file does not play.
ELSEWHERE = {
    "NW-01": "searchengines/egress/test_deadlines.py::test_every_stall_ends_at_the_real_deadline",
    "NW-10": "searchengines/egress/test_budgets.py::test_what_never_ends_is_refused_at_once",
    "SE-04": "security/test_key_loss.py::test_a_stored_key_that_no_header_takes_is_refused_without_being_shown",
    "SE-09": "security/test_key_loss.py::test_config_can_change_without_the_key_and_the_credential_survives_it",
    "SE-10": "security/test_key_loss.py::test_one_damaged_row_closes_one_connection",
    "SE-12": "security/test_key_loss.py::test_a_write_under_another_key_touches_its_own_row_alone",
    "SE-13": "marketplace/test_envelope.py::test_an_envelope_of_the_first_release_opens",
    "SE-15": "security/test_key_loss.py::test_a_restore_without_its_key_is_mended_by_entering_keys_again",
    "SE-06": "marketplace/test_connections.py::test_an_omitted_credential_stays_and_is_used",
    "SE-07": "marketplace/test_connections.py::test_an_empty_credential_is_refused_and_the_old_one_still_used",
    "PE-01": "marketplace/test_connections.py::test_only_owners_and_admins_of_the_workspace_may",
    "MI-01": "marketplace/test_migrations_road.py::test_configured_workspaces_work_again_without_a_key_being_entered",
    "MI-03": "marketplace/test_migrations.py",
    "MI-04": "marketplace/test_migrations.py::test_engines_are_introduced_by_data_and_every_step_has_a_way_back",
    "MT-01": "agents/test_declarations.py::test_gemini_is_spared_what_it_refuses",
    "MT-03": "agents/test_declarations.py::test_schemas_are_flat",
    "MT-12": "agents/test_declarations.py::test_every_registered_tool_has_a_name_that_models_take",
    "MT-13": "agents/test_mcp_protocol.py::test_a_tool_that_is_not_there",
    "MT-15": "agents/test_cli.py::test_lists_describes_and_runs",
    "RG-01": "knowledge/test_reembedding.py::test_old_vectors_answer_then_new_ones",
    "RG-03": "knowledge/test_search.py::test_reported_cases_of_vectors",
    "RG-04": "knowledge/test_search.py::test_reported_cases_of_vectors",
    "RG-06": "knowledge/test_search.py::test_reported_cases_of_vectors",
    "RG-07": "knowledge/test_search.py::test_reported_cases_of_vectors",
    "RG-08": "knowledge/test_search.py::test_passages_of_one_document_all_stay",
    "RG-09": "knowledge/test_search.py::test_a_blank_query_is_refused_before_anything_is_embedded",
}


def test_every_case_is_played_here_or_elsewhere() -> None:
    here = Path(__file__).read_text()
    played = {name.upper().replace("_", "-") for name in re.findall(r"def test_([a-z]{2}_\d\d)", here)}
    assert set(CASES) == set(ANSWERED) | CONFIGURED | ASKED | played | set(ELSEWHERE)
    assert not played & set(ELSEWHERE)
    assert [name for name in CONFIGURED | ASKED if name not in here and name not in played] == []
    for place in ELSEWHERE.values():
        file, _, test = place.partition("::")
        assert f"def {test}" in (ROOT / file).read_text(), place


def expanded(value: Any) -> Any:
    """`$repeat: [s, n]` is s repeated n times."""
    if isinstance(value, dict):
        if "$repeat" in value:
            text, times = value["$repeat"]
            return text * times
        return {name: expanded(item) for name, item in value.items()}
    return [expanded(item) for item in value] if isinstance(value, list) else value


def play(upstream: Upstream, case: dict[str, Any], status: int) -> None:
    """Let the server answer as the case says."""
    if "body_b64" in case:
        body = base64.b64decode(case["body_b64"])
    else:
        body = (case["body_text"] if "body_text" in case else json.dumps(expanded(case.get("body", {})))).encode()
    upstream.reply(status, case["headers"], body=body)


@pytest.mark.parametrize("slug", sorted({case["app"] for case in ANSWERED.values()}))
def test_answers_of_one_provider(road: Road, slug: str) -> None:
    """All cases of kind upstream, with their other statuses; each sends one request, to the provider alone."""
    installation_id = road.connect(slug)
    with everything_logged() as logged:
        for name, case in ((name, case) for name, case in ANSWERED.items() if case["app"] == slug):
            variants = [variant for variant in case.get("variants", []) if isinstance(variant, int)]
            for status in [case["status"], *variants]:
                road.upstream.requests.clear()
                play(road.upstream, case, status)
                called = road.agent("POST", f"exec/{slug}/search", case["args"])
                assert len(road.upstream.requests) == 1, name
                assert not {"x-forwarded-for", "x-real-ip"} & set(road.upstream.last.headers), name
                tested = road.test(installation_id)
                assert len(road.upstream.requests) == 2, name
                check(name, case["expect"], called, tested)
                shown = called.content.decode() + tested.content.decode() + logged.getvalue()
                keys = {KEY, "key="} if slug == "google" else {KEY}
                for text in keys | {*case["expect"].get("must_not_contain", [])}:
                    if text != "<saved key>" and not text.isdigit():
                        assert text not in shown, name
                    assert text not in called.content.decode(), name


def check(name: str, expect: dict[str, Any], called: Any, tested: Any) -> None:
    if "error" in expect:
        assert called.json()["error"]["code"] == tested.json()["error"]["code"] == expect["error"], name
        assert "reason" not in called.json()["error"], name
        assert tested.json()["error"].get("reason") == expect.get("admin_reason", tested.json()["error"].get("reason"))
        return
    assert (called.status_code, tested.json()) == (200, {"ok": True}), name
    results = called.json()["results"]
    assert results == expect.get("results", results), name
    assert len(results) == expect.get("count", len(results)), name
    assert set(expect.get("results_include", [])) <= {found["url"] for found in results}, name
    if "title_len" in expect:
        assert (len(results[0]["title"]), len(results[0]["snippet"])) == (expect["title_len"], expect["snippet_len"])
    if "snippet_contains" in expect:
        assert expect["snippet_contains"] in results[0]["snippet"], name


def test_rp_27_error_status_with_a_json_body(road: Road) -> None:
    installation_id = road.connect("google")
    road.upstream.reply(status=403, json={"error": {"code": 403, "message": "provider-text"}})
    assert code(road.search("google")) == (502, "upstream_failure")
    assert road.test(installation_id).json()["error"]["reason"] == "credentials_rejected"


def test_nw_07_answer_that_breaks_off(road: Road) -> None:
    installation_id = road.install("searxng")
    with Hostile(CUT["half then reset"]) as hostile:
        body = {"config": {"baseUrl": hostile.url}}
        assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
        assert code(road.search("searxng")) == (502, "upstream_failure")
        assert code(road.test(installation_id)) == (502, "upstream_failure")
    road.connect("brave")
    assert road.search("brave").json() == {"results": [RESULT]}


# --- configuration


def put(road: Road, slug: str, body: dict[str, Any]) -> Any:
    """Save on a fresh installation."""
    return road.house.admin.api("PUT", road.connection_path(road.install(slug)), body)


def test_aq_10_keys_are_ascii(desk: Road) -> None:
    case = CASES["AQ-10"]
    installation_id = desk.install("tavily")
    before = rows()
    for key in [case["put"]["credentials"]["apiKey"], *case["variants"]]:
        body = {"credentials": {"apiKey": key}}
        refused = desk.house.admin.api("PUT", desk.connection_path(installation_id), body)
        assert "ASCII" in fields(refused)[case["expect"]["field"]]
        assert not any(text in refused.content.decode() for text in case["expect"]["must_not_contain"])
    assert rows() == before


def test_cf_01_search_is_appended_to_the_whole_path(road: Road) -> None:
    case = CASES["CF-01"]
    installation_id = road.connect("searxng")
    for given in [case["put"]["config"]["baseUrl"], *case["variants"]]:
        path = given.removeprefix("https://www.example.test")
        body = {"config": {"baseUrl": road.upstream.url + path}}
        saved = road.house.admin.api("PUT", road.connection_path(installation_id), body)
        assert saved.json()["config"]["baseUrl"] == road.upstream.url + path.rstrip("/")
        assert road.search("searxng").status_code == 200
        assert road.upstream.last.path == path.rstrip("/") + "/search"
    assert road.upstream.requests[0].path == case["expect"]["request_path"]


@pytest.mark.parametrize("name", ["CF-03", "CF-12"])
def test_base_urls_that_are_refused(desk: Road, name: str) -> None:
    installation_id = desk.install("searxng")
    before = rows()
    refused = desk.house.admin.api("PUT", desk.connection_path(installation_id), CASES[name]["put"])
    assert set(fields(refused)) == {"config.baseUrl"}
    assert not any(text in refused.content.decode() for text in ["pw0000", "demo:", "<query>"])
    assert rows() == before


def test_cf_04_one_trailing_search_is_dropped(desk: Road) -> None:
    saved = put(desk, "searxng", CASES["CF-04"]["put"])
    assert saved.json()["config"] == {"baseUrl": "http://machine.example.test:6385"}


@pytest.mark.parametrize("name", ["CF-09", "CF-10"])
def test_language_is_sent_as_it_was_set(road: Road, name: str) -> None:
    case = CASES[name]
    installation_id = road.connect("searxng")
    road.search("searxng")
    assert road.upstream.last.param("language") is None
    for language in [case["put"]["config"]["language"], *case.get("variants", [])]:
        body = {"config": {"baseUrl": road.upstream.url, "language": language}}
        assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
        road.search("searxng")
        assert road.upstream.last.param("language") == language
        assert road.upstream.last.param("lang") is None


def test_cf_19_engine_id_out_of_an_address(desk: Road) -> None:
    case = CASES["CF-19"]
    credentials = {"credentials": {"apiKey": KEY}}
    saved = put(desk, "google", {**case["put"], **credentials})
    assert saved.json()["config"] == {"cx": case["expect"]["stored_or_400"]}
    installation_id = desk.house.admin.api("GET", f"{desk.house.path}/app-installations").json()["items"][0]["id"]
    before = rows()
    for cx in case["variants_reject"]:
        body = {"config": {"cx": cx}, **credentials}
        assert set(fields(desk.house.admin.api("PUT", desk.connection_path(installation_id), body))) == {"config.cx"}
    assert rows() == before


def test_nw_09_host_that_is_not_there(road: Road) -> None:
    saved = put(road, "searxng", CASES["NW-09"]["put"])
    assert saved.status_code == 200
    assert code(road.search("searxng")) == (502, CASES["NW-09"]["expect"]["error"])


# --- what agents ask


def test_input_that_is_refused(desk: Road) -> None:
    """QY-01, QY-02 (513 characters), QY-07, QY-09, MT-06, MT-07, MT-09, MT-10."""
    for slug in ("searxng", "tavily", "serper", "google", "brave"):
        desk.connect(slug)
    given: list[tuple[str, dict[str, Any], set[str]]] = [
        *[("searxng", args, {"query"}) for args in [CASES["QY-01"]["args"], *CASES["QY-01"]["variants"]]],
        ("tavily", {"query": "a" * 513}, {"query"}),
        ("serper", CASES["QY-07"]["args"], {"query"}),
        ("serper", {"query": "abc\ud800def"}, {"query"}),
        *[("google", {"query": "x", "limit": item["limit"]}, {"limit"}) for item in CASES["QY-09"]["variants"]],
        *[("brave", {"query": "x", "limit": limit}, {"limit"}) for limit in ["5", *CASES["MT-06"]["variants"]]],
        *[("brave", {"query": "x", "limit": item["limit"]}, {"limit"}) for item in CASES["MT-07"]["variants"]],
        ("searxng", CASES["MT-09"]["args"], {"limit"}),
        ("brave", CASES["MT-10"]["args"], {"q", "query"}),
    ]
    before = rows()
    for slug, args, wrong in given:
        refused = desk.agent("POST", f"exec/{slug}/search", args)
        assert set(fields(refused)) == wrong, args
    assert "Required" in fields(desk.agent("POST", "exec/brave/search", CASES["MT-10"]["args"]))["query"]
    assert rows() == before
    assert desk.upstream.requests == []


def sent_for(road: Road, slug: str, args: dict[str, Any]) -> Request:
    """The one request of a call that succeeds."""
    before = len(road.upstream.requests)
    road.upstream.reply(json=ANSWERS[slug])
    called = road.agent("POST", f"exec/{slug}/search", expanded(args))
    assert (called.status_code, called.json()) == (200, {"results": [RESULT]})
    assert len(road.upstream.requests) == before + 1
    return road.upstream.last


def test_what_reaches_the_provider(road: Road) -> None:
    """QY-03, QY-04, QY-06, QY-08, QY-09, QY-10, QY-12, MT-07."""
    for slug in ("searxng", "tavily", "google", "brave"):
        road.connect(slug)
    for name in ("QY-03", "QY-06"):
        sent = sent_for(road, "searxng", CASES[name]["args"])
        assert sent.param("q") == CASES[name]["expect"]["upstream_q"]
        assert sorted(key for key, _ in sent.query if key != "q") == ["format"]
    for query, wanted in [
        (CASES["QY-08"]["args"]["query"], "zh ferry times"),
        ("!images ferry", "images ferry"),
        ("!!g ferry times", "g ferry times"),
    ]:
        assert sent_for(road, "searxng", {"query": query}).param("q") == wanted
    sent = sent_for(road, "tavily", CASES["QY-04"]["args"])
    assert sent.json["query"] == CASES["QY-04"]["expect"]["upstream_query"]
    sent = sent_for(road, "tavily", CASES["QY-10"]["args"])
    assert set(sent.json) <= set(CASES["QY-10"]["expect"]["request_body_keys_subset_of"])
    assert sent_for(road, "google", CASES["QY-09"]["args"]).param("num") == "10"
    assert sent_for(road, "brave", CASES["MT-07"]["args"]).param("count") == "5"
    sent = sent_for(road, "brave", CASES["QY-12"]["args"])
    assert sent.query == [("q", "x"), ("count", "5")]


def test_queries_are_shortened_at_a_word(road: Road) -> None:
    """QY-02."""
    road.connect("tavily")
    road.connect("brave")
    asked = expanded(CASES["QY-02"]["args"]["query"]).strip()
    sent = sent_for(road, "tavily", {"query": asked}).json["query"]
    assert len(sent) <= 400
    assert asked.startswith(f"{sent} ")
    sent = sent_for(road, "brave", {"query": "word " * 60}).param("q")
    assert sent == " ".join(["word"] * 50)


def test_qy_08_redirect_to_another_engine_is_a_failure(road: Road) -> None:
    road.connect("searxng")
    with Upstream() as other:
        road.upstream.reply(status=302, headers={"Location": other.url})
        assert code(road.search("searxng", query="!!g ferry times")) == (502, "upstream_failure")
        assert other.requests == []


# --- sequences


def test_aq_07_without_a_connection_there_is_no_extension(road: Road) -> None:
    road.install("brave")
    assert code(road.search("brave")) == (404, CASES["AQ-07"]["expect"]["error"])
    assert road.upstream.requests == []


def test_aq_09_test_and_call_are_the_same_request(road: Road) -> None:
    installation_id = road.connect("brave")

    def accept(request: Request) -> Reply:
        known = request.headers.get("x-subscription-token") == KEY
        return Reply(json=ANSWERS["brave"]) if known else Reply(401)

    road.upstream.reply_with(accept)
    assert road.test(installation_id).json() == {"ok": True}
    assert road.search("brave").json() == {"results": [RESULT]}
    tested, called = road.upstream.requests
    assert (tested.method, tested.path, tested.headers) == (called.method, called.path, called.headers)


def test_cf_13_certificate_that_nobody_trusts(road: Road, tls_upstream: Upstream) -> None:
    installation_id = road.install("searxng")
    body = {"config": {"baseUrl": tls_upstream.url}}
    assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
    tested, called = road.test(installation_id), road.search("searxng")
    assert code(tested) == code(called) == (502, CASES["CF-13"]["expect"]["error"])
    shown = (tested.content + called.content).decode()
    assert not any(text in shown for text in CASES["CF-13"]["expect"]["must_not_contain"])
    assert tls_upstream.requests == []


def test_cf_15_saved_connection_is_what_is_used(road: Road) -> None:
    road.connect("searxng")
    with Upstream() as moved:
        moved.reply(json=ANSWERS["searxng"])
        (installation,) = road.house.admin.api("GET", f"{road.house.path}/app-installations").json()["items"]
        body = {"config": {"baseUrl": moved.url}}
        road.house.admin.api("PUT", road.connection_path(installation["id"]), body)
        assert road.search("searxng").json() == {"results": [RESULT]}
        assert (len(moved.requests), len(road.upstream.requests)) == (1, 0)


def test_cf_16_change_holds_at_once_for_everybody(road: Road) -> None:
    def elsewhere() -> Any:
        """Another thread, with a database connection of its own."""

        def call() -> Any:
            try:
                return road.search("brave")
            finally:
                database.close()

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(call).result()

    installation_id = road.connect("brave")
    assert elsewhere().status_code == 200
    road.house.admin.api("DELETE", road.connection_path(installation_id))
    assert code(elsewhere()) == (404, "extension_not_found")
    road.house.admin.api("PUT", road.connection_path(installation_id), road.connection_body("brave"))
    assert elsewhere().status_code == 200


def test_nw_06_idle_socket_that_the_server_closed(road: Road) -> None:
    road.connect("brave")
    assert road.search("brave").status_code == 200
    road.upstream.close_connections()
    assert road.search("brave").json() == {"results": [RESULT]}
    assert [request.connection for request in road.upstream.requests] == [1, 2]


def test_rl_06_no_other_app_is_asked(road: Road) -> None:
    road.connect("searxng")
    road.connect("brave")
    road.upstream.reply(status=429, match=lambda request: "x-subscription-token" in request.headers)
    assert code(road.search("brave")) == (429, CASES["RL-06"]["expect"]["error"])
    assert [request.path for request in road.upstream.requests] == ["/res/v1/web/search"]


def test_se_03_key_in_a_query_string_is_nowhere(road: Road, settings: Any, capfd: pytest.CaptureFixture[str]) -> None:
    installation_id = road.connect("google")
    with socket.socket() as closed, everything_logged() as logged:
        closed.bind(("127.0.0.1", 0))
        settings.AGENTTEAM_SEARCH_ORIGINS = {"google": f"http://127.0.0.1:{closed.getsockname()[1]}"}
        called, tested = road.search("google"), road.test(installation_id)
    assert code(called) == code(tested) == (502, "upstream_failure")
    assert tested.json()["error"]["reason"] == "unreachable"
    activity = road.house.admin.api("GET", f"{road.house.path}/activity").content.decode()
    shown = (
        called.content.decode() + tested.content.decode() + activity + logged.getvalue() + "".join(capfd.readouterr())
    )
    assert KEY not in shown
    assert bytes_of(KEY) == []


def test_se_16_canary_is_in_no_answer(road: Road) -> None:
    installation_id = road.connect("brave")
    road.search("brave")
    road.test(installation_id)
    house = road.house
    paths = [
        "workspaces",
        house.path,
        *[f"{house.path}/{name}" for name in ("members", "agents", "service-tokens", "apps", "apps/brave", "secrets")],
        *[f"{house.path}/{name}" for name in ("app-requests", "app-installations", "activity")],
        *[
            f"{house.path}/app-installations/{installation_id}{name}"
            for name in ("", "/extension", "/search-engine-connection", "/search-engine-options")
        ],
        f"{house.path}/agents/{road.agent_row.id}/extensions/brave:explain",
        "exec",
        "exec/brave",
    ]
    callers = [house.owner.api, house.admin.api, house.member.api, road.agent, road.service("brave"), Caller(None)]
    answered: Counter[str] = Counter()
    for path, caller in itertools.product(paths, callers):
        response = caller("GET", path)
        answered[path] += response.status_code == 200
        assert KEY not in response.content.decode() + str(response.headers), path
    assert min(answered.values()) >= 1


def test_se_18_canary_is_in_no_row_and_no_file(
    road: Road, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    installation_id = road.connect("brave")
    road.search("brave")
    road.test(installation_id)
    assert bytes_of(KEY) == []
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                stored = [bytes(value) if isinstance(value, memoryview) else value for value in row]
                assert KEY not in repr(stored), table
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_pe_03_members_see_the_catalog_and_no_connection(road: Road) -> None:
    road.connect("brave")
    searxng = road.connect("searxng")
    path = f"{road.house.path}/agents/{road.agent_row.id}/extension-authorizations/searxng"
    road.house.admin.api("PUT", path, {"allowed": False})
    assert [entry["name"] for entry in road.agent("GET", "exec").json()["extensions"]] == CASES["PE-03"]["expect"]["2"]
    assert code(road.house.member.api("GET", road.connection_path(searxng))) == (403, "permission_denied")
    listed = road.house.member.api("GET", f"{road.house.path}/apps").content.decode()
    assert road.upstream.url not in listed


def test_pe_04_agent_needs_no_administrator(road: Road) -> None:
    installation_id = road.connect("brave")
    extension = f"{road.house.path}/app-installations/{installation_id}/extension"
    road.house.admin.api("PATCH", extension, {"agentAccess": "selected"})
    path = f"{road.house.path}/agents/{road.agent_row.id}/extension-authorizations/brave"
    road.house.admin.api("PUT", path, {"allowed": True})
    assert AgentAuthorization.objects.get().agent_id == road.agent_row.id
    assert road.search("brave").json() == {"results": [RESULT]}
    assert code(road.agent("GET", road.connection_path(installation_id))) == (403, "permission_denied")


def test_mt_04_workspace_without_a_connection_has_no_tools(road: Road) -> None:
    road.install("brave")
    assert road.agent("GET", "exec").json() == {"extensions": []}
    assert code(road.agent("GET", "exec/brave")) == (404, "extension_not_found")
    other = build_house("lighthouse")
    stranger = Caller(other.agent_token(other.agent()))
    assert stranger("GET", "exec").json() == {"extensions": []}


# --- load


def in_parallel(road: Road, queries: list[str], slug: str) -> list[Any]:
    def call(query: str) -> Any:
        try:
            return road.search(slug, query=query)
        finally:
            database.close()

    with ThreadPoolExecutor(len(queries)) as pool:
        return list(pool.map(call, queries))


def test_rl_01_each_call_has_its_own_outcome(road: Road) -> None:
    road.connect("brave")
    turn, lock = itertools.count(), threading.Lock()

    def one_a_second(_: Request) -> Reply:
        with lock:
            first = next(turn) == 0
        headers = {"X-RateLimit-Limit": "1, 2000"}
        return Reply(200, headers, json=ANSWERS["brave"]) if first else Reply(429, headers, json={})

    road.upstream.reply_with(one_a_second)
    answers = in_parallel(road, ["a", "b", "c"], "brave")
    found = Counter("success" if answer.status_code == 200 else code(answer)[1] for answer in answers)
    assert found == {"success": 1, "rate_limited": 2}
    assert len(road.upstream.requests) == 3


def test_rl_03_no_delay_is_added(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    road.connect("brave")
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    road.upstream.reply(headers={"X-RateLimit-Limit": "50, 100000"}, json=ANSWERS["brave"])
    assert [road.search("brave").status_code for _ in range(5)] == [200] * 5
    assert slept == []
    assert len(road.upstream.requests) == 5


def test_rl_07_each_call_shows_its_own_results(road: Road) -> None:
    road.connect("searxng")

    def echo(request: Request) -> Reply:
        query = request.param("q") or ""
        return Reply(json={"results": [{"url": f"https://{query}.example/", "title": query}]})

    road.upstream.reply_with(echo)
    queries = [f"query-{number}" for number in range(10)]
    answers = in_parallel(road, queries, "searxng")
    assert [[found["title"] for found in answer.json()["results"]] for answer in answers] == [[q] for q in queries]
