"""The chain says what a call answers, in every state that can break it."""

import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    AppVersion,
    Connection,
    Credential,
    ExtensionSelection,
    Installation,
)
from apps.workspaces.models import AgentToken
from extensions.explain import LinkName, explain
from tests.road import KEY, Road
from tests.workspaces.conftest import build_house

NAMES = [name.value for name in LinkName]
OTHER_MASTER_KEY = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="


def api(road: Road, name: str = "brave") -> Any:
    path = f"{road.house.path}/agents/{road.agent_row.id}/extensions/{name}:explain"
    return road.house.admin.api("GET", path)


def states(document: dict[str, Any]) -> dict[str, str]:
    return {link["name"]: link["state"] for link in document["links"]}


def disconnect(road: Road, installation: str, settings: Any) -> None:
    assert road.house.admin.api("DELETE", road.connection_path(installation)).status_code == 204


def uninstall(road: Road, installation: str, settings: Any) -> None:
    path = f"{road.house.path}/app-installations/{installation}"
    assert road.house.admin.api("DELETE", path).status_code == 204


def ask_for_it(road: Road, installation: str, settings: Any) -> None:
    uninstall(road, installation, settings)
    made = road.house.member.api("POST", f"{road.house.path}/app-requests", {"appId": "app_brave_search"})
    assert (made.status_code, AppRequest.objects.count()) == (201, 1)


def withdraw(road: Road, installation: str, settings: Any) -> None:
    App.objects.filter(pk="app_brave_search").update(available=False)


def switch_app_off(road: Road, installation: str, settings: Any) -> None:
    App.objects.filter(pk="app_brave_search").update(enabled=False)


def spoof(road: Road, installation: str, settings: Any) -> None:
    App.objects.filter(pk="app_brave_search").update(slug="brave-elsewhere")


def unpin(road: Road, installation: str, settings: Any) -> None:
    AppVersion.objects.filter(app="app_brave_search").update(definition_digest="sha256:" + "0" * 64)


def pin_old_version(road: Road, installation: str, settings: Any) -> None:
    row = Installation.objects.get(pk=installation)
    assert row.app_version is not None
    fields = {"definition_domain": "brave", "definition_version": "0.9.0", "default_name": "brave"}
    old = AppVersion.objects.create(app=row.app, version="0.9.0", definition_digest="sha256:00", **fields)
    newest = row.app_version
    newest.pk = None
    newest.version = "1.0.1"
    newest.save()
    Installation.objects.filter(pk=installation).update(app_version=old)


def drop_version(road: Road, installation: str, settings: Any) -> None:
    Installation.objects.filter(pk=installation).update(app_version=None)


def switch_extension_off(road: Road, installation: str, settings: Any) -> None:
    path = f"{road.house.path}/app-installations/{installation}/extension"
    assert road.house.admin.api("PATCH", path, {"enabled": False}).status_code == 200


def end_selection(road: Road, installation: str, settings: Any) -> None:
    ExtensionSelection.objects.update(active=False)


def rename_selection(road: Road, installation: str, settings: Any) -> None:
    ExtensionSelection.objects.update(name="web")


def select_agents(road: Road, installation: str, settings: Any) -> None:
    path = f"{road.house.path}/app-installations/{installation}/extension"
    assert road.house.admin.api("PATCH", path, {"agentAccess": "selected"}).status_code == 200


def forbid(road: Road, installation: str, settings: Any) -> None:
    path = f"{road.house.path}/agents/{road.agent_row.id}/extension-authorizations/brave"
    assert road.house.admin.api("PUT", path, {"allowed": False}).status_code == 200


def connect_twice(road: Road, installation: str, settings: Any) -> None:
    Connection.objects.create(installation_id=installation, external_subject_ref="second")


def deactivate(road: Road, installation: str, settings: Any) -> None:
    Connection.objects.update(active=False)


def lose_credential(road: Road, installation: str, settings: Any) -> None:
    Credential.objects.all().delete()


