"""Load for ten minutes while people change things: `python -m bench.soak` (or `make soak`).

Agents call at about half of what the machine can do; meanwhile connections are edited, disconnected and made again,
and tokens issued and revoked. In the end every answer must be explained by what was done, and memory, sockets
and threads of the second half must be those of the first.
"""

import argparse
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import requests

from agentteam.serve import Serving
from bench import load
from bench.processes import free_port, stub
from bench.product import DATABASES, ENGINE, Product, database, product

CLIENTS = 64
# What must have been reached of the half of capacity, or the soak says nothing.
REACHED = 0.8
DELAY = 100
SAMPLES = 20
# How far the most of the second half may be above the most of the first: a factor, and a little to spare.
GROWTH = {"memory_mib": 1.1, "threads": 1.05, "sockets": 1.2}
SPARE = {"memory_mib": 10.0, "threads": 4.0, "sockets": 20.0}

# While nothing is connected the Extension is not in the catalog; and a call may meet the change between two reads.
EXPLAINED = {"ok", "extension_not_found"}


@dataclass
class Seen:
    """Outcomes by code; what was not JSON of ours counts as broken."""

    codes: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, code: str) -> None:
        with self.lock:
            self.codes[code] += 1


def call_over_and_over(made: Product, seen: Seen, stop: threading.Event, pause: float) -> None:
    """One client; it waits so long between two calls that all together make half of the capacity."""
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {made.agent_token}"
    while not stop.is_set():
        started = time.monotonic()
        seen.note(one_call(session, made.search_url))
        stop.wait(max(0.0, pause - (time.monotonic() - started)))


def one_call(session: requests.Session, url: str) -> str:
    try:
        answer = session.post(url, json=load.BODY, timeout=30)
        document = answer.json()
    except (requests.RequestException, ValueError) as broken:
        return f"broken: {type(broken).__name__}"
    if answer.status_code == 200:
        return "ok" if len(document["results"]) == 10 else "wrong answer"
    return str(document["error"]["code"])


def change_things(made: Product, seen: Seen, stop: threading.Event) -> None:
    """Edit, disconnect, connect again; issue and revoke: one step a second."""
    installation = made.api("GET", "app-installations")["items"][0]["id"]
    agent = made.api("GET", "agents")["items"][0]["id"]
    connection = f"app-installations/{installation}/search-engine-connection"
    options = f"app-installations/{installation}/search-engine-options"
    steps: list[Any] = [
        lambda: made.connect(installation),
        lambda: made.api("PUT", options, {"timeoutMs": 9000}),
        lambda: made.api("DELETE", connection),
        lambda: made.connect(installation),
        lambda: made.api("DELETE", f"agents/{agent}/tokens/{made.api('POST', f'agents/{agent}/tokens', {})['id']}"),
        lambda: made.api("PUT", options, {}),
    ]
    number = 0
    while not stop.wait(1):
        try:
            steps[number % len(steps)]()
        except requests.RequestException as broken:
            seen.note(f"change broken: {type(broken).__name__}")
        number += 1
    made.connect(installation)


def measured(made: Product) -> dict[str, float]:
    usage = made.running.usage()
    return {"memory_mib": usage.memory_mib, "threads": usage.threads, "sockets": usage.sockets}


def grown(samples: list[dict[str, float]]) -> list[str]:
    half = len(samples) // 2
    most = [{name: max(one[name] for one in part) for name in GROWTH} for part in (samples[:half], samples[half:])]
    return [
        f"{name} went from {most[0][name]:.0f} to {most[1][name]:.0f}"
        for name in GROWTH
        if most[1][name] > most[0][name] * GROWTH[name] + SPARE[name]
    ]


def soak(made: Product, seconds: float) -> list[str]:
    """What is wrong, in words; empty when nothing is."""
    capacity = load.run(made.search_url, made.agent_token, CLIENTS * 2, 5).per_second
    pause = CLIENTS / (capacity / 2)
    print(f"capacity {capacity:.0f} calls/s; {CLIENTS} clients at half of it", file=sys.stderr)
    seen, stop = Seen(), threading.Event()
    started = time.monotonic()
    threads = [threading.Thread(target=call_over_and_over, args=(made, seen, stop, pause)) for _ in range(CLIENTS)]
    threads.append(threading.Thread(target=change_things, args=(made, seen, stop)))
    for thread in threads:
        thread.start()
    samples = []
    for _ in range(SAMPLES):
        stop.wait(seconds / SAMPLES)
        samples.append(measured(made))
        shown = {name: round(value) for name, value in samples[-1].items()}
        print(shown, dict(seen.codes), file=sys.stderr, flush=True)
    stop.set()
    for thread in threads:
        thread.join()
    reached = seen.codes.total() / (time.monotonic() - started)
    print(f"{reached:.0f} calls/s over {seconds:.0f} s", file=sys.stderr)
    slow = [f"only {reached:.0f} calls/s"] if reached < capacity / 2 * REACHED else []
    unexplained = {code: number for code, number in seen.codes.items() if code not in EXPLAINED}
    lost = [] if seen.codes["ok"] else ["no call succeeded"]
    return lost + slow + grown(samples) + [f"{number} x {code}" for code, number in unexplained.items()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    given = parser.parse_args()
    port = free_port()
    command = [sys.executable, "-m", "agentteam.serve"]
    sizes = {"WEB_CONCURRENCY": str(Serving.workers), "AGENTTEAM_THREADS": str(Serving.threads)}
    with (
        stub(DELAY) as upstream,
        database(given.database) as url,
        product(url, upstream, command=command, port=port, **sizes) as made,
    ):
        wrong = soak(made, given.minutes * 60)
        log = made.running.log.read_text()
    wrong += [line for line in log.splitlines() if '"level": "error"' in line][:20]
    print("\n".join(wrong) or f"{given.minutes:g} minutes of {ENGINE}: nothing is wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
