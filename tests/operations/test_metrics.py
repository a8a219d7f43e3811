"""`/metrics` over all worker processes."""

import re
from collections.abc import Iterator

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from agentteam import metrics
from apps.activity.models import Execution
from apps.workspaces.errors import KINDS
from bench.processes import ROOT
from searchengines.errors import Code
from searchengines.knowledge_base import KnowledgeBase
from searchengines.providers import ALL
from tests.activity.test_writer import executed
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
    assert after[upstream] - before.get(upstream, 0) == 13
    eventually(lambda: _sockets(server) == len(server.deployment.upstream.requests))
    # Levels are told at a tick: another worker's may still be of the moment of a call.
    eventually(lambda: server.metrics()['agentteam_calls_in_flight{engine="brave"}'] == 0)
    eventually(lambda: server.metrics()["agentteam_activity_queued"] == 0)
    text = server.request("GET", "/metrics", METRICS_TOKEN).text
    ids = server.deployment.ids
    for secret in ("Harbour", "nobody", ids["workspaceId"], ids["agentId"], "owner@example.org"):
        assert secret not in text


def test_errors_of_ours_are_counted_once_by_code(server: Served) -> None:
    def refused() -> dict[str, float]:
        samples = server.metrics()
        return {code: samples[f'agentteam_refused_total{{code="{code}"}}'] for code in KINDS if code not in list(Code)}

    before = refused()
    calls = server.metrics()
    token = server.deployment.ids["agentToken"]
    assert server.search("no-such-engine").status_code == 404
    assert server.search(query="").status_code == 400
    assert server.search(token="ata_wrong").status_code == 401
    assert server.request("GET", "/api/v1/no/such/route").status_code == 404
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none__search", "arguments": {}}}
    assert server.request("POST", "/mcp", token, call).json()["result"]["isError"]
    server.deployment.upstream.reply(status=500)
    assert server.search().status_code == 502
    server.deployment.upstream.reply(json=ANSWERS["brave"])
    after = refused()
    grown = {code: after[code] - before[code] for code in after if after[code] != before[code]}
    assert grown == {"extension_not_found": 2, "invalid_input": 1, "unauthenticated": 1, "not_found": 1}
    assert _total(server.metrics(), "agentteam_calls_total") - _total(calls, "agentteam_calls_total") == 1


def test_what_the_page_names_is_there_and_no_label_is_a_tenants(server: Served) -> None:
    assert server.search().status_code == 200
    page = (ROOT / "docs" / "operations.md").read_text()
    documented = {
        name: set(filter(None, labels.strip("{}").split(",")))
        for name, labels in re.findall(r"`(agentteam_[a-z_]+)((?:\{[a-z,]+\})?)`", page)
    }
    served = {family.name: family for family in _families(server)}
    assert {name.removesuffix("_total") for name in documented} == {
        name for name in served if name.startswith("agentteam_")
    }
    engines = {*(provider.slug for provider in ALL), KnowledgeBase.slug, "other"}
    taken = {
        "engine": engines,
        "caller": set(Execution.Caller.values),
        "code": {"ok", *KINDS},
        "kind": {"new", "kept"},
    }
    for name, labels in documented.items():
        for sample in served[name.removesuffix("_total")].samples:
            given = {label: value for label, value in sample.labels.items() if label != "le"}
            assert set(given) == labels, sample
            assert all(value in taken[label] for label, value in given.items()), sample


def test_a_name_that_is_no_engine_is_other() -> None:
    metrics.count(executed(1, extension="harbours-own-name"))
    text = metrics.generate_latest(metrics.registry).decode()
    assert "harbours-own-name" not in text
    assert 'engine="other"' in text
    assert metrics._by_engine({"brave": 2, "harbours-own-name": 3})["other"] == 3


def _families(server: Served) -> Iterator[Metric]:
    return text_string_to_metric_families(server.request("GET", "/metrics", METRICS_TOKEN).text)


def _total(samples: dict[str, float], name: str) -> float:
    return sum(value for sample, value in samples.items() if sample.startswith(name))


def _sockets(server: Served) -> float:
    return _total(server.metrics(), "agentteam_egress_sockets_total")


@pytest.mark.parametrize("token", [None, "wrong", METRICS_TOKEN + "0", ""])
def test_only_for_its_bearer(server: Served, token: str | None) -> None:
    answer = server.request("GET", "/metrics", token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")


def test_off_without_a_token(harbour: Deployment) -> None:
    with harbour.served(AGENTTEAM_METRICS_TOKEN="") as server:
        for token in (None, "", METRICS_TOKEN):
            assert server.request("GET", "/metrics", token).status_code == 404