def tamper(road: Road, installation: str, settings: Any) -> None:
    row = Credential.objects.get()
    row.envelope = bytes(row.envelope)[:-1] + bytes([bytes(row.envelope)[-1] ^ 1])
    row.save()


def change_master_key(road: Road, installation: str, settings: Any) -> None:
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = OTHER_MASTER_KEY


def lose_master_key(road: Road, installation: str, settings: Any) -> None:
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = ""


def refer_nowhere(road: Road, installation: str, settings: Any) -> None:
    body = {"credentials": {"apiKey": "${vault://local/ABSENT}"}}
    assert road.house.admin.api("PUT", road.connection_path(installation), body).status_code == 200


def revoke(road: Road, installation: str, settings: Any) -> None:
    AgentToken.objects.update(revoked_at=timezone.now())


def expire(road: Road, installation: str, settings: Any) -> None:
    AgentToken.objects.update(expires_at=timezone.now() - timedelta(minutes=1))


Break = Callable[[Road, str, Any], None]
BREAKAGES: list[tuple[Break, str, str, str]] = [
    (withdraw, "app", "extension_not_found", "migrate searchengines"),
    (switch_app_off, "app", "extension_not_found", "admin site"),
    (spoof, "app", "extension_not_found", "manage.py doctor"),
    (unpin, "version", "extension_not_found", "manage.py migrate"),
    (pin_old_version, "version", "extension_not_found", "install it again"),
    (drop_version, "version", "extension_not_found", "install it again"),
    (uninstall, "installation", "extension_not_found", "Install it"),
    (ask_for_it, "installation", "extension_not_found", "Approve the request"),
    (end_selection, "selection", "extension_not_found", "install it again"),
    (rename_selection, "selection", "extension_not_found", "`web`"),
    (switch_extension_off, "selection", "extension_not_found", "Switch it on"),
    (disconnect, "connection", "extension_not_found", "Connection section"),
    (deactivate, "connection", "extension_not_found", "Connection section"),
    (connect_twice, "connection", "connection_ambiguous", "Disconnect"),
    (lose_credential, "credential", "provider_auth_unavailable", "Enter the API key"),
    (tamper, "credential", "provider_auth_unavailable", "Enter the API key"),
    (change_master_key, "credential", "provider_auth_unavailable", "master key"),
    (lose_master_key, "credential", "provider_auth_unavailable", "master key"),
    (refer_nowhere, "credential", "provider_auth_unavailable", "Create the secret"),
    (select_agents, "authorization", "extension_not_found", "Allow this agent"),
    (forbid, "authorization", "extension_not_found", "Allow it"),
    (revoke, "token", "unauthenticated", "Create a token"),
    (expire, "token", "unauthenticated", "Create a token"),
]


def test_nothing_in_the_way(road: Road) -> None:
    road.connect("brave")
    shown = api(road)
    assert (shown.status_code, shown["Cache-Control"]) == (200, "no-store")
    document = shown.json()
    assert states(document) == dict.fromkeys(NAMES, "ok")
    assert {name: document[name] for name in ("agent", "name", "usable", "code", "firstBroken")} == {
        "agent": {"id": road.agent_row.id, "name": "researcher"},
        "name": "brave",
        "usable": True,
        "code": None,
        "firstBroken": None,
    }
    assert road.upstream.requests == []
    assert road.search("brave").status_code == 200


@pytest.mark.parametrize(
    ("breaks", "link", "code", "remedy"), BREAKAGES, ids=lambda item: getattr(item, "__name__", "")
)
def test_every_breakage_is_explained_as_it_is_answered(
    desk: Road, settings: Any, breaks: Break, link: str, code: str, remedy: str
) -> None:
    installation = desk.connect("brave")
    breaks(desk, installation, settings)

    answered = desk.search("brave")
    assert answered.json()["error"]["code"] == code
    document = api(desk).json()
    assert (document["usable"], document["code"], document["firstBroken"]) == (False, code, link)
    states_before = [state for name, state in states(document).items() if NAMES.index(name) < NAMES.index(link)]
    assert set(states_before) <= {"ok"}
    first = next(item for item in document["links"] if item["name"] == link)
    assert first["state"] == "broken"
    assert remedy in first["remedy"]
    assert KEY not in json.dumps(document)
    assert desk.upstream.requests == []


