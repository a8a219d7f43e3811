"""The connection of an installed engine: who may, what is taken, what is shown, what stays (spec A 5)."""

import threading
from typing import Any

import pytest
from django.db import connection as database
from django.utils import timezone

from apps.activity.models import AuditRow
from apps.marketplace.models import App, Connection, Credential, EngineOptions, Installation
from apps.marketplace.services import installations as installation_service
from searchengines.providers import ALL
from tests.road import ANSWERS, KEY, KEYED, RESULT, Road
from tests.stored import bytes_of, code, fields, rows
from tests.workspaces.conftest import Caller, House

SLUGS = [provider.slug for provider in ALL]
KEYED_SLUGS = [provider.slug for provider in KEYED]
HEADERS = {
    "brave": ("x-subscription-token", KEY),
    "tavily": ("authorization", f"Bearer {KEY}"),
    "serper": ("x-api-key", KEY),
    "staan": ("authorization", f"Bearer {KEY}"),
    "searchapi": ("authorization", f"Bearer {KEY}"),
    "exa": ("x-api-key", KEY),
}


def put(road: Road, installation_id: str, body: Any) -> Any:
    return road.house.admin.api("PUT", road.connection_path(installation_id), body)


def get(road: Road, installation_id: str) -> Any:
    return road.house.admin.api("GET", road.connection_path(installation_id)).json()


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_shown_before_and_after_connecting(desk: Road, slug: str) -> None:
    provider = next(provider for provider in ALL if provider.slug == slug)
    installation_id = desk.install(slug)
    credentials = {"apiKey": {"configured": False}} if provider.secret_fields else {}
    assert get(desk, installation_id) == {"active": False, "config": {}, "credentials": credentials}
    body = desk.connection_body(slug)
    saved = put(desk, installation_id, body)
    credentials = {"apiKey": {"configured": True}} if provider.secret_fields else {}
    shown = {"active": True, "config": body.get("config", {}), "credentials": credentials}
    assert (saved.status_code, saved.json(), saved["Cache-Control"]) == (200, shown, "no-store")
    assert get(desk, installation_id) == shown
    stored = Connection.objects.get()
    assert (stored.external_subject_ref, stored.installation_id) == ("default", installation_id)
    assert desk.upstream.requests == []


def test_duckduckgo_connects_by_an_empty_object_and_not_by_installing(road: Road) -> None:
    installation_id = road.install("duckduckgo")
    assert code(road.search("duckduckgo")) == (404, "extension_not_found")
    assert put(road, installation_id, {}).json() == {"active": True, "config": {}, "credentials": {}}
    road.upstream.reply(json=ANSWERS["duckduckgo"])
    assert road.search("duckduckgo").json() == {"results": [RESULT]}


@pytest.mark.parametrize(
    ("slug", "body", "wrong"),
    [
        ("brave", {}, {"credentials.apiKey"}),
        ("searxng", {}, {"config.baseUrl"}),
        ("searxng", {"config": {"language": "fr"}}, {"config.baseUrl"}),
        ("google", {}, {"config.cx", "credentials.apiKey"}),
        ("google", {"credentials": {"apiKey": KEY}}, {"config.cx"}),
        ("brave", {"credentials": {"apiKey": KEY}, "config": {"baseUrl": "https://x.example"}}, {"config.baseUrl"}),
        ("brave", {"credentials": {"apiKey": KEY}, "config": {"country": "fr"}}, {"config.country"}),
        ("brave", {"credentials": {"apiKey": KEY}, "provider": "brave"}, {"provider"}),
        ("brave", {"credentials": {"apiKey": KEY}, "active": True, "id": "x"}, {"active", "id"}),
        ("brave", {"credentials": {"apiKey": KEY, "token": "abcdefgh"}}, {"credentials.token"}),
        ("brave", {"credentials": None}, {"credentials", "credentials.apiKey"}),
        ("brave", {"credentials": KEY}, {"credentials", "credentials.apiKey"}),
        ("brave", {"config": [], "credentials": {"apiKey": KEY}}, {"config"}),
        ("searxng", {"config": {"baseUrl": "ftp://x.example"}}, {"config.baseUrl"}),
        ("searxng", {"config": {"baseUrl": "https://x.example", "language": 7}}, {"config.language"}),
        (
            "searxng",
            {"config": {"baseUrl": "https://x.example"}, "credentials": {"apiKey": KEY}},
            {"credentials.apiKey"},
        ),
        ("duckduckgo", {"credentials": {"apiKey": KEY}}, {"credentials.apiKey"}),
        ("duckduckgo", {"config": {"baseUrl": "https://x.example"}}, {"config.baseUrl"}),
        *[
            ("brave", {"credentials": {"apiKey": value}}, {"credentials.apiKey"})
            for value in (
                "",
                "   ",
                ",",
                None,
                7,
                [KEY],
                "short",
                "two words",
                "caf\u00e9-0000",
                "a\nb-0000000",
                "x" * 513,
            )
        ],
        ("brave", {"credentials": {"apiKey": "${vault://local/}"}}, {"credentials.apiKey"}),
        ("brave", {"credentials": {"apiKey": "${vault://local/A B}"}}, {"credentials.apiKey"}),
        ("brave", {"credentials": {"apiKey": "${vault://local/${vault://local/A}}"}}, {"credentials.apiKey"}),
        ("brave", {"credentials": {"apiKey": "canary-0000,${vault://local/A}"}}, {"credentials.apiKey"}),
    ],
)
def test_a_body_that_is_not_taken_names_its_members_and_changes_nothing(
    desk: Road, slug: str, body: Any, wrong: set[str]
) -> None:
    installation_id = desk.install(slug)
    before = rows()
    refused = put(desk, installation_id, body)
    assert set(fields(refused)) == wrong
    assert "canary" not in refused.content.decode()
    assert refused["Cache-Control"] == "no-store"
    assert rows() == before


