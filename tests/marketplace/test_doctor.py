"""`manage.py doctor` names what is wrong, fails then, and shows no secret (contract section 8)."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.marketplace.models import App, AppVersion, Credential, Installation
from tests.road import Road
from tests.security.keys import PRIMARY, key_id, key_text, run_with

KEY = "canary-0000"


@pytest.fixture
def furnished(road: Road, settings: Any) -> Road:
    run_with(settings, "M1")
    road.connect("brave", KEY)
    assert road.house.admin.api("PUT", f"{road.house.path}/secrets/EXA", {"value": KEY}).status_code == 201
    return road


def doctor() -> tuple[bool, list[str]]:
    """Whether it succeeded, and its lines; the JSON form must say the same."""
    out, document = StringIO(), StringIO()
    passed = _run(out)
    assert _run(document, "--json") is passed
    shown = json.loads(document.getvalue())
    assert shown["ok"] is passed
    lines = out.getvalue().splitlines()
    assert lines[: len(shown["findings"])] == [
        f"{'WRONG' if item['wrong'] else 'ok   '}  {item['subject']}: {item['text']}" for item in shown["findings"]
    ]
    for secret in (KEY, key_text("M1"), key_text("M2")):
        assert secret not in out.getvalue() + document.getvalue()
    return passed, lines


def _run(out: StringIO, *arguments: str) -> bool:
    try:
        call_command("doctor", *arguments, stdout=out)
    except CommandError:
        return False
    return True


def wrong(lines: list[str]) -> list[str]:
    return [line.removeprefix("WRONG  ") for line in lines if line.startswith("WRONG")]


def test_a_deployment_in_order(furnished: Road) -> None:
    key = key_id("M1")[:8]
    assert doctor() == (
        True,
        [
            f"ok     keys: Primary key {key}.",
            f"ok     envelopes: credential: 1 under key {key} (primary).",
            f"ok     envelopes: workspace secret: 1 under key {key} (primary).",
            "ok     pins: Installations whose pin matches: 1.",
            "Nothing is wrong.",
        ],
    )


def test_rows_under_a_previous_key_are_counted_and_are_no_fault(furnished: Road, settings: Any) -> None:
    run_with(settings, "M2", ["M1"])
    passed, lines = doctor()
    key = key_id("M1")[:8]
    assert passed
    assert f"ok     envelopes: credential: 1 under key {key} (previous; run rewrap_credentials)." in lines


def test_rows_under_a_lost_key_are_counted_and_named(furnished: Road, settings: Any) -> None:
    """Abuse 26."""
    run_with(settings, "M2")
    passed, lines = doctor()
    key, row = key_id("M1")[:8], Credential.objects.get()
    assert not passed
    assert f"ok     envelopes: credential: 1 under key {key} (not configured)." in lines
    assert f"envelopes: credential {row.pk}: no key for id {key}." in wrong(lines)
    assert len(wrong(lines)) == 2


def test_tampering_is_told_from_a_lost_key(furnished: Road) -> None:
    row = Credential.objects.get()
    damaged = bytearray(row.envelope)
    damaged[-1] ^= 1
    Credential.objects.filter(pk=row.pk).update(envelope=bytes(damaged))
    assert wrong(doctor()[1]) == [
        f"envelopes: credential {row.pk}: envelope under key {key_id('M1')[:8]} does not open."
    ]
    Credential.objects.filter(pk=row.pk).update(envelope=b"nothing")
    assert wrong(doctor()[1]) == [f"envelopes: credential {row.pk}: not an envelope."]
    Credential.objects.filter(pk=row.pk).update(envelope=bytes(row.envelope), key_id=key_id("M2"))
    assert wrong(doctor()[1]) == [
        f"envelopes: credential {row.pk}: its column key_id names another key than its envelope."
    ]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("", f"keys: {PRIMARY} is not set."),
        ("c2hvcnQ=", f"keys: {PRIMARY} is not base64 of 32 bytes."),
    ],
)
def test_an_unusable_master_key_is_named_by_its_variable(
    furnished: Road, settings: Any, text: str, finding: str
) -> None:
    setattr(settings, PRIMARY, text)
    passed, lines = doctor()
    assert not passed
    assert finding in wrong(lines)
    assert "envelopes: workspace secret" in " ".join(wrong(lines))


def test_many_lost_rows_are_summed_up(furnished: Road, settings: Any) -> None:
    connection_id, envelope = Credential.objects.values_list("connection_id", "envelope").get()
    Credential.objects.bulk_create(
        Credential(connection_id=connection_id, field=f"f{n}", kind="key", envelope=envelope, key_id=key_id("M1"))
        for n in range(29)
    )
    named = wrong(doctor()[1])
    assert len(named) == 21
    assert named[-1] == "envelopes: credential: 29 rows in all do not open."


def test_an_app_row_that_only_resembles_a_product_app(furnished: Road) -> None:
    App.objects.filter(pk="app_exa").update(slug="exa-2")
    App.objects.create(id="app_spoof", slug="TAVILY\u200b", display_name="Tavily")
    assert wrong(doctor()[1]) == [
        "apps: App app_exa with slug 'exa-2' only resembles a Product App.",
        "apps: App app_spoof with slug 'TAVILY\\u200b' only resembles a Product App.",
    ]


def test_a_product_app_without_a_row(furnished: Road) -> None:
    App.objects.filter(pk="app_exa").delete()
    assert wrong(doctor()[1]) == ["apps: Product App app_exa has no row; migrate searchengines."]


def test_a_pin_that_does_not_match(furnished: Road) -> None:
    AppVersion.objects.filter(app_id="app_brave_search").update(definition_digest="sha256:0")
    installation = Installation.objects.get()
    assert wrong(doctor()[1]) == [
        f"pins: Installation {installation.id} of brave pins another Definition than the one registered."
    ]


def test_settings_that_the_checks_refuse(furnished: Road, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "often"
    (finding,) = wrong(doctor()[1])
    assert finding.startswith("settings: agentteam.E002: AGENTTEAM_EXEC_RATE: ")


def test_unapplied_migrations_are_told_before_anything_else(furnished: Road) -> None:
    call_command("migrate", "searchengines", "zero", verbosity=0)
    try:
        passed, lines = doctor()
    finally:
        call_command("migrate", "searchengines", verbosity=0)
    assert (passed, len(lines)) == (False, 1)
    assert lines[0].startswith("WRONG  database: ")
