"""Measures floor and product in one run: `python -m bench.run` (or `make bench`).

Both are served by the same server with the same workers and threads; only ratios of one run mean anything.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentteam.serve import Serving
from bench import knowledge, load, picture
from bench.processes import Running, free_port, started, stub
from bench.product import DATABASES, database, product

HERE = Path(__file__).parent
TOKEN_OF_THE_FLOOR = "none"


@dataclass(frozen=True, slots=True)
class Point:
    """How the upstream answers, and how many clients ask."""

    delay: int
    clients: int


POINTS = [Point(0, 1), Point(0, 8), Point(0, 32), Point(300, 64), Point(300, 256), Point(300, 512)]


@dataclass(frozen=True, slots=True)
class Plan:
    serving: Serving
    server: str
    seconds: float
    points: list[Point]
    databases: list[str]
    folder: Path
    knowledge: bool
    generator: str

    def command(self, application: str, port: int) -> list[str]:
        serving = Serving(port=port, workers=self.serving.workers, threads=self.serving.threads)
        return serving.gunicorn(application) if self.server == "gunicorn" else granian(serving, application)


def granian(serving: Serving, application: str) -> list[str]:
    """The other server that was measured: production runs gunicorn."""
    command = [sys.executable, "-m", "granian", application, "--interface", "wsgi", "--no-ws"]
    command += ["--host", serving.host, "--port", str(serving.port), "--backlog", "2048", "--log-level", "error"]
    return [*command, "--workers", str(serving.workers), "--blocking-threads", str(serving.threads)]


@contextmanager
def the_floor(plan: Plan, upstream: str) -> Iterator[tuple[Running, str, str]]:
    port = free_port()
    with started(plan.command("bench.floor:application", port), {"BENCH_UPSTREAM": upstream}, port) as running:
        yield running, f"http://127.0.0.1:{port}/", TOKEN_OF_THE_FLOOR


@contextmanager
def the_product(plan: Plan, upstream: str, kind: str) -> Iterator[tuple[Running, str, str]]:
    port = free_port()
    command = plan.command("agentteam.wsgi:application", port)
    if plan.server == "gunicorn":
        # As in production, checks and metrics included.
        command = [sys.executable, "-m", "agentteam.serve"]
    sizes = {"WEB_CONCURRENCY": str(plan.serving.workers), "AGENTTEAM_THREADS": str(plan.serving.threads)}
    with database(kind) as url, product(url, upstream, command=command, port=port, **sizes) as made:
        yield made.running, made.search_url, made.agent_token


def measure(plan: Plan, running: Running, url: str, token: str, point: Point) -> dict[str, Any]:
    load.run(url, token, point.clients, 2 if point.clients < 64 else 4, plan.generator)
    before = running.cpu_seconds()
    seen = load.run(url, token, point.clients, plan.seconds, plan.generator)
    if not seen.calls:
        raise SystemExit(f"no call was answered in {plan.seconds:g} s: give it more")
    usage = running.usage()
    return {
        "delay": point.delay,
        "clients": point.clients,
        **seen.document(),
        "cpuMillisecondsPerCall": round((usage.cpu_seconds - before) * 1000 / max(1, seen.calls), 3),
        "memoryMiB": round(usage.memory_mib),
    }


def rows_of(plan: Plan) -> list[dict[str, Any]]:
    """All systems stand side by side and take turns at each load, so that a machine's moods meet all of them."""
    rows = []
    for delay in sorted({point.delay for point in plan.points}):
        with stub(delay) as upstream, ExitStack() as stack:
            systems = {"floor": stack.enter_context(the_floor(plan, upstream))}
            systems |= {kind: stack.enter_context(the_product(plan, upstream, kind)) for kind in plan.databases}
            for point in (point for point in plan.points if point.delay == delay):
                for name, (running, url, token) in systems.items():
                    rows.append({"system": name, **measure(plan, running, url, token, point)})
                    print(_line(rows[-1]), file=sys.stderr, flush=True)
    order = ["floor", *plan.databases]
    return sorted(rows, key=lambda row: order.index(row["system"]))


def with_ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    floor = {(row["delay"], row["clients"]): row for row in rows if row["system"] == "floor"}
    for row in rows:
        base = floor.get((row["delay"], row["clients"]))
        if base is not None:
            row["callsToFloor"] = round(row["callsPerSecond"] / base["callsPerSecond"], 2)
            row["cpuToFloor"] = round(row["cpuMillisecondsPerCall"] / base["cpuMillisecondsPerCall"], 2)
    return rows


def _line(row: dict[str, Any]) -> str:
    ratios = f"  x{row['callsToFloor']:.2f} calls  x{row['cpuToFloor']:.2f} CPU" if "callsToFloor" in row else ""
    return (
        f"{row['system']:<11}{row['delay']:>4} ms {row['clients']:>4} clients {row['callsPerSecond']:>8.1f}/s"
        f"  p50 {row['p50']:>7.1f}  p95 {row['p95']:>7.1f}  p99 {row['p99']:>7.1f} ms"
        f"  CPU {row['cpuMillisecondsPerCall']:>6.3f} ms  {row['memoryMiB']:>4} MiB  failed {row['failed']}{ratios}"
    )


def read_plan(arguments: list[str] | None = None) -> Plan:
    parser = argparse.ArgumentParser(prog="bench.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of each row, after 2 s of warming up")
    parser.add_argument("--generator", choices=load.GENERATORS, default=load.installed(), help="of the load")
    parser.add_argument("--server", choices=("gunicorn", "granian"), default="gunicorn")
    parser.add_argument("--workers", type=int, default=Serving.workers)
    parser.add_argument("--threads", type=int, default=Serving.threads)
    parser.add_argument("--database", choices=DATABASES, action="append", help="both, when not given")
    parser.add_argument("--clients", help="only these rows, as DELAY:CLIENTS, comma-separated")
    parser.add_argument("--folder", type=Path, default=HERE, help="where results.json and results.svg go")
    parser.add_argument("--no-knowledge", action="store_true", help="leave the knowledge base out")
    given = parser.parse_args(arguments)
    points = POINTS
    if given.clients:
        points = [Point(*map(int, text.split(":"))) for text in given.clients.split(",")]
    serving = Serving(workers=given.workers, threads=given.threads)
    return Plan(
        serving,
        given.server,
        given.seconds,
        points,
        given.database or list(DATABASES),
        given.folder,
        not given.no_knowledge,
        given.generator,
    )


def main() -> None:
    plan = read_plan()
    rows = with_ratios(rows_of(plan))
    print("\n".join(_line(row) for row in rows))
    document = {
        "server": plan.server,
        "generator": plan.generator,
        "workers": plan.serving.workers,
        "threads": plan.serving.threads,
        "secondsPerRow": plan.seconds,
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "rows": rows,
    }
    if plan.knowledge:
        document["knowledge"] = [asdict(row) for row in knowledge.run()]
    (plan.folder / "results.json").write_text(json.dumps(document, indent=1) + "\n")
    (plan.folder / "results.svg").write_text(picture.draw(document))


if __name__ == "__main__":
    main()