@pytest.mark.parametrize(
    "body", [b"[]", b'"text"', b"null", b"5", b"{", b'{"config": {}, "config": {}}', b"[" * 30_000]
)
def test_a_body_that_is_no_object_changes_nothing(desk: Road, body: bytes) -> None:
    installation_id = desk.connect("duckduckgo")
    before = rows()
    for path in (desk.connection_path(installation_id), desk.options_path(installation_id)):
        assert code(desk.house.admin.api.raw("PUT", path, body)) == (400, "invalid_input")
    assert rows() == before


def test_unknown_members_are_named_up_to_a_bound(desk: Road) -> None:
    installation_id = desk.install("brave")
    refused = put(desk, installation_id, {"config": {f"{number:03}" + "x" * 500: 1 for number in range(200)}})
    assert len(fields(refused)) == 11  # ten unknown members and the missing key
    assert max(map(len, fields(refused))) <= len("config.") + 100


def test_an_omitted_credential_stays_and_is_used(road: Road) -> None:
    slug = "tavily"
    installation_id = road.connect(slug)
    sealed = bytes(Credential.objects.get().envelope)
    for body in ({}, {"config": {}}, {"credentials": {}}):
        assert put(road, installation_id, body).json()["credentials"] == {"apiKey": {"configured": True}}
    assert bytes(Credential.objects.get().envelope) == sealed
    assert road.search(slug).status_code == 200
    header, value = HEADERS[slug]
    assert road.upstream.last.headers[header] == value


@pytest.mark.parametrize("slug", KEYED_SLUGS)
def test_an_empty_credential_is_refused_and_the_old_one_still_used(road: Road, slug: str) -> None:
    installation_id = road.connect(slug)
    before = rows()
    for value in ("", None):
        refused = put(road, installation_id, {**road.connection_body(slug), "credentials": {"apiKey": value}})
        assert set(fields(refused)) == {"credentials.apiKey"}
        assert rows() == before
    assert road.search(slug).status_code == 200
    sent = road.upstream.last
    header, wanted = HEADERS.get(slug, ("", KEY))
    assert (sent.headers[header] if header else sent.param("key")) == wanted


def test_a_new_credential_replaces_the_old_one(road: Road) -> None:
    installation_id = road.connect("brave")
    assert put(road, installation_id, {"credentials": {"apiKey": "second-key-1"}}).status_code == 200
    assert Credential.objects.count() == 1
    road.search("brave")
    assert road.upstream.last.headers["x-subscription-token"] == "second-key-1"


def test_config_replaces_the_whole_and_stays_when_left_out(road: Road) -> None:
    installation_id = road.install("searxng")
    both = {"baseUrl": road.upstream.url, "language": "fr"}
    assert put(road, installation_id, {"config": both}).json()["config"] == both
    assert put(road, installation_id, {}).json()["config"] == both
    only = {"baseUrl": road.upstream.url}
    assert put(road, installation_id, {"config": only}).json()["config"] == only
    road.upstream.reply(json=ANSWERS["searxng"])
    road.search("searxng")
    assert road.upstream.last.param("language") is None


