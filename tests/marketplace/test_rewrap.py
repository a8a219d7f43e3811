"""Changing the master key while the product serves (contract section 8, abuse 11)."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.marketplace import sealed
from apps.marketplace.envelope import key_id_of
from apps.marketplace.keyring import keyring
from apps.marketplace.models import Connection, Credential, WorkspaceSecret
from apps.marketplace.sealed import SealedSource
from apps.marketplace.services.rewrap import rewrap
from tests.road import RESULT, Road
from tests.security.answers import ANY
from tests.security.keys import key_id, key_text, run_with
from tests.security.processes import deployment

HEADERS = {"brave": "x-subscription-token", "serper": "x-api-key", "exa": "x-api-key"}


def secret_path(road: Road, name: str) -> str:
    return f"{road.house.path}/secrets/{name}"


def key_ids() -> set[str]:
    return {
        key_id_of(bytes(row.envelope)) for model in (Credential, WorkspaceSecret) for row in model.objects.all()
    } | {row.key_id for model in (Credential, WorkspaceSecret) for row in model.objects.all()}


def furnish(road: Road) -> None:
    """Three keyed engines, one of them through a workspace secret."""
    road.connect("brave", "brave-key")
    road.connect("serper", "serper-key-1,serper-key-2")
    assert road.house.admin.api("PUT", secret_path(road, "EXA"), {"value": "exa-key-1"}).status_code == 201
    road.connect("exa", "${vault://local/EXA}")
    road.upstream.reply(json=ANY)


def test_everything_comes_under_the_primary_key_and_opens_without_the_old_one(road: Road, settings: Any) -> None:
    run_with(settings, "M1")
    furnish(road)
    revisions = list(Connection.objects.order_by("id").values_list("revision", "updated_at"))
    run_with(settings, "M2", ["M1"])
    out = StringIO()
    call_command("rewrap_credentials", stdout=out)
    assert out.getvalue() == f"Rows now under key {key_id('M2')[:8]}: 4 re-encrypted.\n"
    assert key_ids() == {key_id("M2")}
    # What is connected has not changed, so no kept socket is given up.
    assert list(Connection.objects.order_by("id").values_list("revision", "updated_at")) == revisions

    run_with(settings, "M2")
    for slug, keys in (("brave", {"brave-key"}), ("serper", {"serper-key-1", "serper-key-2"}), ("exa", {"exa-key-1"})):
        assert road.search(slug).status_code == 200
        assert road.upstream.last.headers[HEADERS[slug]] in keys
    again = StringIO()
    call_command("rewrap_credentials", stdout=again)
    assert again.getvalue().endswith(": 0 re-encrypted.\n")


def test_rows_that_do_not_open_are_named_and_left_as_they_are(road: Road, settings: Any) -> None:
    run_with(settings, "M0")
    road.connect("brave", "brave-key")
    run_with(settings, "M1")
    road.connect("exa", "exa-key-1")
    lost = Credential.objects.get(connection__installation__app__slug="brave")
    run_with(settings, "M2", ["M1"])
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("rewrap_credentials", stdout=out, stderr=err)
    assert str(failed.value) == "1 rows do not open and stay as they are; see manage.py doctor."
    assert err.getvalue() == f"credential {lost.pk}: no key for id {key_id('M0')[:8]}\n"
    kept = Credential.objects.get(pk=lost.pk)
    assert (bytes(kept.envelope), kept.key_id) == (bytes(lost.envelope), key_id("M0"))
    assert Credential.objects.exclude(pk=lost.pk).get().key_id == key_id("M2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY is not set."),
        ("c2hvcnQ=", "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY is not base64 of 32 bytes."),
    ],
)
def test_without_a_usable_key_nothing_is_touched(road: Road, settings: Any, text: str, message: str) -> None:
    road.connect("brave")
    before = list(Credential.objects.values())
    settings.AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = text
    with pytest.raises(CommandError) as failed:
        call_command("rewrap_credentials")
    assert str(failed.value) == message
    assert list(Credential.objects.values()) == before


def test_a_source_registers_once_and_its_rows_are_covered(
    road: Road, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed, "_sources", [sealed.sources()[1]])
    extra = SealedSource("extra", lambda: Credential.objects.all(), sealed._credential_place)
    sealed.register(extra)
    with pytest.raises(ValueError, match="extra"):
        sealed.register(extra)
    run_with(settings, "M1")
    road.connect("brave")
    run_with(settings, "M2", ["M1"])
    assert rewrap(keyring()).rows == 1
    assert extra.counts() == {key_id("M2"): 1}


KILLED = """
import os, sys
import django
django.setup()
from apps.marketplace.services import rewrap as service
from apps.marketplace.keyring import keyring

