"""A canary key goes through success and every failure, and is found nowhere (abuse 20, SE-01, 03, 16, 18).

Not in an answer, page, log line at DEBUG, audit row, export, dump, or byte of the database's files.
"""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from apps.activity.writer import writer
from apps.marketplace.connections import snapshot, stored_connections
from apps.marketplace.models import Installation
from apps.marketplace.product_apps import engine_of
from apps.workspaces.models import User
from tests.road import ANSWERS, KEYED, Road
from tests.security.logs import everything_logged
from tests.security.pages import PARAMETER, page_routes
from tests.security.routes import ENTRIES
from tests.workspaces.conftest import Caller

CANARY = "canary-0000"
QUERY = "confidential-query-0000"
BACKEND = "django.contrib.auth.backends.ModelBackend"
SLUGS = [provider.slug for provider in KEYED]


class Watch:
    """Collects whatever leaves the process, and looks for what must not."""

    def __init__(self) -> None:
        self.seen: list[tuple[object, str]] = []

    def saw(self, what: object, text: str) -> None:
        self.seen.append((what, text))

    def answer(self, what: object, answer: Any) -> Any:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        self.saw(what, f"{answer.status_code} {dict(answer.headers)} {answer.cookies} {body.decode(errors='replace')}")
        return answer

    def assert_clean(self) -> None:
        for what, text in self.seen:
            assert CANARY not in text, what


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    with everything_logged() as logged:
        yield watch
    watch.saw("logs", logged.getvalue())
    watch.assert_clean()
    assert QUERY not in logged.getvalue()


def answers_of(slug: str) -> list[dict[str, Any]]:
    """Good and bad answers that speak of the key, as careless providers do."""
    told = {"error": {"code": 500, "message": f"key={CANARY} of {QUERY} is wrong", "status": f"Bearer {CANARY}"}}
    return [
        {"json": ANSWERS[slug]},
        *({"status": status, "json": told} for status in (400, 401, 402, 403, 404, 422, 429, 500, 503)),
        {"status": 429, "json": told, "headers": {"Retry-After": CANARY}},
        {"status": 302, "headers": {"Location": f"https://elsewhere.example/?key={CANARY}"}},
        {"body": f"<html>{CANARY}</html>".encode()},
        {"body": f'{{"error": "{CANARY}'.encode()},
        {"json": ["list", CANARY]},
        {"json": {"results": CANARY, "web": CANARY, "items": CANARY, "organic": CANARY}},
        {"headers": {"Content-Encoding": CANARY}, "body": b"x"},
        {"headers": {"Content-Length": f"12{CANARY}"}, "body": b"x"},
        {"headers": {"Content-Type": f"text/plain; {CANARY}"}, "body": b"\xff"},
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_outcome_of_a_call(road: Road, watch: Watch, slug: str) -> None:
    installation_id = road.connect(slug, CANARY)
    service = Caller(_service_token(road, slug))
    for number, reply in enumerate(answers_of(slug)):
        road.upstream.reply(**reply)
        watch.answer((slug, number), road.search(slug, QUERY))
        watch.answer((slug, number), road.test(installation_id))
        watch.answer((slug, number), service("POST", f"search-engines/{slug}/search", {"query": QUERY}))
    assert any(CANARY in f"{request.headers} {request.query} {request.body!r}" for request in road.upstream.requests)
    road.upstream.stop()
    watch.answer((slug, "refused"), road.search(slug, QUERY))
    watch.answer((slug, "refused"), road.test(installation_id))
    for row in road.executions():
        watch.saw("execution", str(vars(row)))
        assert QUERY not in str(vars(row))


def _service_token(road: Road, *slugs: str) -> str:
    made = road.house.admin.api(
        "POST", f"{road.house.path}/service-tokens", {"name": "leaks", "extensions": list(slugs)}
    )
    return str(made.json()["token"])


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "https://127.0.0.1:1", "http://nothing.invalid", "tls"])
def test_transport_failures(road: Road, watch: Watch, settings: Any, origin: str) -> None:
    """SE-03, with the engine whose key is in its URL: refused, no TLS, no such name, http where https is spoken."""
    installation_id = road.connect("google", CANARY)
    target = road.upstream.url.replace("http://", "https://") if origin == "tls" else origin
    settings.AGENTTEAM_SEARCH_ORIGINS = {"google": target}
    for answer in (road.search("google", QUERY), road.test(installation_id)):
        watch.answer(origin, answer)
        assert answer.json()["error"]["code"] == "upstream_failure"


