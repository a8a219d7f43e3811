"""Install, request, select, authorise, uninstall: who may, what follows at once, what stays (spec A 2, 3, 5)."""

from typing import Any

import pytest

from apps.activity.models import AuditRow
from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    Connection,
    Credential,
    EngineOptions,
    ExtensionSelection,
    Installation,
)
from tests.road import APP_IDS, RESULT, Road
from tests.workspaces.conftest import Caller, House

MODELS = (App, Installation, ExtensionSelection, AgentAuthorization, AppRequest, Connection, Credential, EngineOptions)


def rows() -> dict[str, list[Any]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in (*MODELS, AuditRow)}


def actions() -> list[str]:
    return list(AuditRow.objects.order_by("at", "id").values_list("action", flat=True))


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def app_state(house: House, slug: str) -> str:
    return str(house.member.api("GET", f"{house.path}/apps/{slug}").json()["state"])


def test_every_engine_is_listed_with_its_own_icon_and_state(house: House) -> None:
    listed = house.member.api("GET", f"{house.path}/apps").json()
    assert listed["next"] is None
    assert [(app["slug"], app["appId"]) for app in listed["items"]] == list(APP_IDS.items())
    brave = next(app for app in listed["items"] if app["slug"] == "brave")
    assert brave == {
        "appId": "app_brave_search",
        "slug": "brave",
        "displayName": "Brave Search",
        "description": "Web search on Brave's own index.",
        "icon": "/static/app-icons/brave.svg",
        "kind": "product",
        "needs": "api_key",
        "state": "not_installed",
        "installationId": None,
    }
    needs = {app["slug"]: app["needs"] for app in listed["items"]}
    assert (needs["searxng"], needs["duckduckgo"], needs["rag"]) == ("self_hosted", "nothing", "knowledge")


def test_a_remote_avatar_in_the_row_is_ignored(house: House) -> None:
    App.objects.filter(pk="app_brave_search").update(avatar_url="https://evil.example/a.svg")
    shown = house.member.api("GET", f"{house.path}/apps/brave").json()
    assert shown["icon"] == "/static/app-icons/brave.svg"
    assert "evil.example" not in str(shown)


def test_installing_makes_the_default_selection_and_no_connection(house: House) -> None:
    made = house.admin.api("POST", f"{house.path}/app-installations", {"appId": "app_brave_search"})
    assert made.status_code == 201
    shown = made.json()
    definition = shown["extension"].pop("definition")
    assert shown == {
        "id": Installation.objects.get().id,
        "appId": "app_brave_search",
        "slug": "brave",
        "status": "active",
        "installedAt": shown["installedAt"],
        "extension": {"name": "brave", "enabled": True, "agentAccess": "all"},
        "lastTest": None,
    }
    assert definition["domain"] == "brave"
    assert definition["version"] == "1.0.0"
    assert definition["digest"].startswith("sha256:")
    assert app_state(house, "brave") == "needs_setup"
    assert app_state(house, "tavily") == "not_installed"
    assert not Connection.objects.exists()
    assert "app.installed" in actions()


def test_installing_twice_is_refused_and_changes_nothing(house: House) -> None:
    body = {"appId": "app_brave_search"}
    house.admin.api("POST", f"{house.path}/app-installations", body)
    before = rows()
    assert code(house.owner.api("POST", f"{house.path}/app-installations", body)) == (409, "already_installed")
    assert rows() == before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"appId": "app_nothing"}, (404, "not_found")),
        ({}, (400, "invalid_input")),
        ({"appId": 5}, (400, "invalid_input")),
        ({"appId": "app_brave_search", "provider": "brave"}, (400, "invalid_input")),
    ],
)
def test_a_bad_installation_changes_nothing(house: House, body: Any, expected: tuple[int, str]) -> None:
    before = rows()
    assert code(house.admin.api("POST", f"{house.path}/app-installations", body)) == expected
    assert rows() == before


def test_members_may_look_and_ask_but_not_install(house: House) -> None:
    before = rows()
    path = f"{house.path}/app-installations"
    assert code(house.member.api("POST", path, {"appId": "app_brave_search"})) == (403, "permission_denied")
    assert rows() == before
    assert house.member.api("GET", path).json() == {"items": [], "next": None}


def test_a_request_is_approved_and_installs(house: House) -> None:
    asked = house.member.api(
        "POST", f"{house.path}/app-requests", {"appId": "app_tavily", "reason": "for the news desk"}
    )
    assert asked.status_code == 201
    assert (asked.json()["status"], asked.json()["requestedBy"]["email"]) == ("pending", house.member.user.email)
    assert app_state(house, "tavily") == "requested"
    again = house.member.api("POST", f"{house.path}/app-requests", {"appId": "app_tavily"})
    assert code(again) == (409, "conflict")
    other = house.admin.api("POST", f"{house.path}/app-requests", {"appId": "app_tavily"})
    assert other.status_code == 201

    approved = house.admin.api("POST", f"{house.path}/app-requests/{asked.json()['id']}:approve")
    assert approved.status_code == 200
    assert approved.json()["appId"] == "app_tavily"
    assert set(AppRequest.objects.values_list("status", flat=True)) == {"approved"}
    assert app_state(house, "tavily") == "needs_setup"
    before = rows()
    assert code(house.admin.api("POST", f"{house.path}/app-requests/{asked.json()['id']}:approve")) == (409, "conflict")
    assert rows() == before


