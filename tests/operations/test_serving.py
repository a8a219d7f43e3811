"""Starting, stopping, logging: `python -m agentteam.serve` as a real process."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from bench.processes import ROOT, free_port
from tests.operations.served import SERVE, Deployment, Served, eventually
from tests.road import ANSWERS, KEY


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AGENTTEAM_APP_CREDENTIALS_MASTER_KEY", "c2hvcnQ="),
        ("AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS", "!!!!"),
        ("AGENTTEAM_EXEC_RATE", "many"),
        ("WEB_CONCURRENCY", "0"),
        ("AGENTTEAM_THREADS", "few"),
        ("AGENTTEAM_CALLS_IN_FLIGHT", "lots"),
        ("DATABASE_URL", "harbour"),
        ("PORT", "first"),
    ],
)
def test_refuses_to_start_and_names_the_variable(template: Deployment, variable: str, value: str) -> None:
    environ = {**os.environ, **template.environ, "PORT": str(free_port()), variable: value}
    done = subprocess.run([sys.executable, *SERVE], env=environ, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert variable in done.stderr
    assert "Traceback" not in done.stderr
    assert value not in done.stderr


def test_a_call_in_flight_is_answered_and_written_when_the_server_stops(harbour: Deployment) -> None:
    with harbour.served() as server, ThreadPoolExecutor(1) as pool:
        server.connect()
        harbour.upstream.reply(json=ANSWERS["brave"], delay=60)
        call = pool.submit(server.search)
        harbour.upstream.wait_for_requests(1)
        server.ask_to_stop()
        eventually(lambda: not _serves(server))
        assert not call.done()
        harbour.upstream.release()
        assert call.result().status_code == 200
        assert server.running.process.wait(30) == 0
    with harbour.served() as server:
        assert [(row["code"], row["results"]) for row in server.executions()] == [("ok", 1)]
        used = server.owner("GET", "agents").json()["items"][0]
        assert used["id"] == harbour.ids["agentId"]


def _serves(server: Served) -> bool:
    try:
        requests.get(f"{server.url}/healthz", headers={"Connection": "close"}, timeout=1)
    except requests.RequestException:
        return False
    return True


def test_one_json_line_a_call_with_its_request_id(server: Served) -> None:
    answer = server.search(query="a query that nobody else asks")
    request_id = answer.headers["X-Request-Id"]
    eventually(lambda: any(line.get("request_id") == request_id for line in server.log()))
    lines = [line for line in server.log() if line.get("request_id") == request_id]
    assert len(lines) == 1
    assert (
        lines[0].items()
        >= {
            "event": "request",
            "level": "info",
            "method": "POST",
            "path": "/api/v1/exec/brave/search",
            "status": 200,
        }.items()
    )
    text = server.running.log.read_text()
    assert f"Starting on {server.url}; Ctrl-C stops it." in text
    assert "nobody else" not in text
    assert KEY not in text
    assert server.deployment.ids["agentToken"] not in text


def test_executions_are_written_within_seconds_and_the_token_is_marked_used(server: Served) -> None:
    request_id = server.search().headers["X-Request-Id"]
    eventually(lambda: request_id in [row["requestId"] for row in server.executions()])


def test_static_files_and_pages_come_from_the_same_server(server: Served) -> None:
    icon = server.request("GET", "/static/app-icons/brave.svg")
    assert (icon.status_code, icon.headers["Content-Type"]) == (200, "image/svg+xml")
