"""Whether this process lives, and whether it can do its work (contract section 8)."""

from functools import lru_cache

from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring

# Its migrations hold data and are rolled back to hide the engines; what is left goes on working.
ENGINES = "searchengines"


def process(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """503 unless the database answers, every schema migration is applied and the master key is usable."""
    checks = {"database": _database(), "migrations": False, "masterKey": _master_key()}
    if checks["database"]:
        checks["migrations"] = _migrations()
    ok = all(checks.values())
    return JsonResponse({"status": "ok" if ok else "unavailable", "checks": checks}, status=200 if ok else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _migrations() -> bool:
    try:
        return _needed() <= MigrationRecorder(connection).applied_migrations().keys()
    except Error:
        return False


@lru_cache(maxsize=1)
def _needed() -> frozenset[tuple[str, str]]:
    """Every migration that this code comes with. Reading them all takes far longer than asking which are applied."""
    nodes = MigrationLoader(None).graph.nodes
    return frozenset(node for node in nodes if node[0] != ENGINES)


def _master_key() -> bool:
    try:
        keyring()
    except EnvelopeError:
        return False
    return True