def furnish(road: Road) -> dict[str, str]:
    """Every keyed engine connected with the canary, a secret and an embedding model with it too; a failed call."""
    ids: dict[str, str] = {}
    for slug in SLUGS:
        ids[slug] = road.connect(slug, CANARY)
    owner, path = road.house.owner.api, road.house.path
    assert owner("PUT", f"{path}/secrets/KEY", {"value": CANARY}).status_code == 201
    model = {"kind": "openai_compatible", "baseUrl": "https://embeddings.example/v1", "model": "m", "apiKey": CANARY}
    assert owner("POST", f"{path}/embedding-models", {**model, "id": "model"}).status_code == 201
    owner("POST", f"{path}/embedding-stores", {"embeddingModel": "model", "id": "store"})
    road.upstream.reply(401, json={"error": CANARY})
    road.search("brave", QUERY)
    road.test(ids["google"])
    road.house.member.api("POST", f"{path}/app-requests", {"appId": "app_duckduckgo"})
    writer.flush()
    return ids


def test_every_reading_route_and_page_as_everybody(road: Road, watch: Watch) -> None:
    """SE-16."""
    ids = furnish(road)
    house = road.house
    callers = [house.owner.api, house.member.api, road.agent, Caller(_service_token(road, "brave"))]
    given = {"workspace_id": house.workspace.id, "agent_id": road.agent_row.id, "action": "search"}
    given |= {"model_id": "model", "store_id": "store", "document_id": "d", "member_id": house.member.member.id}
    given |= {"request_id": "r", "token_id": "t"}
    reading = [route for route, method, _ in ENTRIES if method == "GET"]
    reading += [f"{route}?kind=audit" for route in reading if route.endswith("activity")]
    reading += [f"{route}?as=openai" for route in reading if route == "exec/{name}"]
    for slug in ("brave", "google"):
        filled = {**given, "installation_id": ids[slug], "slug": slug, "name": slug}
        for route in reading:
            if slug == "brave" or "{installation_id}" in route or "{slug}" in route or "{name}" in route:
                for caller in callers:
                    watch.answer(route, caller("GET", route.format(**filled)))
    assert road.agent("GET", "exec").json()["extensions"]
    for person in (house.owner, house.admin, house.member):
        client = Client()
        client.force_login(person.user, backend=BACKEND)
        for route, _ in page_routes():
            for slug in ("brave", "google") if "{slug}" in route else ("brave",):
                if route != "sign-out":
                    watch.answer(route, client.get("/" + PARAMETER.sub(_filler({**given, "slug": slug}), route)))


