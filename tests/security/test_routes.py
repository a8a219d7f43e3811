"""Who may use which route of the API (abuse 15 and 16), for every route of the URL table."""

import re
from typing import Any

import pytest
from django.db import transaction

from tests.security.routes import ADMIN, AGENT, ENTRIES, MEMBER, PERSON, SERVICE, TABLE, Access, api_methods
from tests.security.world import World, build_world, state
from tests.workspaces.conftest import Caller, build_house

pytestmark = pytest.mark.django_db

NOBODY = "atp_" + "A" * 43


@pytest.fixture
def world(db: None) -> World:
    return build_world("harbour")


@pytest.fixture
def stranger(db: None) -> World:
    return build_world("lighthouse")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_every_route_and_method_has_an_entry() -> None:
    assert api_methods() == {(route, method) for route, methods in TABLE.items() for method in methods}


def callers(world: World, access: Access) -> tuple[list[Caller], Caller]:
    """Those with a good token who still may not, and the lowest who may."""
    people = {MEMBER: world.house.member.api, PERSON: world.house.member.api, ADMIN: world.house.admin.api}
    allowed = {**people, AGENT: world.agent, SERVICE: world.service}[access.who]
    denied = [
        caller for caller in (world.house.member.api, world.agent, world.service) if caller.token != allowed.token
    ]
    if access.who == ADMIN:
        return denied, allowed
    return [caller for caller in denied if access.who in (AGENT, SERVICE) or caller is not people[MEMBER]], allowed


def test_only_those_who_may_do_and_a_denial_changes_nothing(world: World) -> None:
    before = state()
    for route, method, access in ENTRIES:
        path, body = world.fill(route), world.body(access.body)
        for token in (None, NOBODY):
            answer = Caller(token)(method, path, body)
            assert code(answer) == (401, "unauthenticated"), (method, route, token)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        denied, allowed = callers(world, access)
        for caller in denied:
            assert code(caller(method, path, body)) == (403, "permission_denied"), (method, route, caller)
        if access.status is not None:
            with transaction.atomic():
                answer = allowed(method, path, body)
                assert answer.status_code == access.status, (method, route, answer.content)
                transaction.set_rollback(True)
    assert state() == before


def test_an_administrator_who_is_one_no_more_is_refused_at_the_next_request(world: World) -> None:
    member = f"{world.house.path}/members/{world.house.admin.member.id}"
    admin, owner = world.house.admin.api, world.house.owner.api

    def refused(expected: tuple[int, str]) -> None:
        before = state()
        for route, method, access in ENTRIES:
            if access.who == ADMIN:
                assert code(admin(method, world.fill(route), world.body(access.body))) == expected, (method, route)
        assert state() == before

    assert owner("PATCH", member, {"role": "member"}).status_code == 200
    refused((403, "permission_denied"))
    assert owner("DELETE", member).status_code == 204
    refused((404, "not_found"))


PARAMETER = re.compile(r"\{(\w+)\}")
NOWHERE = {"workspace_id": "ws_aaaaaaaaaaaaaaaaaaaaaaaa"}
OBJECTS = ("member_id", "agent_id", "token_id", "slug", "installation_id", "request_id", "model_id", "store_id")
OBJECTS += ("document_id",)


def same_as(answer: Any, other: Any) -> None:
    """Nothing but the request's id tells them apart."""
    assert answer.status_code == other.status_code
    assert answer.content == other.content
    kept = [{name: value for name, value in each.items() if name != "X-Request-Id"} for each in (answer, other)]
    assert kept[0] == kept[1]


def test_a_foreign_workspace_is_no_other_than_one_that_is_not_there(world: World, stranger: World) -> None:
    caller, before = stranger.house.owner.api, state()
    for route, method, access in ENTRIES:
        if "{workspace_id}" not in route:
            continue
        body = world.body(access.body)
        foreign = caller(method, world.fill(route), body)
        assert code(foreign) == (404, "not_found"), (method, route)
        same_as(foreign, caller(method, world.fill(route, **NOWHERE), body))
    assert state() == before


def with_objects() -> list[tuple[str, str, Access, str]]:
    """Each route once for each object that its path names besides the workspace."""
    entries = []
    for route, method, access in ENTRIES:
        names = [name for name in PARAMETER.findall(route) if name in OBJECTS or "secrets/{name}" in route]
        entries += [(route, method, access, name) for name in names if name != "workspace_id" and access.foreign]
    return entries