def test_a_declined_request_installs_nothing(house: House) -> None:
    asked = house.member.api("POST", f"{house.path}/app-requests", {"appId": "app_tavily"}).json()
    declined = house.owner.api("POST", f"{house.path}/app-requests/{asked['id']}:decline")
    assert (declined.status_code, declined.json()["status"]) == (200, "declined")
    assert not Installation.objects.exists()
    assert app_state(house, "tavily") == "not_installed"


def test_members_do_not_decide(house: House) -> None:
    asked = house.member.api("POST", f"{house.path}/app-requests", {"appId": "app_tavily"}).json()
    before = rows()
    for verb in ("approve", "decline"):
        assert house.member.api("POST", f"{house.path}/app-requests/{asked['id']}:{verb}").status_code == 403
    assert house.member.api("GET", f"{house.path}/app-requests").status_code == 403
    assert rows() == before


def test_uninstalling_destroys_the_credential_and_a_new_installation_starts_afresh(road: Road) -> None:
    installation_id = road.connect("brave")
    path = f"{road.house.path}/app-installations/{installation_id}"
    road.house.admin.api("PUT", f"{path}/search-engine-options", {"country": "DE"})
    assert road.search("brave").status_code == 200
    assert road.house.admin.api("DELETE", path).status_code == 204
    assert code(road.search("brave")) == (404, "extension_not_found")
    assert not Credential.objects.exists()
    assert not Connection.objects.exists()
    assert not EngineOptions.objects.exists()
    assert code(road.house.admin.api("GET", path)) == (404, "not_found")
    assert Installation.objects.get(pk=installation_id).status == "uninstalled"
    assert road.install("brave") != installation_id
    assert code(road.search("brave")) == (404, "extension_not_found")


@pytest.mark.parametrize(
    ("change", "back"), [({"enabled": False}, {"enabled": True}), ({"agentAccess": "selected"}, {"agentAccess": "all"})]
)
def test_deselecting_takes_effect_at_once(road: Road, change: dict[str, Any], back: dict[str, Any]) -> None:
    installation_id = road.connect("brave")
    path = f"{road.house.path}/app-installations/{installation_id}/extension"
    assert road.search("brave").json() == {"results": [RESULT]}
    changed = road.house.admin.api("PATCH", path, change)
    assert changed.status_code == 200
    assert {name: changed.json()[name] for name in change} == change
    assert code(road.search("brave")) == (404, "extension_not_found")
    assert road.agent("GET", "exec").json() == {"extensions": []}
    road.house.admin.api("PATCH", path, back)
    assert road.search("brave").status_code == 200


def test_one_agent_is_allowed_or_denied_whatever_the_selection_says(road: Road) -> None:
    installation_id = road.connect("brave")
    other = Caller(road.house.agent_token(road.house.agent("second")))
    path = f"{road.house.path}/agents/{road.agent_row.id}/extension-authorizations/brave"
    assert road.house.admin.api("PUT", path, {"allowed": False}).json() == {
        "agentId": road.agent_row.id,
        "name": "brave",
        "allowed": False,
    }
    assert code(road.search("brave")) == (404, "extension_not_found")
    assert other("POST", "exec/brave/search", {"query": "x"}).status_code == 200
    extension = f"{road.house.path}/app-installations/{installation_id}/extension"
    road.house.admin.api("PATCH", extension, {"agentAccess": "selected"})
    road.house.admin.api("PUT", path, {"allowed": True})
    assert road.search("brave").status_code == 200
    assert code(other("POST", "exec/brave/search", {"query": "x"})) == (404, "extension_not_found")
    assert road.house.admin.api("DELETE", path).status_code == 204
    assert code(road.search("brave")) == (404, "extension_not_found")


def test_an_authorization_needs_a_known_agent_and_extension(house: House) -> None:
    agent = house.agent()
    before = rows()
    path = f"{house.path}/agents/{agent.id}/extension-authorizations/brave"
    assert code(house.admin.api("PUT", path, {"allowed": True})) == (404, "not_found")
    assert code(house.admin.api("PUT", path, {"allowed": "yes"})) == (400, "invalid_input")
    assert rows() == before


@pytest.mark.parametrize(
    "slug", ["brave", "Brave", "BRAVE", "bra\u200bve", "\uff42rave", "rag", "SEARXNG", "exa\ufeff", "bra\u00adve"]
)
def test_reserved_slugs_and_their_lookalikes_are_refused(house: House, slug: str) -> None:
    before = rows()
    refused = house.admin.api("POST", f"{house.path}/custom-apps", {"slug": slug, "displayName": "Brave"})
    assert code(refused) == (409, "slug_reserved")
    assert rows() == before


