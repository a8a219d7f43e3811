"""Serves pages and API as in production: `python -m agentteam.serve`.

First the system checks: a deployment that is configured wrongly does not start, and says which variable is wrong.
Then this process becomes the server, so that signals reach it directly.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

APPLICATION = "agentteam.wsgi:application"
METRICS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
LOG_FORMAT = "AGENTTEAM_LOG_FORMAT"
# Of glibc: by default each of the many threads may keep freed memory in a heap of its own.
HEAPS = ("MALLOC_ARENA_MAX", "2")
SHORTEST_GRACE = 26


@dataclass(frozen=True)
class Serving:
    """Where and with how much. ``threads`` is per worker process, ``grace`` the seconds that calls in flight get.

    A call waits at most 15 seconds for its provider, and what is queued then takes at most 10 seconds to be written:
    the grace is longer than both.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 4
    threads: int = 128
    grace: int = 30

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Serving":
        """Raises `ValueError` that names the variable which is no number, or out of bounds."""
        return cls(
            host=environ.get("AGENTTEAM_HOST", cls.host),
            port=_number(environ, "PORT", cls.port, 65_535),
            workers=_number(environ, "WEB_CONCURRENCY", cls.workers, 256),
            threads=_number(environ, "AGENTTEAM_THREADS", cls.threads, 1024),
            grace=_number(environ, "AGENTTEAM_GRACE_SECONDS", cls.grace, 3600, minimum=SHORTEST_GRACE),
        )

    def gunicorn(self, application: str = APPLICATION) -> list[str]:
        """The command of gunicorn's threaded worker; `--preload` lets the workers share the loaded code."""
        command = [sys.executable, "-m", "gunicorn", application, "--worker-class", "gthread", "--preload"]
        command += ["--bind", f"{self.host}:{self.port}", "--backlog", "2048"]
        command += ["--workers", str(self.workers), "--threads", str(self.threads)]
        command += ["--worker-connections", str(self.threads + 1000), "--keep-alive", "75"]
        command += ["--timeout", "60", "--graceful-timeout", str(self.grace)]
        command += ["--no-control-socket", "--log-level", "warning"]
        if Path("/dev/shm").is_dir():  # noqa: S108 - heartbeats of workers, on memory rather than on a slow disk
            command += ["--worker-tmp-dir", "/dev/shm"]  # noqa: S108
        return command


def _number(environ: Mapping[str, str], name: str, default: int, maximum: int, minimum: int = 1) -> int:
    text = environ.get(name, "").strip() or str(default)
    if not text.isascii() or not text.isdigit() or not minimum <= int(text) <= maximum:
        raise ValueError(f"{name} is a whole number from {minimum} to {maximum}")
    return int(text)


def load_settings() -> None:
    """Read the settings, and with them what `.env` says. Raises `ImproperlyConfigured` or `ValueError`."""
    from django.conf import settings

    settings.DEBUG  # noqa: B018 - the first one that is read loads them all


def check() -> None:
    """Run the system checks. Raises `SystemCheckError`, whose text names the variable."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("check", fail_level="ERROR")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentteam.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management.base import SystemCheckError

    try:
        load_settings()
        # Only the workers count there: without the variable, the checks below import metrics that need no directory.
        directory = os.environ.pop(METRICS_DIRECTORY, "")
        check()
        serving = Serving.from_environment(os.environ)
        os.environ[METRICS_DIRECTORY] = fresh_metrics_directory(directory)
        os.environ[LOG_FORMAT] = log_format()
        os.environ.setdefault(*HEAPS)
    except (SystemCheckError, ImproperlyConfigured, ValueError) as wrong:
        sys.exit(f"not started: {wrong}")
    sys.stderr.write(f"Starting on http://{serving.host}:{serving.port}; Ctrl-C stops it.\n")
    os.execv(sys.executable, [*serving.gunicorn(), "--config", "python:agentteam.gunicorn_hooks"])  # noqa: S606 - our own command, without a shell


def log_format() -> str:
    """What the settings make of the environment: the server's own lines begin before its settings are loaded."""
    from django.conf import settings

    return str(settings.AGENTTEAM_LOG_FORMAT)


def fresh_metrics_directory(named: str) -> str:
    """What the worker processes count is summed over files of this directory; old ones are of an earlier start.

    Without a name one is made, whose own name has this process' number: see `made_here`. Raises `ValueError`.
    """
    if not named:
        return tempfile.mkdtemp(prefix=_own_prefix())
    directory = Path(named)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.glob("*.db"):
            old.unlink()
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        raise ValueError(f"{METRICS_DIRECTORY} is no folder that can be written to") from None
    return named


def made_here(directory: str) -> bool:
    """Whether this process made the directory, rather than the operator or another server."""
    path = Path(directory)
    return path.parent == Path(tempfile.gettempdir()) and path.name.startswith(_own_prefix())


def _own_prefix() -> str:
    return f"agentteam-metrics-{os.getpid()}-"


if __name__ == "__main__":
    main()
