"""Whether this process lives, and whether it can do its work (contract section 8)."""

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring


def process(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """503 unless the database answers, every migration is applied and the master key is usable."""
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
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return False


def _master_key() -> bool:
    try:
        keyring()
    except EnvelopeError:
        return False
    return True
