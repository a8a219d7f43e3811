"""Starting, stopping, logging: `python -m agentteam.serve` as a real process."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
        ("AGENTTEAM_GRACE_SECONDS", "25"),
        ("AGENTTEAM_LOG_LEVEL", "loud"),
        ("REDIS_URL", "cache.example:6379"),
        ("PROMETHEUS_MULTIPROC_DIR", "/dev/null/metrics"),
    ],
)
def test_refuses_to_start_and_names_the_variable(template: Deployment, variable: str, value: str) -> None:
    environ = {**os.environ, **template.environ, "PORT": str(free_port()), variable: value}
    done = subprocess.run([sys.executable, *SERVE], env=environ, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert variable in done.stderr
    assert "Traceback" not in done.stderr
    assert value not in done.stderr


def sigterm(server: Served) -> None:
    server.ask_to_stop()


def ctrl_c(server: Served) -> None:
    """A terminal's: to every process of the group."""
    for process in server.running.family():
        process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("stop", [sigterm, ctrl_c])
def test_a_call_in_flight_is_answered_and_written_when_the_server_stops(
    harbour: Deployment, stop: Callable[[Served], None]
) -> None:
    with harbour.served() as server, ThreadPoolExecutor(1) as pool:
        server.connect()
        harbour.upstream.reply(json=ANSWERS["brave"], delay=60)
        call = pool.submit(server.search)
        harbour.upstream.wait_for_requests(1)
        stop(server)
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


def test_the_servers_own_lines_are_like_all_others(server: Served) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as client:
        client.sendall(b"no request\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 400 ")

    def lines() -> list[dict[str, Any]]:
        return [line for line in server.log() if line.get("logger") == "gunicorn.error"]

    eventually(lambda: bool(lines()))
    assert lines()[0]["level"] == "warning"
    assert lines()[0]["event"] == "Invalid request"
    starting, *others = server.running.log.read_text().splitlines()
    if starting.startswith("System check"):
        starting, *others = others
    assert starting.startswith("Starting on http://127.0.0.1:")
    assert all(isinstance(json.loads(line), dict) for line in others)


def refused_requests(server: Served) -> list[dict[str, Any]]:
    return [line for line in server.log() if line["event"] == "Invalid request"]


def test_a_malformed_request_is_not_quoted(server: Served) -> None:
    token = server.deployment.ids["agentToken"]
    before = len(refused_requests(server))
    for head in (f"GET / HTTP/1.1\r\nAuthorization : Bearer {token}", f"GET /?key={token} HTTP/nine"):
        with socket.create_connection(("127.0.0.1", urlsplit(server.url).port or 0), timeout=10) as client:
            client.sendall(f"{head}\r\n\r\n".encode())
            assert client.recv(12) == b"HTTP/1.1 400"
    eventually(lambda: len(refused_requests(server)) == before + 2)
    assert token not in server.running.log.read_text()


@pytest.mark.parametrize(("trusted", "behind", "status"), [("", "0", 308), ("", "1", 401), ("127.0.0.1", "0", 401)])
def test_a_proxy_of_this_machine_or_one_that_is_named_says_what_is_https(
    harbour: Deployment, trusted: str, behind: str, status: int
) -> None:
    """The server itself believes loopback, unless told otherwise; here that is where every request comes from."""
    with harbour.served(AGENTTEAM_HTTPS="1", AGENTTEAM_BEHIND_PROXY=behind, FORWARDED_ALLOW_IPS=trusted) as server:
        said = {"X-Forwarded-Proto": "https"}
        answers = [
            requests.get(f"{server.url}/api/v1/exec", headers=headers, allow_redirects=False, timeout=10).status_code
            for headers in (said, {})
        ]
        assert answers == [status, 308]


def test_metrics_are_counted_in_a_directory_that_is_made_and_kept(harbour: Deployment, tmp_path: Path) -> None:
    directory = tmp_path / "run" / "metrics"
    for _ in range(2):
        with harbour.served(PROMETHEUS_MULTIPROC_DIR=str(directory)) as server:
            assert not (directory / "gauge_all_1.db").exists()
            assert server.metrics()["agentteam_activity_queued"] == 0
            assert list(directory.glob("*.db"))
        # Of an earlier start.
        (directory / "gauge_all_1.db").write_bytes(b"")


def test_a_directory_that_the_server_made_goes_with_it(harbour: Deployment, tmp_path: Path) -> None:
    other = tmp_path / "agentteam-metrics-1-other"
    other.mkdir()
    with harbour.served(TMPDIR=str(tmp_path), PROMETHEUS_MULTIPROC_DIR="") as server:
        (made,) = set(tmp_path.glob("agentteam-metrics-*")) - {other}
        assert server.metrics()["agentteam_activity_queued"] == 0
        assert list(made.glob("*.db"))
        # A worker that ends leaves it to the others.
        before = server.running.family()[1:]
        for worker in before:
            worker.terminate()
        eventually(lambda: bool(set(server.running.family()[1:]) - set(before)))
        eventually(lambda: not any(worker.is_running() for worker in before))
        assert made.is_dir()
    assert list(tmp_path.glob("agentteam-metrics-*")) == [other]


@pytest.mark.parametrize("by_file", [False, True])
def test_commands_count_nowhere(harbour: Deployment, tmp_path: Path, by_file: bool) -> None:
    directory = tmp_path / "metrics"
    named = {"PROMETHEUS_MULTIPROC_DIR": str(directory)}
    if by_file:
        file = tmp_path / "env"
        file.write_text("".join(f"{name}={value}\n" for name, value in named.items()))
        named = {"AGENTTEAM_ENV_FILE": str(file)}
    environ = {**os.environ, **harbour.environ, **named}
    for command in (["check"], ["shell", "-c", "import agentteam.urls"]):
        subprocess.run([sys.executable, "manage.py", *command], env=environ, cwd=ROOT, check=True, capture_output=True)
    assert not directory.exists()
