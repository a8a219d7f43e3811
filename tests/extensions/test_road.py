"""From installation to an agent's answer, for every web engine, over the real gate and a real server."""

import pytest

from extensions.web_engines import egress
from searchengines import runtime
from searchengines.providers import ALL
from tests.road import ANSWERS, KEY, RESULT, Road

SLUGS = [provider.slug for provider in ALL]


@pytest.mark.parametrize("slug", SLUGS)
def test_install_connect_test_search_disconnect(road: Road, slug: str) -> None:
    installation_id = road.install(slug)
    assert road.search(slug).status_code == 404
    assert road.upstream.requests == []

    installation_id_again = road.house.admin.api("GET", f"{road.house.path}/app-installations").json()["items"][0]["id"]
    assert installation_id_again == installation_id
    saved = road.house.admin.api("PUT", road.connection_path(installation_id), road.connection_body(slug))
    assert saved.status_code == 200, saved.content
    assert KEY not in saved.content.decode()

    road.upstream.reply(json=ANSWERS[slug])
    tested = road.test(installation_id)
    assert (tested.status_code, tested.json()) == (200, {"ok": True})
    found = road.search(slug, limit=3)
    assert (found.status_code, found.json()) == (200, {"results": [RESULT]})
    catalog = road.agent("GET", "exec").json()["extensions"]
    assert [entry["name"] for entry in catalog] == [slug]

    assert road.house.admin.api("DELETE", road.connection_path(installation_id)).status_code == 204
    gone = road.search(slug)
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "extension_not_found")
    assert road.agent("GET", "exec").json() == {"extensions": []}
    assert len(road.upstream.requests) == 2
    assert [(row.caller, row.code, row.results) for row in road.executions()] == [("test", "ok", 1), ("agent", "ok", 1)]


def test_kept_sockets_end_with_the_connection(road: Road) -> None:
    installation_id = road.connect("brave")
    for _ in range(3):
        assert road.search("brave").status_code == 200
    assert road.upstream.connections == 1
    assert (egress().stats().idle, egress().stats().idle_by_label) == (1, {"brave": 1})
    body = road.connection_body("brave", "canary-0001")
    assert road.house.admin.api("PUT", road.connection_path(installation_id), body).status_code == 200
    assert egress().stats().idle == 0
    assert road.search("brave").status_code == 200
    assert (road.upstream.connections, road.upstream.last.headers["x-subscription-token"]) == (2, "canary-0001")
    assert road.house.admin.api("DELETE", road.connection_path(installation_id)).status_code == 204
    assert egress().stats().idle == 0


def test_a_failed_call_shows_the_time_that_the_provider_took(road: Road) -> None:
    road.connect("brave")
    road.upstream.reply(status=500)
    assert road.search("brave").status_code == 502
    row = road.executions()[-1]
    assert (row.code, row.reason) == ("upstream_failure", "bad_status")
    assert 0 < row.upstream_milliseconds < row.milliseconds


def test_a_provider_that_is_too_slow_was_waited_for(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    road.connect("brave")
    monkeypatch.setattr(runtime, "MAX_TIMEOUT_MS", 300)
    road.upstream.reply(delay=60)
    assert road.search("brave").status_code == 502
    road.upstream.release()
    row = road.executions()[-1]
    assert row.code == "upstream_failure"
    assert 290 < row.upstream_milliseconds < row.milliseconds
