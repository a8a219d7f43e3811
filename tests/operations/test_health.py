"""`/healthz` says that the process lives, `/readyz` that it can do its work."""

from typing import Any

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from agentteam.logs import logging_settings
from tests.operations.served import Deployment

READY = {"database": True, "migrations": True, "masterKey": True}


def readiness() -> tuple[int, Any]:
    response = Client().get("/readyz")
    return response.status_code, response.json()["checks"]


def test_ready(db: None) -> None:
    assert readiness() == (200, READY)
    assert Client().get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize("key", ["", "c2hvcnQ=", "not base64"])
def test_not_without_a_usable_master_key(db: None, settings: Any, key: str) -> None:
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = key
    assert readiness() == (503, {**READY, "masterKey": False})
    assert Client().get("/healthz").status_code == 200


def test_not_while_a_migration_is_missing(db: None) -> None:
    MigrationRecorder.Migration.objects.filter(app="marketplace", name="0001_initial").delete()
    assert readiness() == (503, {**READY, "migrations": False})


def test_ready_while_the_engines_are_rolled_back(db: None) -> None:
    MigrationRecorder.Migration.objects.filter(app="searchengines").delete()
    assert readiness() == (200, READY)


def test_not_without_its_database(harbour: Deployment) -> None:
    environ = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing", "AGENTTEAM_DB_POOL_TIMEOUT": "1"}
    with harbour.served(**environ) as server:
        answer = server.request("GET", "/readyz")
        assert (answer.status_code, answer.json()["checks"]) == (
            503,
            {"database": False, "migrations": False, "masterKey": True},
        )
        assert server.request("GET", "/healthz").status_code == 200
        search = server.search()
        assert (search.status_code, search.json()["error"]["code"]) == (503, "unavailable")


def test_logs_are_json_in_production_and_readable_in_development() -> None:
    renderers = {
        form: logging_settings("INFO", form)["formatters"]["structured"]["processors"][-1]
        for form in ("json", "console")
    }
    assert {form: type(renderer).__name__ for form, renderer in renderers.items()} == {
        "json": "JSONRenderer",
        "console": "ConsoleRenderer",
    }
