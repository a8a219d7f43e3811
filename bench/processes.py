"""Starting what is measured, and what it takes of the machine."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a process and all its children: processor seconds so far, memory as PSS in MiB, threads, open sockets."""

    cpu_seconds: float
    memory_mib: float
    threads: int
    sockets: int


class Running:
    """A server process with its workers."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    def family(self) -> list[psutil.Process]:
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def cpu_seconds(self) -> float:
        return sum(times.user + times.system for times in (one.cpu_times() for one in self.family()))

    def usage(self) -> Usage:
        family = self.family()
        return Usage(
            cpu_seconds=self.cpu_seconds(),
            memory_mib=sum(one.memory_full_info().pss for one in family) / 2**20,
            threads=sum(one.num_threads() for one in family),
            sockets=sum(len(one.net_connections("tcp")) for one in family),
        )

    def stop(self, seconds: float = 30) -> int:
        """Ask to stop, and wait. The exit status; negative when the process had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            for one in self.family():
                one.kill()
            self.process.wait()
            return -9


@contextmanager
def started(command: Sequence[str], environ: Mapping[str, str], port: int) -> Iterator[Running]:
    """Runs until the block ends; enters it once the port takes connections."""
    with tempfile.NamedTemporaryFile(prefix="bench-", suffix=".log", delete=False) as log:
        process = subprocess.Popen(
            command, env={**os.environ, **environ}, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
        )
    running = Running(process, Path(log.name))
    try:
        _wait_for(running, port)
        yield running
    finally:
        running.stop()
        running.log.unlink()


def _wait_for(running: Running, port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if running.process.poll() is not None:
            raise SystemExit(f"a server did not start:\n{running.log.read_text()[-2000:]}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"a server does not answer:\n{running.log.read_text()[-2000:]}")


@contextmanager
def stub(milliseconds: int) -> Iterator[str]:
    """The origin of an upstream that answers after that time."""
    port = free_port()
    with started([sys.executable, "-m", "bench.stub", str(port), str(milliseconds)], {}, port):
        yield f"http://127.0.0.1:{port}"