def _filler(ids: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda found: ids.get(found[0].strip("{}"), "nothing")


def test_forms_that_fail_do_not_give_the_key_back(road: Road, watch: Watch) -> None:
    client = Client()
    client.force_login(road.house.owner.user, backend=BACKEND)
    road.connect("google", CANARY)
    for route, view in page_routes():
        if not hasattr(view, "post") or "sign" in route:
            continue
        path = route.replace("{slug}", "google").replace("{workspace_id}", road.house.workspace.id)
        if "{" in path:
            continue
        for given in (
            {"apiKey": CANARY, "cx": ""},
            {"value": CANARY, "name": "no name!"},
            {"key": CANARY},
            {"credentials.apiKey": CANARY, "config.cx": " "},
        ):
            for headers in ({}, {"HX-Request": "true"}):
                watch.answer((route, given), client.post(f"/{path}", given, headers=headers))


def test_refused_bodies_do_not_give_the_key_back(road: Road, watch: Watch) -> None:
    brave = road.connection_path(road.install("brave"))
    owner, path = road.house.owner.api, road.house.path
    bodies: list[tuple[str, Any]] = [
        (brave, {"credentials": {"apiKey": f"{CANARY} with blanks"}}),
        (brave, {"credentials": {"apiKey": f"{CANARY}\r\nX-Other: 1"}}),
        (brave, {"credentials": {"apiKey": f"{CANARY}é"}}),
        (brave, {"credentials": {"apiKey": f"${{vault://{CANARY}"}}),
        (brave, {"credentials": {"apiKey": [CANARY]}}),
        (brave, {"credentials": CANARY}),
        (brave, {"config": {"baseUrl": f"https://user:{CANARY}@x.example"}}),
        (f"{path}/secrets/KEY", {"value": f"{CANARY}\nX-Other: 1"}),
        (f"{path}/secrets/KEY", {"value": [CANARY]}),
        (f"{path}/secrets/KEY", CANARY),
    ]
    for target, body in bodies:
        assert watch.answer(body, owner("PUT", target, body)).status_code == 400
    searxng = road.connection_path(road.install("searxng"))
    for url in (f"http://user:{CANARY}@127.0.0.1:8080", f"http://x.example/?key={CANARY}", f"ftp://{CANARY}@x.example"):
        assert watch.answer(url, owner("PUT", searxng, {"config": {"baseUrl": url}})).status_code == 400


def test_the_admin_site(road: Road, watch: Watch) -> None:
    furnish(road)
    client = Client()
    client.force_login(User.objects.create_superuser("operator@x.example"), backend=BACKEND)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        watch.answer(name, client.get(reverse(f"{name}_changelist")))
        for row in model._default_manager.all()[:20]:
            watch.answer(name, client.get(reverse(f"{name}_change", args=[quote(row.pk)])))
            watch.answer(name, client.get(reverse(f"{name}_history", args=[quote(row.pk)])))


def test_commands_and_exports(road: Road, watch: Watch, tmp_path: Path) -> None:
    furnish(road)
    document = tmp_path / "engine.json"
    document.write_text(f'{{"provider": "brave", "config": {{"token": "{CANARY}", "base_url": "ftp://{CANARY}@x"}}}}')
    commands: list[tuple[str, ...]] = [
        ("dumpdata",),
        ("dumpdata", "--format", "xml"),
        ("doctor",),
        ("doctor", "--json"),
        ("rewrap_credentials",),
        ("explain_agent", road.agent_row.id, "brave"),
        ("import_search_engine", str(document), "--workspace", road.house.workspace.id),
        ("import_search_engine", str(document), "--workspace", road.house.workspace.id, "--dry-run"),
        ("check", "--deploy"),
    ]
    for command in commands:
        out, err = StringIO(), StringIO()
        try:
            call_command(*command, stdout=out, stderr=err)
        except (CommandError, SystemExit) as failed:
            watch.saw(command, str(failed))
        watch.saw(command, out.getvalue() + err.getvalue())
    # Django's Credential rows are in the export, as envelopes.
    assert '"marketplace.credential"' in watch.seen[0][1]


def test_rows_and_objects_in_memory(road: Road, watch: Watch) -> None:
    furnish(road)
    for model in apps.get_models():
        for row in model._default_manager.all():
            watch.saw(model, repr(row) + str(row) + repr(vars(row)))
    for installation in Installation.objects.select_related("app"):
        engine = engine_of(installation.app)
        (stored,) = stored_connections(installation)
        assert engine is not None
        opened = snapshot(engine, stored)
        watch.saw(installation.app.slug, repr(stored) + str(stored) + repr(opened) + str(opened))
        assert CANARY in {secret.reveal() for secret in opened.secrets.values()}


@pytest.mark.postgres
def test_a_dump_of_postgresql(road: Road, watch: Watch) -> None:
    furnish(road)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            watch.saw(table, repr([[_plain(value) for value in row] for row in cursor.fetchall()]))
    assert {"marketplace_credential", "activity_auditrow"} <= {str(what) for what, _ in watch.seen}


def _plain(value: Any) -> Any:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else value


SAVE = """
import os, sqlite3
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from apps.workspaces.bootstrapping import bootstrap
from apps.workspaces.audit import Actor
from apps.marketplace.services import connections, installations, secrets
made = bootstrap("harbour", "owner@x.example")
from apps.workspaces.models import Membership, User
member = Membership.objects.get(user_id=made.user_id)
actor = Actor.person(User.objects.get(pk=made.user_id), member)
for app in ("app_brave_search", "app_google_search"):
    installation = installations.install(made.workspace_id, app, actor)
    body = {"credentials": {"apiKey": "canary-0000"}}
    if "google" in app:
        body["config"] = {"cx": "0123456789abcdef0"}
    connections.save_connection(made.workspace_id, installation.id, body, actor)
secrets.put_secret(made.workspace_id, "KEY", "canary-0000", actor)
from apps.marketplace.models import Credential
print(bytes(Credential.objects.first().envelope).hex(), flush=True)
connections.disconnect(made.workspace_id, installation.id, actor)
os._exit(0)
"""


def test_the_bytes_of_the_database_file(tmp_path: Path) -> None:
    """SE-18: the file, its write-ahead log (the process ends without closing it) and everything beside them."""
    script, database = tmp_path / "save.py", tmp_path / "data" / "db.sqlite3"
    script.write_text(SAVE.replace("canary-0000", "CANARY").replace('"CANARY"', "os.environ['GIVEN']"))
    database.parent.mkdir()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "PYTHONPATH": str(Path.cwd()),
        "DATABASE_URL": f"sqlite:///{database}",
        "AGENTTEAM_LOG_LEVEL": "DEBUG",
        "TMPDIR": str(tmp_path),
        "GIVEN": CANARY,
    }
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, timeout=120, check=True)
    assert CANARY.encode() not in done.stdout + done.stderr
    envelope = bytes.fromhex(done.stdout.decode().split()[0])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert database in files and database.with_name("db.sqlite3-wal") in files
    for path in files:
        assert CANARY.encode() not in path.read_bytes(), path
    with sqlite3.connect(database) as opened:
        stored = [row[0] for row in opened.execute("SELECT envelope FROM marketplace_credential")]
    assert envelope in stored
