"""Vault references: looked up at each call, never stored resolved, and closed when they do not resolve."""

import io
import os
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from apps.marketplace.keyring import keyring
from apps.marketplace.models import Credential, WorkspaceSecret
from apps.marketplace.vault import secret_place
from tests.road import KEY, Road
from tests.security.logs import everything_logged
from tests.stored import bytes_of, code
from tests.workspaces.conftest import House

CANARY = "canary-0000"
LOCAL = "${vault://local/BRAVE_KEY}"
ENVIRONMENT = "${vault://env/BRAVE_KEY}"


def put_secret(house: House, value: str, name: str = "BRAVE_KEY") -> None:
    assert house.admin.api("PUT", f"{house.path}/secrets/{name}", {"value": value}).status_code in (200, 201)


def sent_keys(road: Road) -> list[str]:
    return [request.headers["x-subscription-token"] for request in road.upstream.requests]


def test_a_secret_is_looked_up_at_each_call_and_never_stored(road: Road) -> None:
    installation_id = road.connect("brave", LOCAL)
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    put_secret(road.house, CANARY)
    assert road.search("brave").status_code == 200
    put_secret(road.house, "second-0000")
    assert road.search("brave").status_code == 200
    assert road.test(installation_id).json() == {"ok": True}
    assert sent_keys(road) == [CANARY, "second-0000", "second-0000"]
    assert bytes_of(CANARY) == bytes_of("second-0000") == bytes_of("vault://") == []
    road.house.admin.api("DELETE", f"{road.house.path}/secrets/BRAVE_KEY")
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    assert code(road.test(installation_id)) == (424, "provider_auth_unavailable")
    assert len(road.upstream.requests) == 3
    assert [row.code for row in road.executions()][-1] == "provider_auth_unavailable"


def test_a_list_behind_a_reference_takes_turns(road: Road) -> None:
    road.connect("brave", f" {LOCAL} ")
    put_secret(road.house, "first-key-1, second-key-2,")
    for _ in range(3):
        road.search("brave")
    assert sent_keys(road) == ["first-key-1", "second-key-2", "first-key-1"]
    assert [row.key_ordinal for row in road.executions()] == [1, 2, 1]
    assert Credential.objects.get().kind == "reference"