def test_a_foreign_object_is_no_other_than_one_that_is_not_there(world: World, stranger: World) -> None:
    """The stranger asks in their own workspace, where they are owner, for an object of the other one."""
    caller, before = stranger.house.owner.api, state()
    for route, method, access, name in with_objects():
        filled = world.fill(route)
        theirs = world.ids.get("secret_name" if name == "name" else name) or filled.rsplit("/", 1)[-1]
        body = stranger.body(access.body)
        foreign = caller(method, stranger.fill(route, **{name: theirs}), body)
        assert code(foreign) == (404, "not_found"), (method, route, theirs)
        same_as(foreign, caller(method, stranger.fill(route, **{name: f"nothing-{name}"}), body))
    assert state() == before


@pytest.mark.parametrize("name", ["app-requests", "app-installations", "embedding-stores"])
def test_a_body_that_names_a_foreign_object(world: World, stranger: World, name: str) -> None:
    body = TABLE[f"workspaces/{{workspace_id}}/{name}"]["POST"].body
    before = state()
    path, caller = f"{stranger.house.path}/{name}", stranger.house.owner.api
    nothing = dict.fromkeys(body, "nothing")
    foreign = caller("POST", path, world.body(body))
    assert foreign.status_code in (400, 404)
    same_as(foreign, caller("POST", path, nothing))
    assert state() == before


@pytest.mark.parametrize("member", ["embeddingStore", "embeddingModel"])
def test_a_connection_that_names_a_foreign_store_or_model(world: World, stranger: World, member: str) -> None:
    path, caller = f"{stranger.house.path}/app-installations", stranger.house.owner.api
    installation_id = caller("POST", path, {"appId": "app_knowledge"}).json()["id"]
    own = {"embeddingStore": stranger.ids["store_id"], "embeddingModel": stranger.ids["model_id"]}
    theirs = {"embeddingStore": world.ids["store_id"], "embeddingModel": world.ids["model_id"]}
    before = state()
    connection = f"{path}/{installation_id}/search-engine-connection"
    foreign = caller("PUT", connection, {"config": {**own, member: theirs[member]}})
    assert code(foreign) == (400, "invalid_input")
    same_as(foreign, caller("PUT", connection, {"config": {**own, member: "nothing"}}))
    assert state() == before


def test_an_extension_of_another_workspace_is_not_in_the_catalog(world: World) -> None:
    bare = build_house("lighthouse")
    agent, service = Caller(bare.agent_token(bare.agent())), Caller(bare.service_token())
    for caller, method, route in (
        (agent, "GET", "exec/{}"),
        (agent, "POST", "exec/{}/search"),
        (service, "POST", "search-engines/{}/search"),
    ):
        foreign = caller(method, route.format("brave"), {"query": "ferry"})
        assert code(foreign) == (404, "extension_not_found")
        same_as(foreign, caller(method, route.format("nothing"), {"query": "ferry"}))


def test_a_vault_reference_reaches_the_secrets_of_its_own_workspace_alone(world: World, stranger: World) -> None:
    from apps.marketplace import vault
    from searchengines.credentials import VaultReference

    reference = VaultReference("local", world.ids["secret_name"])
    assert vault.resolve(world.house.workspace.id, reference) == "canary-0000"
    assert vault.resolve(stranger.house.workspace.id, reference) is None


def test_the_settings_of_the_vault_are_no_secrets(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.marketplace import vault
    from searchengines.credentials import VaultReference

    settings.AGENTTEAM_VAULT_ENV = True
    monkeypatch.setenv("AGENTTEAM_VAULT_ENV", "1")
    monkeypatch.setenv("AGENTTEAM_VAULT_BACKENDS", "company.vault.Backend")
    monkeypatch.setenv("AGENTTEAM_VAULT_BRAVE", "brave-key-1")
    found = {name: vault.resolve("ws_a", VaultReference("env", name)) for name in ("ENV", "BACKENDS", "BRAVE", "PATH")}
    assert found == {"ENV": None, "BACKENDS": None, "BRAVE": "brave-key-1", "PATH": None}
