"""Load by wrk, and what it saw."""

import json
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from typing import Any

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
    """What one run of wrk saw; latencies in milliseconds. ``failed`` counts calls not answered by 200."""

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


def require_wrk() -> None:
    if shutil.which("wrk") is None:
        raise SystemExit("The bench needs wrk: apt-get install wrk, or brew install wrk.")


def run(url: str, token: str, clients: int, seconds: float) -> Load:
    """POST one search over and over from that many keep-alive connections."""
    body = json.dumps({"query": "harbour ferry timetable", "limit": 10})
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % {"body": body, "token": token})
        script.flush()
        command = ["wrk", "-t1", f"-c{clients}", f"-d{max(1, round(seconds))}s", "--timeout", "30s", "-s", script.name]
        done = subprocess.run([*command, url], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("SUMMARY "))
    seen = json.loads(line.removeprefix("SUMMARY "))
    failed = seen.pop("bad_status") + seen.pop("broken")
    return Load(**seen, failed=failed)
