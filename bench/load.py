"""Load by wrk, or by locust where wrk is missing, and what it saw.

locust takes more of the machine than what it measures, so its figures are lower; the ratios are of one generator.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

GENERATORS = ("wrk", "locust")
LOCUSTFILE = Path(__file__).with_name("locustfile.py")
# What every client asks, over and over.
BODY = {"query": "harbour ferry timetable", "limit": 10}

SCRIPT = """
wrk.method = "POST"
wrk.body = [=[%(body)s]=]
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer %(token)s"
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'SUMMARY {"calls": %%d, "seconds": %%.3f, "p50": %%.2f, "p95": %%.2f, "p99": %%.2f, ' ..
    '"bad_status": %%d, "broken": %%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What one run saw; latencies in milliseconds. ``failed`` counts calls not answered by 200."""

    calls: int
    seconds: float
    p50: float
    p95: float
    p99: float
    failed: int

    @property
    def per_second(self) -> float:
        return self.calls / self.seconds

    def document(self) -> dict[str, Any]:
        return {"callsPerSecond": round(self.per_second, 1), **asdict(self)}


def installed() -> str:
    """The generator to use where none is named."""
    return "wrk" if shutil.which("wrk") else "locust"


def run(url: str, token: str, clients: int, seconds: float, generator: str | None = None) -> Load:
    """POST one search over and over from that many keep-alive connections."""
    by = _wrk if (generator or installed()) == "wrk" else _locust
    return by(url, token, clients, max(1, round(seconds)))


def _wrk(url: str, token: str, clients: int, seconds: int) -> Load:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % {"body": json.dumps(BODY), "token": token})
        script.flush()
        command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", script.name]
        done = subprocess.run([*command, url], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("SUMMARY "))
    seen = json.loads(line.removeprefix("SUMMARY "))
    failed = seen.pop("bad_status") + seen.pop("broken")
    return Load(**seen, failed=failed)


def _locust(url: str, token: str, clients: int, seconds: int) -> Load:
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--json", "--host", "http://bench"]
    command += ["--users", str(clients), "--spawn-rate", str(clients), "--run-time", f"{seconds}s"]
    command += ["--loglevel", "ERROR", "--exit-code-on-error", "0", "--stop-timeout", "30"]
    environ = {**os.environ, "BENCH_URL": url, "BENCH_TOKEN": token, "BENCH_BODY": json.dumps(BODY)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    stats = json.loads(done.stdout)
    if not stats:
        return Load(calls=0, seconds=seconds, p50=0, p95=0, p99=0, failed=0)
    (seen,) = stats
    times = sorted((int(milliseconds), number) for milliseconds, number in seen["response_times"].items())
    p50, p95, p99 = (_percentile(times, share) for share in (0.5, 0.95, 0.99))
    took = seen["last_request_timestamp"] - seen["start_time"] or seconds
    return Load(seen["num_requests"], round(took, 3), p50, p95, p99, seen["num_failures"])


def _percentile(times: list[tuple[int, int]], share: float) -> float:
    left = share * sum(number for _, number in times)
    for milliseconds, number in times:
        left -= number
        if left <= 0:
            return float(milliseconds)
    return float(times[-1][0])
