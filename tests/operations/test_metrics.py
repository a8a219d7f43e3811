"""`/metrics` over all worker processes."""

import pytest

from tests.operations.served import METRICS_TOKEN, Deployment, Served, eventually
from tests.road import ANSWERS


def test_calls_of_all_workers_are_summed_and_name_no_tenant(server: Served) -> None:
    ok = 'agentteam_calls_total{caller="agent",code="ok",engine="brave"}'
    failed = 'agentteam_calls_total{caller="agent",code="upstream_failure",engine="brave"}'
    before = server.metrics()
    for _ in range(12):
        assert server.search(query="a query that nobody else asks").status_code == 200
    server.deployment.upstream.reply(status=500)
    assert server.search().status_code == 502
    server.deployment.upstream.reply(json=ANSWERS["brave"])
    after = server.metrics()
    assert after[ok] - before.get(ok, 0) == 12
    assert after[failed] - before.get(failed, 0) == 1
    count = 'agentteam_call_seconds_count{engine="brave"}'
    assert after[count] - before.get(count, 0) == 13
    upstream = 'agentteam_upstream_seconds_count{engine="brave"}'
    assert after[upstream] - before.get(upstream, 0) == 12
    eventually(lambda: _sockets(server) == len(server.deployment.upstream.requests))
    # Levels are told at a tick: another worker's may still be of the moment of a call.
    eventually(lambda: server.metrics()['agentteam_calls_in_flight{engine="brave"}'] == 0)
    eventually(lambda: server.metrics()["agentteam_activity_queued"] == 0)
    text = server.request("GET", "/metrics", METRICS_TOKEN).text
    ids = server.deployment.ids
    for secret in ("Harbour", "nobody", ids["workspaceId"], ids["agentId"], "owner@example.org"):
        assert secret not in text


def _sockets(server: Served) -> float:
    samples = server.metrics()
    return sum(value for name, value in samples.items() if name.startswith("agentteam_egress_sockets_total"))


@pytest.mark.parametrize("token", [None, "wrong", METRICS_TOKEN + "0", ""])
def test_only_for_its_bearer(server: Served, token: str | None) -> None:
    answer = server.request("GET", "/metrics", token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")


def test_off_without_a_token(harbour: Deployment) -> None:
    with harbour.served(AGENTTEAM_METRICS_TOKEN="") as server:
        for token in (None, "", METRICS_TOKEN):
            assert server.request("GET", "/metrics", token).status_code == 404
