"""The product as production serves it: real processes on a database of their own."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from bench.processes import Running, free_port, started
from bench.product import environment, manage
from tests.road import ANSWERS, APP_IDS, KEY
from tests.upstream import Upstream

SERVE = ["-m", "agentteam.serve"]
METRICS_TOKEN = "metrics-0000"


@dataclass(frozen=True)
class Deployment:
    """A migrated database with one workspace, and the environment of every process that works on it."""

    environ: dict[str, str]
    ids: dict[str, str]
    upstream: Upstream

    @classmethod
    def build(cls, database_url: str, upstream: Upstream, **more: str) -> "Deployment":
        environ = {**environment(database_url, upstream.url, 0), "AGENTTEAM_METRICS_TOKEN": METRICS_TOKEN, **more}
        manage(environ, "migrate", "--verbosity", "0")
        ids = manage(environ, "bootstrap", "--workspace", "Harbour", "--email", "owner@example.org", "--json")
        return cls(environ, json.loads(ids), upstream)

    @property
    def path(self) -> Path:
        """Of the SQLite file."""
        return Path(self.environ["DATABASE_URL"].removeprefix("sqlite:///"))

    def copy(self, path: Path, upstream: Upstream) -> "Deployment":
        """The same on a copy of the SQLite file, with another upstream."""
        shutil.copy(self.path, path)
        return self.on(f"sqlite:///{path}", upstream)

    def on(self, database_url: str, upstream: Upstream) -> "Deployment":
        """The same keys and people on another database."""
        environ = {
            **self.environ,
            "DATABASE_URL": database_url,
            "AGENTTEAM_SEARCH_ORIGIN_BRAVE": upstream.url,
        }
        return Deployment(environ, self.ids, upstream)

    def manage(self, *arguments: str) -> str:
        return manage(self.environ, *arguments)

    @contextmanager
    def served(self, workers: int = 1, threads: int = 64, **more: str) -> Iterator["Served"]:
        import sys

        port = free_port()
        sizes = {"PORT": str(port), "WEB_CONCURRENCY": str(workers), "AGENTTEAM_THREADS": str(threads)}
        with started([sys.executable, *SERVE], {**self.environ, **sizes, **more}, port) as running:
            yield Served(self, running, f"http://127.0.0.1:{port}")


@dataclass(frozen=True)
class Served:
    """One server, with clients for its people, its agent and its operators."""

    deployment: Deployment
    running: Running
    url: str

    def request(self, method: str, path: str, token: str | None = None, body: Any = None) -> requests.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return requests.request(method, f"{self.url}{path}", json=body, headers=headers, timeout=60)

    def owner(self, method: str, path: str, body: Any = None) -> requests.Response:
        ids = self.deployment.ids
        return self.request(method, f"/api/v1/workspaces/{ids['workspaceId']}/{path}", ids["ownerToken"], body)

    def search(self, engine: str = "brave", query: str = "ferry times", token: str | None = None) -> requests.Response:
        token = token or self.deployment.ids["agentToken"]
        return self.request("POST", f"/api/v1/exec/{engine}/search", token, {"query": query})

    def connect(self, engine: str = "brave", key: str = KEY) -> str:
        """Install and connect; returns the installation's id."""
        installation = self.owner("POST", "app-installations", {"appId": APP_IDS[engine]}).json()["id"]
        saved = self.owner(
            "PUT",
            f"app-installations/{installation}/search-engine-connection",
            {"credentials": {"apiKey": key}},
        )
        assert saved.status_code == 200, saved.text
        self.deployment.upstream.reply(json=ANSWERS[engine])
        return str(installation)

    def metrics(self) -> dict[str, float]:
        """Each sample by its name with labels."""
        text = self.request("GET", "/metrics", METRICS_TOKEN).text
        lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in lines}

    def executions(self) -> list[dict[str, Any]]:
        return self.owner("GET", "activity?kind=execution").json()["items"]

    def log(self) -> list[dict[str, Any]]:
        """The lines that are JSON objects."""
        lines = self.running.log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def ask_to_stop(self) -> None:
        os.kill(self.running.process.pid, signal.SIGTERM)


class Stuck:
    """Calls that wait for a provider which does not answer until it is told to."""

    def __init__(self, server: Served, count: int) -> None:
        self.upstream = server.deployment.upstream
        self.pool = ThreadPoolExecutor(count)
        before = len(self.upstream.requests)
        self.upstream.reply(json=ANSWERS["brave"], delay=60)
        self.calls: list[Future[requests.Response]] = [self.pool.submit(server.search) for _ in range(count)]
        self.upstream.wait_for_requests(before + count, timeout=30)

    def release(self) -> list[int]:
        """Let the provider answer; the statuses of the calls."""
        self.upstream.release()
        return [call.result().status_code for call in self.calls]

    def __enter__(self) -> "Stuck":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.upstream.release()
        self.pool.shutdown()


def eventually(holds: Callable[[], bool], seconds: float = 15) -> None:
    """Wait until it holds; fail when it does not within that time."""
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come to hold"
        time.sleep(0.05)
