"""The activity route: audit rows and executions in one list, newest first, inside the workspace."""

from typing import Any

from tests.road import Road


def read(road: Road, query: str = "") -> Any:
    return road.house.admin.api("GET", f"{road.house.path}/activity{query}").json()


def test_changes_and_calls_stand_in_one_list_newest_first(road: Road) -> None:
    installation_id = road.connect("brave")
    road.search("brave")
    road.executions()
    listed = read(road)
    assert listed["next"] is None
    assert [item.get("action") for item in listed["items"]][:3] == ["search", "connection.saved", "app.installed"]
    execution = listed["items"][0]
    assert execution == {
        "id": execution["id"],
        "kind": "execution",
        "at": execution["at"],
        "caller": {"kind": "agent", "id": road.agent_row.id, "memberId": road.agent_row.membership.id},
        "installationId": installation_id,
        "extension": "brave",
        "action": "search",
        "code": "ok",
        "reason": None,
        "results": 1,
        "milliseconds": execution["milliseconds"],
        "upstreamMilliseconds": execution["upstreamMilliseconds"],
        "keyOrdinal": None,
        "requestId": execution["requestId"],
    }
    saved = listed["items"][1]
    assert (saved["kind"], saved["actor"]["label"]) == ("audit", road.house.admin.user.email)
    assert saved["target"] == {"kind": "installation", "id": installation_id}


def test_pages_follow_each_other_without_gap_or_repetition(road: Road) -> None:
    road.connect("brave")
    for _ in range(5):
        road.search("brave")
    road.executions()
    whole = [item["id"] for item in read(road, "?limit=100")["items"]]
    paged: list[str] = []
    page = read(road, "?limit=3")
    while True:
        paged += [item["id"] for item in page["items"]]
        if page["next"] is None:
            break
        page = read(road, f"?limit=3&cursor={page['next']}")
    assert paged == whole


def test_one_kind_is_kept_and_an_unknown_one_refused(road: Road) -> None:
    road.connect("brave")
    road.search("brave")
    road.executions()
    assert {item["kind"] for item in read(road, "?kind=audit")["items"]} == {"audit"}
    assert [item["kind"] for item in read(road, "?kind=execution")["items"]] == ["execution"]
    assert read(road, "?kind=x")["error"]["fields"] == {"kind": "One of: audit, execution."}


def test_members_do_not_see_it(road: Road) -> None:
    assert road.house.member.api("GET", f"{road.house.path}/activity").status_code == 403
