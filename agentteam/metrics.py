"""`/metrics` for Prometheus: what the calls do, summed over the worker processes of this machine.

Labels are engines, kinds of caller, error codes and fixed words: never a workspace, a query or anything a tenant chose.
Workers count in files of the directory that `PROMETHEUS_MULTIPROC_DIR` names, which `agentteam.serve` sets.
"""

import hmac
import os
import threading
from collections.abc import Mapping
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from agentteam.errors import on_answer, plain_response
from apps.activity.executed import Executed
from apps.activity.writer import writer
from apps.workspaces.errors import KINDS, Problem
from extensions.in_flight import in_flight
from extensions.registry import all_builtins
from extensions.web_engines import egress
from searchengines.errors import Code

SECONDS = (0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 15)
OTHER = "other"

registry = CollectorRegistry()
calls = Counter("agentteam_calls", "Calls by outcome", ["engine", "caller", "code"], registry=registry)
call_seconds = Histogram("agentteam_call_seconds", "Time of a call", ["engine"], buckets=SECONDS, registry=registry)
upstream_seconds = Histogram(
    "agentteam_upstream_seconds", "Time waited for the provider", ["engine"], buckets=SECONDS, registry=registry
)
refused = Counter("agentteam_refused", "Errors answered by us, not by a provider", ["code"], registry=registry)
waiting = Gauge(
    "agentteam_calls_in_flight",
    "Calls that wait for a provider",
    ["engine"],
    registry=registry,
    multiprocess_mode="livesum",
)
idle_sockets = Gauge(
    "agentteam_egress_idle_sockets",
    "Kept sockets to providers",
    ["engine"],
    registry=registry,
    multiprocess_mode="livesum",
)
requests_in_flight = Gauge(
    "agentteam_egress_requests_in_flight",
    "Requests to providers under way",
    ["engine"],
    registry=registry,
    multiprocess_mode="livesum",
)
sockets = Counter(
    "agentteam_egress_sockets", "Sockets used for a request, new or kept", ["engine", "kind"], registry=registry
)
queued = Gauge(
    "agentteam_activity_queued", "Executions not written yet", registry=registry, multiprocess_mode="livesum"
)
dropped = Counter("agentteam_activity_dropped", "Executions lost because the queue was full", registry=registry)


@lru_cache(maxsize=1)
def _engines() -> frozenset[str]:
    return frozenset(builtin.engine.slug for builtin in all_builtins())


@lru_cache(maxsize=1024)
def _series(engine: str, caller: str, code: str) -> tuple[Counter, Histogram, Histogram]:
    known = engine if engine in _engines() else OTHER
    return calls.labels(known, caller, code), call_seconds.labels(known), upstream_seconds.labels(known)


def count(row: Executed) -> None:
    """One call, as it is recorded."""
    number, whole, upstream = _series(row.extension, row.caller, row.code)
    number.inc()
    whole.observe(row.milliseconds / 1000)
    if row.upstream_milliseconds:
        upstream.observe(row.upstream_milliseconds / 1000)


# A provider's failure is the outcome of a call and counted with it in `calls`. Known codes begin at 0.
_refusals = {code: refused.labels(code) for code in KINDS if code not in list(Code)}


def count_refusal(problem: Problem) -> None:
    """One error, as it is answered."""
    number = _refusals.get(problem.code)
    if number is not None:
        number.inc()


class Levels:
    """What this process has now, and how far its own counters went since they were last told."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, ...], int] = {}
        # A tick and a scrape may come at once, and each would add the same. No call waits for it.
        self._lock = threading.Lock()

    def tell(self, stopping: bool = False) -> None:
        """``stopping``: this process takes back what it had."""
        with self._lock:
            stats = egress().stats()
            for gauge, now in (
                (waiting, in_flight.by_engine()),
                (idle_sockets, stats.idle_by_label),
                (requests_in_flight, stats.in_flight_by_label),
            ):
                for engine, value in _by_engine(now).items():
                    gauge.labels(engine).set(0 if stopping else value)
            queued.set(len(writer.queue))
            for kind, total in (("new", stats.opened_by_label), ("kept", stats.reused_by_label)):
                for engine, value in _by_engine(total).items():
                    sockets.labels(engine, kind).inc(self._since((engine, kind), value))
            dropped.inc(self._since(("dropped",), writer.dropped))

    def _since(self, name: tuple[str, ...], value: int) -> int:
        before, self._told[name] = self._told.get(name, 0), value
        return max(0, value - before)


def _by_engine(values: Mapping[str, int]) -> dict[str, int]:
    """A value for every engine; what belongs to none is `OTHER`."""
    engines = _engines()
    known = {engine: values.get(engine, 0) for engine in engines}
    return {**known, OTHER: sum(value for label, value in values.items() if label not in engines)}


levels = Levels()
on_answer.append(count_refusal)
writer.on_record.append(count)
writer.on_tick.append(levels.tell)


def metrics(request: HttpRequest) -> HttpResponse:
    """404 unless `AGENTTEAM_METRICS_TOKEN` is set; then for its bearer only."""
    token = settings.AGENTTEAM_METRICS_TOKEN
    if not token:
        return plain_response(Problem.not_found())
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return plain_response(Problem.unauthenticated())
    return HttpResponse(generate_latest(_all_processes()), content_type=CONTENT_TYPE_LATEST)


def _all_processes() -> CollectorRegistry:
    levels.tell()
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return registry
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together