real, done = service._rewrap_row, []

def until_half(*arguments):
    if len(done) == int(sys.argv[1]):
        print("half", flush=True)
        sys.stdin.read()
    real(*arguments)
    done.append(1)

service._rewrap_row = until_half
service.rewrap(keyring())
"""


@pytest.mark.postgres
def test_killed_half_way_it_is_finished_by_running_it_again(road: Road, settings: Any, tmp_path: Path) -> None:
    """Another process is killed by the kernel after two of four rows; meanwhile and after, every call succeeds."""
    run_with(settings, "M1")
    furnish(road)
    run_with(settings, "M2", ["M1"])
    stopped = half_way(2, tmp_path)
    for slug in HEADERS:
        assert road.search(slug).status_code == 200
    os.kill(stopped.pid, signal.SIGKILL)
    assert stopped.wait(10) == -signal.SIGKILL
    assert key_ids() == {key_id("M1"), key_id("M2")}
    for slug in HEADERS:
        assert road.search(slug).status_code == 200
    assert rewrap(keyring()).rows == 2
    assert key_ids() == {key_id("M2")}


def half_way(rows: int, tmp_path: Path) -> "subprocess.Popen[str]":
    """A process that has re-encrypted `rows` rows and waits."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    keys = {
        "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY": key_text("M2"),
        "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS": key_text("M1"),
    }
    process = subprocess.Popen(
        [sys.executable, str(script), str(rows)],
        env=deployment(**keys),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    return process


@pytest.mark.postgres
def test_no_call_and_no_save_fails_while_rows_are_rotated(road: Road, settings: Any) -> None:
    """Abuse 11: calls and saves run beside rotation after rotation."""
    run_with(settings, "K0")
    furnish(road)
    brave = Connection.objects.get(installation__app__slug="brave").installation_id
    stop, failures, calls = threading.Event(), [], [0]
    # A process reads its keys when it starts: no request sees them change under it.
    guards = [threading.Lock() for _ in range(3)]

    def restart(*keys: Any) -> None:
        with ExitStack() as everyone:
            for guard in guards:
                everyone.enter_context(guard)
            run_with(settings, *keys)

    def call(guard: threading.Lock) -> None:
        try:
            while not stop.is_set():
                for slug in HEADERS:
                    with guard:
                        answer = road.search(slug)
                    calls[0] += 1
                    if (answer.status_code, answer.json()) != (200, {"results": [RESULT]}):
                        failures.append(answer.content)
        finally:
            connection.close()

    def save(guard: threading.Lock) -> None:
        try:
            number = 0
            while not stop.is_set():
                number += 1
                body = {"credentials": {"apiKey": f"brave-key-{number}"}}
                with guard:
                    answer = road.house.admin.api("PUT", road.connection_path(brave), body)
                if answer.status_code != 200:
                    failures.append(answer.content)
        finally:
            connection.close()

    works = zip((call, call, save), guards, strict=True)
    workers = [threading.Thread(target=work, args=[guard]) for work, guard in works]
    for worker in workers:
        worker.start()
    for turn in range(1, 16):
        # Every process knows the new key before it becomes the primary one.
        restart(f"K{turn - 1}", [f"K{turn}"])
        restart(f"K{turn}", [f"K{turn - 1}"])
        assert rewrap(keyring()).unreadable == {}
    stop.set()
    for worker in workers:
        worker.join()
    assert failures == []
    assert calls[0] > 15
    rewrap(keyring())
    assert key_ids() == {key_id("K15")}