@pytest.mark.parametrize("slug", ["br\u0430ve", "a b", "-a", "a" * 65, "ab/c"])
def test_slugs_are_plain_ascii(house: House, slug: str) -> None:
    before = rows()
    refused = house.admin.api("POST", f"{house.path}/custom-apps", {"slug": slug, "displayName": "Mine"})
    assert code(refused) == (400, "invalid_input")
    assert rows() == before


def test_a_custom_app_is_the_workspaces_own_and_has_no_connection(house: House, other_house: House) -> None:
    made = house.admin.api("POST", f"{house.path}/custom-apps", {"slug": "wiki", "displayName": "Our wiki"})
    assert made.status_code == 201
    assert (made.json()["kind"], made.json()["state"]) == ("custom", "not_installed")
    body = {"appId": made.json()["appId"]}
    assert code(other_house.admin.api("POST", f"{other_house.path}/app-installations", body)) == (404, "not_found")
    assert code(other_house.admin.api("GET", f"{other_house.path}/apps/wiki")) == (404, "not_found")
    installed = house.admin.api("POST", f"{house.path}/app-installations", body).json()
    assert installed["extension"] is None
    path = f"{house.path}/app-installations/{installed['id']}"
    before = rows()
    for method, route, sent in [
        ("GET", "search-engine-connection", None),
        ("PUT", "search-engine-connection", {"credentials": {"apiKey": "canary-0000"}}),
        ("DELETE", "search-engine-connection", None),
        ("POST", "search-engine-connection:test", None),
        ("GET", "search-engine-options", None),
        ("PUT", "search-engine-options", {}),
    ]:
        assert code(house.admin.api(method, f"{path}/{route}", sent)) == (404, "not_found")
    assert rows() == before


SPOOFS = [
    {"id": "app_evil", "slug": "brave"},
    {"id": "app_evil", "slug": "evil", "display_name": "Brave Search"},
    {"id": "app_brave_search", "slug": "evil"},
    {"id": "app_tavily", "slug": "brave"},
    {"id": "app_evil", "slug": "evil", "manifest": {"slug": "brave", "id": "app_brave_search"}, "kind": "product"},
]


@pytest.mark.parametrize("spoof", SPOOFS)
def test_a_row_that_only_resembles_a_product_app_gets_none_of_its_behaviour(road: Road, spoof: dict[str, Any]) -> None:
    App.objects.filter(pk__in=["app_brave_search", "app_tavily"]).delete()
    app = App.objects.create(**{"display_name": "X", "kind": "product", **spoof})
    version = app.versions.create(
        version="1.0.0",
        definition_domain="brave",
        definition_version="1.0.0",
        definition_digest="sha256:0",
        default_name="brave",
    )
    refused = road.house.admin.api("POST", f"{road.house.path}/app-installations", {"appId": app.id})
    assert code(refused) == (404, "not_found")
    installation = Installation.objects.create(workspace=road.house.workspace, app=app, app_version=version)
    ExtensionSelection.objects.create(workspace=road.house.workspace, installation=installation, name="brave")
    Connection.objects.create(installation=installation)
    assert code(road.search("brave")) == (404, "extension_not_found")
    assert road.agent("GET", "exec").json() == {"extensions": []}
    assert code(road.house.admin.api("GET", road.connection_path(installation.id))) == (404, "not_found")
    assert code(road.test(installation.id)) == (404, "not_found")
    assert "brave" not in [
        shown["slug"] for shown in road.house.admin.api("GET", f"{road.house.path}/apps").json()["items"]
    ]
    assert road.upstream.requests == []


def test_a_pin_that_does_not_match_closes_the_engine(road: Road) -> None:
    installation_id = road.connect("brave")
    version = Installation.objects.get(pk=installation_id).app_version
    assert version is not None
    for field, value in [("definition_digest", "sha256:0"), ("definition_version", "9"), ("definition_domain", "x")]:
        original = getattr(version, field)
        setattr(version, field, value)
        version.save()
        assert code(road.search("brave")) == (404, "extension_not_found")
        assert road.agent("GET", "exec").json() == {"extensions": []}
        assert app_state(road.house, "brave") == "unavailable"
        setattr(version, field, original)
        version.save()
    assert road.search("brave").status_code == 200
    assert len(road.upstream.requests) == 1


def test_an_app_that_an_operator_disabled_is_unavailable(road: Road) -> None:
    road.connect("brave")
    App.objects.filter(pk="app_brave_search").update(enabled=False)
    assert code(road.search("brave")) == (404, "extension_not_found")
    assert app_state(road.house, "brave") == "unavailable"
    App.objects.filter(pk="app_brave_search").update(enabled=True)
    assert road.search("brave").status_code == 200


def test_five_failed_calls_want_attention_and_one_success_ends_it(road: Road) -> None:
    road.connect("brave")
    road.upstream.reply(status=500)
    for _ in range(4):
        road.search("brave")
    road.executions()
    assert app_state(road.house, "brave") == "connected"
    road.search("brave")
    road.executions()
    assert app_state(road.house, "brave") == "attention"
    from tests.road import ANSWERS

    road.upstream.reply(json=ANSWERS["brave"])
    road.search("brave")
    road.executions()
    assert app_state(road.house, "brave") == "connected"