def test_disconnecting_twice_destroys_the_credential_and_keeps_the_options(road: Road) -> None:
    installation_id = road.connect("brave")
    road.house.admin.api("PUT", road.options_path(installation_id), {"country": "FR"})
    for _ in range(2):
        removed = road.house.admin.api("DELETE", road.connection_path(installation_id))
        assert (removed.status_code, removed.content, removed["Cache-Control"]) == (204, b"", "no-store")
        assert (Connection.objects.count(), Credential.objects.count()) == (0, 0)
        assert get(road, installation_id) == {
            "active": False,
            "config": {},
            "credentials": {"apiKey": {"configured": False}},
        }
    assert AuditRow.objects.filter(action="connection.removed").count() == 1
    assert EngineOptions.objects.get().options == {"country": "FR"}
    assert set(fields(put(road, installation_id, {}))) == {"credentials.apiKey"}
    put(road, installation_id, road.connection_body("brave"))
    assert road.search("brave").status_code == 200
    assert road.upstream.last.param("country") == "FR"
    road.house.admin.api("DELETE", f"{road.house.path}/app-installations/{installation_id}")
    assert (Connection.objects.count(), EngineOptions.objects.count()) == (0, 0)


def test_a_test_uses_the_saved_connection_and_never_shows_results(road: Road) -> None:
    installation_id = road.connect("brave")
    tested = road.test(installation_id)
    assert (tested.status_code, tested.json(), tested["Cache-Control"]) == (200, {"ok": True}, "no-store")
    test_request = road.upstream.last
    road.search("brave")
    search_request = road.upstream.last
    assert test_request.headers["x-subscription-token"] == KEY
    assert test_request.headers == search_request.headers
    assert (test_request.method, test_request.path) == (search_request.method, search_request.path)
    road.upstream.reply(json={"web": {"results": []}})
    assert road.test(installation_id).json() == {"ok": True}


@pytest.mark.parametrize(
    ("status", "found", "reason"),
    [
        (401, (502, "upstream_failure"), "credentials_rejected"),
        (500, (502, "upstream_failure"), "bad_status"),
        (302, (502, "upstream_failure"), "redirected"),
        (429, (429, "rate_limited"), None),
    ],
)
def test_a_failed_test_says_why_and_a_failed_call_does_not(
    road: Road, status: int, found: tuple[int, str], reason: str | None
) -> None:
    installation_id = road.connect("brave")
    road.upstream.reply(status=status, json={"secret": "provider-text"})
    tested, called = road.test(installation_id), road.search("brave")
    assert code(tested) == code(called) == found
    assert tested.json()["error"].get("reason") == reason
    assert "reason" not in called.json()["error"]
    assert tested["Cache-Control"] == called["Cache-Control"] == "no-store"
    assert "provider-text" not in tested.content.decode() + called.content.decode()
    last = road.house.admin.api("GET", f"{road.house.path}/app-installations/{installation_id}").json()["lastTest"]
    assert (last["ok"], last["code"], last["reason"]) == (False, found[1], reason)


def test_a_test_without_a_connection_is_a_conflict(desk: Road) -> None:
    installation_id = desk.install("brave")
    before = rows()
    assert code(desk.test(installation_id)) == (409, "conflict")
    assert rows() == before


ROUTES = [
    ("GET", "search-engine-connection", None),
    ("PUT", "search-engine-connection", {"credentials": {"apiKey": "another-key-1"}}),
    ("DELETE", "search-engine-connection", None),
    ("POST", "search-engine-connection:test", None),
    ("GET", "search-engine-options", None),
    ("PUT", "search-engine-options", {"country": "DE"}),
]


