"""Runs `agentteam` as an agent's shell does: a process of its own, and no environment but what is given."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    status: int
    stdout: bytes
    stderr: str

    @property
    def document(self) -> Any:
        """The one JSON document; anything before or after it fails."""
        return json.loads(self.stdout)

    @property
    def error(self) -> Any:
        return self.document["error"]


@dataclass(frozen=True)
class Shell:
    url: str
    token: str

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", **environment: str | None) -> Ended:
        """``environment`` adds variables, None leaves one out."""
        given = {"AGENTTEAM_URL": self.url, "AGENTTEAM_TOKEN": self.token, "PATH": os.environ["PATH"], **environment}
        done = subprocess.run(
            [sys.executable, "-m", "agentteam.cli", *arguments],
            input=stdin,
            capture_output=True,
            cwd=ROOT,
            env={name: value for name, value in given.items() if value is not None},
            timeout=30,
        )
        return Ended(done.returncode, done.stdout, done.stderr.decode())
