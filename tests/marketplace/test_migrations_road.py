"""Engines rolled back and forward under configured workspaces (spec A 2, cases MI-01 and MI-04)."""

import pytest
from django.core.management import call_command

from apps.marketplace.models import App, Credential
from searchengines.providers import ALL, ENGINES
from tests.marketplace.migrating import (  # noqa: F401 - fixtures
    Dump,
    backward,
    before_engines,
    dump,
    ends_migrated,
    forward,
    legacy,
    squat,
    with_availability,
)
from tests.road import ANSWERS, KEY, RESULT, Road
from tests.workspaces.conftest import build_house

SLUGS = [provider.slug for provider in ALL]
IDS = [engine.app_id for engine in ENGINES]


def rows() -> Dump:
    """Every row, but for when a token was last used and for executions, which are written behind the answers."""
    everything = dump()
    del everything["activity.Execution"]
    for name, kept in everything.items():
        everything[name] = [{key: value for key, value in row.items() if key != "last_used_at"} for row in kept]
    return everything


def search_each(road: Road) -> dict[str, object]:
    """Each engine's answer to the agent, through its own provider."""
    answers = {}
    for slug in SLUGS:
        road.upstream.reply(json=ANSWERS[slug])
        answers[slug] = road.search(slug).json()
    return answers


def states(road: Road) -> dict[str, str]:
    listed = road.house.member.api("GET", f"{road.house.path}/apps").json()["items"]
    return {app["slug"]: app["state"] for app in listed}


@pytest.mark.usefixtures("ends_migrated")
def test_configured_workspaces_work_again_without_a_key_being_entered(road: Road) -> None:
    installed = {slug: road.connect(slug) for slug in SLUGS}
    assert search_each(road) == {slug: {"results": [RESULT]} for slug in SLUGS}
    before, sealed = rows(), list(Credential.objects.order_by("pk").values_list("pk", "key_id"))
    assert len(sealed) == sum(1 for provider in ALL if provider.secret_fields)

    backward()
    assert rows() == with_availability(before, False, IDS)
    forward()
    assert rows() == before

    asked = len(road.upstream.requests)
    assert search_each(road) == {slug: {"results": [RESULT]} for slug in SLUGS}
    assert len(road.upstream.requests) == asked + len(SLUGS)
    assert road.upstream.last.headers["x-api-key"] == KEY
    for slug, installation_id in installed.items():
        road.upstream.reply(json=ANSWERS[slug])
        assert road.test(installation_id).json() == {"ok": True}


@pytest.mark.usefixtures("ends_migrated")
def test_while_rolled_back_an_engine_is_nowhere_and_nothing_can_change_it(road: Road) -> None:
    installation_id = road.connect("brave")
    # The command also sends post_migrate, which must not bring anything back.
    call_command("migrate", "searchengines", "zero", verbosity=0)
    before = rows()
    asked = len(road.upstream.requests)

    refused = road.search("brave")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "extension_not_found")
    assert road.agent("GET", "exec").json() == {"extensions": []}
    assert road.agent("GET", "exec/brave").status_code == 404
    assert states(road) == {"brave": "unavailable"}
    assert road.test(installation_id).status_code != 200
    again = road.house.admin.api("POST", f"{road.house.path}/app-installations", {"appId": "app_tavily"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    assert len(road.upstream.requests) == asked
    assert rows() == before

    call_command("migrate", "searchengines", verbosity=0)
    assert states(road) == {engine.slug: "not_installed" for engine in ENGINES} | {"brave": "connected"}
    assert road.search("brave").json() == {"results": [RESULT]}


@pytest.mark.usefixtures("ends_migrated")
def test_an_app_that_the_operator_disabled_stays_out_of_reach_after_the_roll_forward(road: Road) -> None:
    road.connect("brave")
    App.objects.filter(pk="app_brave_search").update(enabled=False)
    backward()
    forward()
    assert states(road)["brave"] == "unavailable"
    assert road.search("brave").status_code == 404


@pytest.mark.usefixtures("before_engines")
def test_a_moved_custom_app_is_still_its_workspaces_own_and_no_engine() -> None:
    house, other = build_house("harbour"), build_house("lighthouse")
    squat("brave", "app_custom_0001", house)
    forward()
    moved = legacy("brave", "app_custom_0001")
    own = house.member.api("GET", f"{house.path}/apps/{moved}").json()
    assert (own["appId"], own["kind"]) == ("app_custom_0001", "custom")
    assert house.member.api("GET", f"{house.path}/apps/brave").json()["appId"] == "app_brave_search"
    assert other.member.api("GET", f"{other.path}/apps/{moved}").status_code == 404
    connection = f"{house.path}/app-installations/inst_app_custom_0001/search-engine-connection"
    assert house.admin.api("GET", connection).status_code == 404


@pytest.mark.usefixtures("before_engines")
def test_a_row_with_the_id_alone_never_becomes_the_engine() -> None:
    house = build_house("harbour")
    squat("elsewhere", "app_brave_search", kind="product")
    forward()
    listed = {app["slug"] for app in house.member.api("GET", f"{house.path}/apps").json()["items"]}
    assert listed == {engine.slug for engine in ENGINES if engine.slug != "brave"}
    before = rows()
    refused = house.admin.api("POST", f"{house.path}/app-installations", {"appId": "app_brave_search"})
    assert refused.status_code == 404
    assert rows() == before
