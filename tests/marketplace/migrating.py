"""Moving the database back and forth over the migrations that introduce the engines, and what its rows are."""

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.apps import apps as live_apps
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from tests.workspaces.conftest import House

ROOMS = ("workspaces", "marketplace", "activity", "knowledge")
Dump = dict[str, list[dict[str, Any]]]


def forward() -> None:
    """All migrations, as `manage.py migrate` would run them."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def backward() -> None:
    """`manage.py migrate searchengines zero`."""
    MigrationExecutor(connection).migrate([("searchengines", None)])


def run_again() -> None:
    """The same forward migrations on a database where they have run."""
    recorder = MigrationRecorder(connection)
    for app, name in recorder.applied_migrations():
        if app == "searchengines":
            recorder.record_unapplied(app, name)
    forward()


@cache
def models_before() -> Apps:
    """The models as migrations see them where no engine has been introduced."""
    loader = MigrationLoader(None)
    return loader.project_state([key for key in loader.graph.leaf_nodes() if key[0] != "searchengines"]).apps


def dump() -> Dump:
    """Every row of every room."""
    models = [model for room in ROOMS for model in live_apps.get_app_config(room).get_models()]
    return {
        model._meta.label: [
            {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items()}
            for row in model._default_manager.order_by("pk").values()
        ]
        for model in models
    }


def apps_of(rows: Dump) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows["marketplace.App"]}


def with_availability(rows: Dump, available: bool, ids: list[str]) -> Dump:
    """The same rows, with these Apps available or not."""
    changed = [{**row, "available": available} if row["id"] in ids else row for row in rows["marketplace.App"]]
    return {**rows, "marketplace.App": changed}


def legacy(slug: str, app_id: str) -> str:
    return f"{slug}-legacy-{hashlib.sha256(app_id.encode()).hexdigest()[:16]}"


def squat(slug: str, app_id: str, house: House | None = None, **members: Any) -> None:
    """A custom App on a slug; in a house it is installed and everything that can depend on it is there."""
    models = models_before()

    def create(model: str, **values: Any) -> Any:
        return models.get_model("marketplace", model).objects.create(**values)

    values = {
        "kind": "custom",
        "display_name": slug,
        "manifest": {"slug": slug, "kept": [1]},
        "workspace_id": house.workspace.id if house else None,
    }
    app = create("App", id=app_id, slug=slug, **(values | members))
    version = create(
        "AppVersion",
        app=app,
        version="0.1",
        definition_domain=slug[:64],
        definition_version="0.1",
        definition_digest="sha256:0",
        default_name=slug[:64],
    )
    if house is None:
        return
    workspace = {"workspace_id": house.workspace.id}
    installation = create("Installation", id=f"inst_{app_id}", app=app, app_version=version, **workspace)
    selection = create("ExtensionSelection", installation=installation, name=f"own-{app_id}", **workspace)
    create("AgentAuthorization", selection=selection, agent_id=house.agent(app_id).id, allowed=False)
    link = create("Connection", id=f"conn_{app_id}", installation=installation, config={"of": slug})
    create("Credential", connection=link, field="apiKey", kind="key", envelope=b"\x00sealed", key_id="k1")
    create("EngineOptions", installation=installation, options={"of": slug})
    create("AppRequest", id=f"req_{app_id}", app=app, requested_by_id=house.member.member.id, **workspace)
    create(
        "Installation",
        id=f"inst_old_{app_id}",
        app=app,
        status="uninstalled",
        uninstalled_at=timezone.now(),
        **workspace,
    )


@pytest.fixture
def before_engines(transactional_db: None, django_db_serialized_rollback: None) -> Iterator[None]:
    """A database with its schema, in which no engine has ever been introduced; afterwards all migrations again."""
    backward()
    for model in ("AppVersion", "App"):
        live_apps.get_model("marketplace", model).objects.all().delete()
    yield
    forward()


@pytest.fixture
def ends_migrated(transactional_db: None) -> Iterator[None]:
    yield
    forward()