def test_the_environment_is_off_unless_the_operator_turns_it_on(
    road: Road, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    road.connect("brave", ENVIRONMENT)
    monkeypatch.setenv("AGENTTEAM_VAULT_BRAVE_KEY", CANARY)
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    assert road.upstream.requests == []
    settings.AGENTTEAM_VAULT_ENV = True
    assert road.search("brave").status_code == 200
    assert sent_keys(road) == [CANARY]
    assert bytes_of(CANARY) == []
    monkeypatch.delenv("AGENTTEAM_VAULT_BRAVE_KEY")
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")


def test_the_environment_shows_nothing_but_its_own_names(
    road: Road, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.AGENTTEAM_VAULT_ENV = True
    monkeypatch.setenv("AGENTTEAM_VAULT_BACKENDS", "some.backend.Path")
    monkeypatch.setenv("AGENTTEAM_VAULT_ENV", "12345678")
    assert "SECRET_KEY" in os.environ
    for name in ("BACKENDS", "ENV", "SECRET_KEY", "MISSING"):
        road.upstream.requests.clear()
        installation_id = road.connect("brave", f"${{vault://env/{name}}}")
        assert code(road.search("brave")) == (424, "provider_auth_unavailable")
        assert road.upstream.requests == []
        road.house.admin.api("DELETE", f"{road.house.path}/app-installations/{installation_id}")


def test_another_workspaces_secret_never_resolves(road: Road, other_house: House) -> None:
    put_secret(other_house, CANARY)
    road.connect("brave", LOCAL)
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    # Not even when its row is moved: the envelope is bound to where it was written.
    WorkspaceSecret.objects.update(workspace=road.house.workspace)
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    assert road.upstream.requests == []


def test_what_a_reference_yields_must_be_keys(road: Road) -> None:
    put_secret(road.house, CANARY)
    put_secret(road.house, "other-0000", "OTHER")
    road.connect("brave", LOCAL)
    secret = WorkspaceSecret.objects.get(name="BRAVE_KEY")
    for text in (LOCAL, "${vault://local/OTHER}", "a-key-000,${vault://local/OTHER}", "${", "short", ""):
        secret.envelope = keyring().seal(text, secret_place(secret))
        secret.save()
        assert code(road.search("brave")) == (424, "provider_auth_unavailable"), text
    assert road.upstream.requests == []


def test_what_is_unknown_is_saved_and_does_not_resolve(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_VAULT_ENV = True
    installation_id = road.connect("brave", KEY)
    for reference in ("${vault://elsewhere/NAME}", "${vault://local/MISSING}", "${vault://env/MISSING}"):
        body = {"credentials": {"apiKey": reference}}
        assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
        assert code(road.search("brave")) == (424, "provider_auth_unavailable")
        tested = road.test(installation_id)
        assert code(tested) == (424, "provider_auth_unavailable")
        assert "reason" not in tested.json()["error"]
    assert road.upstream.requests == []


class Shelf:
    """A store of an operator's own."""

    name = "shelf"
    kept: dict[tuple[str, str], Any] = {}

    def read(self, workspace_id: str, path: str) -> Any:
        found = self.kept.get((workspace_id, path))
        if isinstance(found, Exception):
            raise found
        return found


class Impostor(Shelf):
    name = "local"


class Broken:
    def __init__(self) -> None:
        raise ValueError(CANARY)


SHELF = "tests.marketplace.test_vault.Shelf"


@pytest.fixture
def shelf(settings: Any) -> Any:
    settings.AGENTTEAM_VAULT_BACKENDS = [SHELF]
    yield Shelf.kept
    Shelf.kept.clear()


def test_an_operators_backend_is_asked_for_its_workspace_and_path(road: Road, shelf: Any) -> None:
    road.connect("brave", "${vault://shelf/team/brave.key-1}")
    shelf[road.house.workspace.id, "team/brave.key-1"] = "first-key-1,second-key-2"
    for _ in range(2):
        assert road.search("brave").status_code == 200
    assert sent_keys(road) == ["first-key-1", "second-key-2"]
    shelf.clear()
    assert code(road.search("brave")) == (424, "provider_auth_unavailable")


UNUSABLE = [RuntimeError(CANARY), KeyError(CANARY), OSError(CANARY), CANARY.encode(), 7, [CANARY], {"a": 1}]


def test_a_backend_that_fails_is_a_reference_that_does_not_resolve(road: Road, shelf: Any) -> None:
    installation_id = road.connect("brave", "${vault://shelf/key}")
    for found in UNUSABLE:
        shelf[road.house.workspace.id, "key"] = found
        with everything_logged() as logged:
            called, tested = road.search("brave"), road.test(installation_id)
        assert code(called) == code(tested) == (424, "provider_auth_unavailable")
        assert CANARY not in logged.getvalue() + called.content.decode() + tested.content.decode()
        assert "vault" in logged.getvalue()
    assert road.upstream.requests == []
    assert bytes_of(CANARY) == []
    put_secret(road.house, "second-0000")
    road.house.admin.api("PUT", road.connection_path(installation_id), {"credentials": {"apiKey": LOCAL}})
    assert road.search("brave").status_code == 200


BACKENDS = [
    ["tests.marketplace.test_vault.Missing"],
    ["no.such.module.Class"],
    ["tests.marketplace.test_vault.Broken"],
    [SHELF, SHELF],
]


def test_backends_that_cannot_be_loaded_are_named_by_the_check_and_close_references(road: Road, settings: Any) -> None:
    road.connect("brave", LOCAL)
    put_secret(road.house, CANARY)
    for paths in BACKENDS:
        settings.AGENTTEAM_VAULT_BACKENDS = paths
        with pytest.raises(SystemCheckError) as caught:
            call_command("check", stderr=io.StringIO())
        assert "AGENTTEAM_VAULT_BACKENDS" in str(caught.value)
        assert CANARY not in str(caught.value)
        assert code(road.search("brave")) == (424, "provider_auth_unavailable")
    assert road.upstream.requests == []


def test_no_backend_takes_anothers_name(settings: Any) -> None:
    settings.AGENTTEAM_VAULT_BACKENDS = ["tests.marketplace.test_vault.Impostor"]
    with pytest.raises(SystemCheckError):
        call_command("check", stderr=io.StringIO())
