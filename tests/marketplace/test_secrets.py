"""Secrets of a workspace: written and audited, never read back (contract sections 1 and 4)."""

from typing import Any

import pytest

from apps.activity.models import AuditRow
from apps.marketplace import rotation
from apps.marketplace.models import Connection, WorkspaceSecret
from tests.road import Road
from tests.stored import bytes_of, code, fields, rows
from tests.workspaces.conftest import Caller, House

VALUE = "canary-0000"


def put(house: House, name: str, value: object = VALUE) -> Any:
    return house.admin.api("PUT", f"{house.path}/secrets/{name}", {"value": value})


def test_a_secret_is_written_listed_by_name_changed_and_deleted(house: House) -> None:
    created = put(house, "BRAVE_KEY")
    assert (created.status_code, created.json(), created["Cache-Control"]) == (201, {"name": "BRAVE_KEY"}, "no-store")
    changed = put(house, "BRAVE_KEY", "another-0000")
    assert (changed.status_code, changed.json()) == (200, {"name": "BRAVE_KEY"})
    put(house, "lower_1")
    listed = house.admin.api("GET", f"{house.path}/secrets")
    assert listed.json() == {"items": [{"name": "BRAVE_KEY"}, {"name": "lower_1"}], "next": None}
    assert listed["Cache-Control"] == "no-store"
    assert code(house.admin.api("GET", f"{house.path}/secrets/BRAVE_KEY")) == (405, "method_not_allowed")
    assert bytes_of(VALUE) == bytes_of("another-0000") == []
    removed = house.admin.api("DELETE", f"{house.path}/secrets/BRAVE_KEY")
    assert (removed.status_code, removed.content) == (204, b"")
    assert [secret.name for secret in WorkspaceSecret.objects.all()] == ["lower_1"]
    assert code(house.admin.api("DELETE", f"{house.path}/secrets/BRAVE_KEY")) == (404, "not_found")
    audited = AuditRow.objects.filter(target_kind="secret").order_by("at", "id")
    assert [(row.action, row.target_id, row.details) for row in audited] == [
        ("secret.created", "BRAVE_KEY", {}),
        ("secret.changed", "BRAVE_KEY", {}),
        ("secret.created", "lower_1", {}),
        ("secret.deleted", "BRAVE_KEY", {}),
    ]
    assert {row.actor_member_id for row in audited} == {house.admin.member.id}


@pytest.mark.parametrize(
    "value",
    [
        "",
        None,
        7,
        [VALUE],
        {"a": 1},
        ",",
        "short",
        "two words-0",
        "caf\u00e9-0000",
        "a-key-00\n0",
        "x" * 513,
        ",".join(["a-key-000"] * 51),
        "${vault://local/OTHER}",
        " ${vault://env/OTHER} ",
        "${vault://local/}",
        "${HOME}",
        "canary-0000,${vault://local/OTHER}",
    ],
)
def test_what_is_not_a_key_is_refused_and_nothing_changes(house: House, value: object) -> None:
    put(house, "NAME", "before-0000")
    before = rows()
    refused = put(house, "NAME", value)
    assert set(fields(refused)) == {"value"}
    assert "canary" not in refused.content.decode()
    assert rows() == before


@pytest.mark.parametrize("name", ["A-B", "A.B", "%C3%A9", "A%20B", "x" * 65, "A%0A", "A%00"])
def test_names_are_letters_digits_and_underscores(house: House, name: str) -> None:
    before = rows()
    assert code(put(house, name))[0] in (400, 404)
    assert rows() == before


def test_bodies_are_closed(house: House) -> None:
    before = rows()
    path = f"{house.path}/secrets/NAME"
    assert set(fields(house.admin.api("PUT", path, {"value": VALUE, "name": "x"}))) == {"name"}
    assert set(fields(house.admin.api("PUT", path, {}))) == {"value"}
    for body in (b"[]", b'"canary-0000"', b"null"):
        refused = house.admin.api.raw("PUT", path, body)
        assert code(refused) == (400, "invalid_input")
        assert b"canary" not in refused.content
    assert rows() == before


def test_only_owners_and_admins_of_the_workspace_may(house: House, other_house: House) -> None:
    put(house, "NAME")
    agent = Caller(house.agent_token(house.agent()))
    service = Caller(house.service_token())
    before = rows()
    for method, path, body in [
        ("GET", f"{house.path}/secrets", None),
        ("PUT", f"{house.path}/secrets/NAME", {"value": "another-0000"}),
        ("DELETE", f"{house.path}/secrets/NAME", None),
    ]:
        assert code(Caller(None)(method, path, body)) == (401, "unauthenticated")
        assert code(house.member.api(method, path, body)) == (403, "permission_denied")
        assert code(agent(method, path, body)) == (403, "permission_denied")
        assert code(service(method, path, body)) == (403, "permission_denied")
        assert code(other_house.owner.api(method, path, body)) == (404, "not_found")
    assert other_house.owner.api("GET", f"{other_house.path}/secrets").json()["items"] == []
    assert rows() == before


def test_two_workspaces_may_use_one_name(house: House, other_house: House) -> None:
    assert put(house, "NAME").status_code == put(other_house, "NAME", "another-0000").status_code == 201
    house.admin.api("DELETE", f"{house.path}/secrets/NAME")
    assert WorkspaceSecret.objects.get().workspace_id == other_house.workspace.id


def test_without_a_master_key_nothing_is_stored(house: House, settings: Any) -> None:
    put(house, "NAME")
    before = rows()
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = ""
    assert code(put(house, "NAME", "another-0000")) == (503, "unavailable")
    assert code(put(house, "NEW", "another-0000")) == (503, "unavailable")
    assert rows() == before
    assert house.admin.api("GET", f"{house.path}/secrets").json()["items"] == [{"name": "NAME"}]


def test_a_changed_secret_ends_the_rest_of_keys_behind_references_only(desk: Road) -> None:
    referring = desk.connect("brave", "${vault://local/KEYS}")
    direct = desk.connect("tavily", "first-key-1,second-key-2")
    for connection in Connection.objects.all():
        rotation.cool(connection.id, connection.revision, 1, 60, now=1000.0)
    stale = Connection.objects.get(installation_id=referring)
    put(desk.house, "KEYS", "third-key-3,fourth-key-4")
    assert Connection.objects.get(installation_id=referring).cooling == {}
    assert Connection.objects.get(installation_id=direct).cooling == {"1": [1000.0, 1060.0]}
    rotation.cool(stale.id, stale.revision, 1, 60)
    assert Connection.objects.get(installation_id=referring).cooling == {}
