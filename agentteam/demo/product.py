"""The product as processes: `manage.py` commands, and a real server."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentteam.demo.client import Caller, DemoFailed, is_ready

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 40


class Workspace(NamedTuple):
    """A workspace with its owner and one agent. ``password`` is None for a person who was known already."""

    id: str
    owner: Caller
    agent: Caller
    password: str | None

    @property
    def path(self) -> str:
        return f"workspaces/{self.id}"


def manage(environ: Mapping[str, str], *arguments: str) -> str:
    """What a `manage.py` command printed. Raises `DemoFailed` with what it complained about."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(command, env=dict(environ), capture_output=True, text=True, check=False)
    if done.returncode:
        raise DemoFailed(f"manage.py {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def bootstrap(environ: Mapping[str, str], base: str, name: str, email: str) -> Workspace:
    made: dict[str, Any] = json.loads(
        manage(environ, "bootstrap", "--workspace", name, "--email", email, "--role", "owner", "--json")
    )
    owner, agent = Caller(base, made["ownerToken"]), Caller(base, made["agentToken"])
    return Workspace(made["workspaceId"], owner, agent, made["password"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(environ: Mapping[str, str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The production server on 127.0.0.1, ready; stopped at the end. Raises `DemoFailed` if it does not come up."""
    command = [sys.executable, "-m", "agentteam.serve"]
    server = subprocess.Popen(command, cwd=ROOT, env={**environ, "PORT": str(port)})
    try:
        _wait_until_ready(server, f"http://127.0.0.1:{port}")
        yield server
    finally:
        server.terminate()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(server: subprocess.Popen[bytes], base: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_ready(base):
        if server.poll() is not None:
            raise DemoFailed("the server did not start")
        if time.monotonic() > deadline:
            raise DemoFailed(f"the server was not ready within {START_SECONDS} seconds")
        time.sleep(0.1)


def own_database(folder: Path) -> dict[str, str]:
    """This process's environment, with a database below `folder` instead of the configured one, plain HTTP and
    no log but of errors."""
    return {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder / 'demo.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "REDIS_URL": "",
        "DEBUG": "0",
        "AGENTTEAM_HTTPS": "0",
        "AGENTTEAM_SEARXNG_ALLOW_LOOPBACK": "1",
        "ALLOWED_HOSTS": "127.0.0.1",
        "AGENTTEAM_LOG_LEVEL": "ERROR",
        "WEB_CONCURRENCY": "2",
        "AGENTTEAM_THREADS": "16",
    }