@pytest.mark.parametrize("second", [forbid, switch_extension_off, revoke, lose_credential])
def test_several_breakages_answer_in_the_order_of_a_call(desk: Road, settings: Any, second: Break) -> None:
    installation = desk.connect("brave")
    connect_twice(desk, installation, settings)
    second(desk, installation, settings)
    assert api(desk).json()["code"] == desk.search("brave").json()["error"]["code"]


def test_an_agents_own_rule_wins_over_selected_agents(road: Road, settings: Any) -> None:
    installation = road.connect("brave")
    select_agents(road, installation, settings)
    AgentAuthorization.objects.create(selection=ExtensionSelection.objects.get(), agent=road.agent_row, allowed=True)
    assert (api(road).json()["usable"], road.search("brave").status_code) == (True, 200)


def test_engines_without_a_credential(desk: Road) -> None:
    desk.connect("duckduckgo")
    document = api(desk, "duckduckgo").json()
    assert states(document) == dict.fromkeys(NAMES, "ok")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("Brave", "Did you mean `brave`?"), ("web-search", "Names: brave, "), ("searx", "Did you mean `searxng`?")],
)
def test_unknown_names_are_helped_on(desk: Road, name: str, remedy: str) -> None:
    document = api(desk, name).json()
    assert (document["firstBroken"], document["code"]) == ("app", "extension_not_found")
    assert remedy in document["links"][0]["remedy"]
    assert [link["state"] for link in document["links"]] == ["broken", *["not_reached"] * 6, "ok"]
    assert desk.search(name).json()["error"]["code"] == "extension_not_found"


def test_a_custom_app_brings_no_extension(desk: Road) -> None:
    body = {"slug": "notes", "displayName": "Notes", "description": ""}
    assert desk.house.admin.api("POST", f"{desk.house.path}/custom-apps", body).status_code == 201
    document = api(desk, "notes").json()
    assert document["firstBroken"] == "app"
    assert "own making" in document["links"][0]["detail"]


def test_who_may_ask(desk: Road) -> None:
    other = build_house("lighthouse")
    path = f"{desk.house.path}/agents/{desk.agent_row.id}/extensions/brave:explain"
    assert desk.house.owner.api("GET", path).status_code == 200
    assert desk.house.member.api("GET", path).json()["error"]["code"] == "permission_denied"
    assert other.owner.api("GET", path).json()["error"]["code"] == "not_found"
    assert desk.agent("GET", path).json()["error"]["code"] == "permission_denied"
    strangers = f"{other.path}/agents/{desk.agent_row.id}/extensions/brave:explain"
    assert other.owner.api("GET", strangers).json()["error"]["code"] == "not_found"


def run_command(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("explain_agent", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def test_command_tells_the_first_link_that_is_not_in_place(desk: Road, settings: Any) -> None:
    installation = desk.connect("brave")
    status, text = run_command("researcher", "brave")
    assert (status, text.splitlines()[-1]) == (0, "Nothing is in the way of a call.")
    disconnect(desk, installation, settings)
    status, text = run_command(desk.agent_row.id, "brave")
    assert status == 1
    assert "First not in place: connection. There is no active connection.\nWhat to do: Fill in" in text
    status, text = run_command(desk.agent_row.id, "brave", "--json")
    assert (status, json.loads(text)) == (1, explain(desk.house.workspace.id, desk.agent_row.id, "brave").document())


def test_command_wants_one_agent(desk: Road) -> None:
    with pytest.raises(CommandError, match="no such agent"):
        run_command("nobody", "brave")
    other = build_house("lighthouse")
    other.agent()
    with pytest.raises(CommandError, match="Several agents"):
        run_command("researcher", "brave")
    assert run_command("researcher", "brave", "--workspace", other.workspace.id)[0] == 1