@pytest.mark.parametrize(("method", "route", "body"), ROUTES)
def test_only_owners_and_admins_of_the_workspace_may(
    desk: Road, other_house: House, method: str, route: str, body: Any
) -> None:
    installation_id = desk.connect("brave")
    path = f"{desk.house.path}/app-installations/{installation_id}/{route}"
    service = Caller(desk.house.service_token())
    before = rows()
    assert code(Caller(None)(method, path, body)) == (401, "unauthenticated")
    assert code(Caller("atp_unknown")(method, path, body)) == (401, "unauthenticated")
    assert code(desk.house.member.api(method, path, body)) == (403, "permission_denied")
    assert code(desk.agent(method, path, body)) == (403, "permission_denied")
    assert code(service(method, path, body)) == (403, "permission_denied")
    foreign = other_house.owner.api(method, path, body)
    own = f"{other_house.path}/app-installations"
    crossed = other_house.owner.api(method, f"{own}/{installation_id}/{route}", body)
    missing = other_house.owner.api(method, f"{own}/inst_missing/{route}", body)
    assert code(foreign) == code(crossed) == (404, "not_found")
    assert foreign.content == crossed.content == missing.content
    assert rows() == before
    assert desk.upstream.requests == []
    if not route.endswith(":test"):
        assert desk.house.owner.api(method, path, body).status_code in (200, 204)


def test_an_admin_who_is_demoted_may_no_more(desk: Road) -> None:
    installation_id = desk.connect("brave")
    member = f"{desk.house.path}/members/{desk.house.admin.member.id}"
    assert desk.house.owner.api("PATCH", member, {"role": "member"}).status_code == 200
    before = rows()
    assert code(put(desk, installation_id, desk.connection_body("brave"))) == (403, "permission_denied")
    assert rows() == before


def test_identity_and_installation_are_checked_again_at_every_change(desk: Road) -> None:
    installation_id = desk.connect("brave")
    path = desk.connection_path(installation_id)
    App.objects.filter(pk="app_brave_search").update(slug="brave-copy")
    before = rows()
    for method, body in [("PUT", {}), ("DELETE", None), ("GET", None)]:
        assert code(desk.house.admin.api(method, path, body)) == (404, "not_found")
    assert rows() == before
    App.objects.filter(pk="app_brave_search").update(slug="brave")
    Installation.objects.update(status=Installation.Status.UNINSTALLED, uninstalled_at=timezone.now())
    before = rows()
    for method, body in [("PUT", {}), ("DELETE", None), ("GET", None)]:
        assert code(desk.house.admin.api(method, path, body)) == (404, "not_found")
    assert rows() == before


@pytest.mark.postgres
def test_a_change_that_waited_for_an_uninstall_changes_nothing(road: Road) -> None:
    installation_id = road.connect("brave")
    held, go = threading.Event(), threading.Event()

    def uninstall() -> None:
        try:
            with installation_service.app_mutation_lock(road.house.workspace.id):
                held.set()
                go.wait(5)
                installation_service.uninstall(road.house.workspace.id, installation_id, road.house.owner.actor)
        finally:
            database.close()

    answers: list[Any] = []

    def save() -> None:
        try:
            answers.append(put(road, installation_id, {"credentials": {"apiKey": "second-key-1"}}))
        finally:
            database.close()

    first, second = threading.Thread(target=uninstall), threading.Thread(target=save)
    first.start()
    assert held.wait(5)
    second.start()
    go.set()
    first.join(10)
    second.join(10)
    assert code(answers[0]) == (404, "not_found")
    assert Connection.objects.count() == Credential.objects.count() == 0


def test_two_active_connections_close_the_engine(road: Road) -> None:
    installation_id = road.connect("brave")
    Connection.objects.create(installation_id=installation_id, external_subject_ref="second")
    before = rows()
    assert code(road.search("brave")) == (409, "connection_ambiguous")
    assert code(road.test(installation_id)) == (409, "connection_ambiguous")
    assert rows() == before
    assert road.upstream.requests == []
    Connection.objects.all().delete()
    assert code(road.search("brave")) == (404, "extension_not_found")


def test_a_refused_input_comes_before_an_ambiguous_connection(road: Road) -> None:
    installation_id = road.connect("brave")
    Connection.objects.create(installation_id=installation_id, external_subject_ref="second")
    assert code(road.search("brave", query="")) == (400, "invalid_input")


def test_one_workspace_has_one_connection_of_an_installation(desk: Road) -> None:
    installation_id = desk.connect("brave")
    for _ in range(3):
        put(desk, installation_id, desk.connection_body("brave"))
    assert Connection.objects.count() == 1
    assert Connection.objects.get().revision == 4


def test_no_key_is_in_any_row_or_audit_line(road: Road) -> None:
    installation_id = road.connect("brave")
    road.search("brave")
    road.test(installation_id)
    assert bytes_of(KEY) == []
    saved = AuditRow.objects.get(action="connection.saved")
    assert saved.details == {"connection": Connection.objects.get().id, "config": [], "credentials": ["apiKey"]}
