"""A missing, wrong or malformed master key closes what it must and nothing else (abuse 10, 12 and 26)."""

from typing import Any

import pytest
from django.test import Client

from apps.marketplace.models import Connection, Credential, WorkspaceSecret
from tests.road import RESULT, Road
from tests.security.keys import PRIMARY, key_id, run_with


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def rows() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Connection, Credential, WorkspaceSecret)]


AUTH_UNAVAILABLE = (424, "provider_auth_unavailable")


@pytest.mark.parametrize("lost", [None, "wrong", "malformed"])
def test_without_its_key_a_credential_is_unusable_and_everything_else_works(
    road: Road, settings: Any, lost: str | None
) -> None:
    run_with(settings, "M1")
    tavily = road.connect("tavily")
    road.connect("duckduckgo")
    if lost == "malformed":
        setattr(settings, PRIMARY, "c2hvcnQ=")
    else:
        run_with(settings, lost)
    before, asked = rows(), len(road.upstream.requests)

    assert error_of(road.search("tavily")) == AUTH_UNAVAILABLE
    tested = road.test(tavily)
    assert error_of(tested) == AUTH_UNAVAILABLE
    assert len(road.upstream.requests) == asked
    assert road.search("duckduckgo").json() == {"results": [RESULT]}

    shown = road.house.admin.api("GET", road.connection_path(tavily))
    assert (shown.status_code, shown.json()["credentials"]) == (200, {"apiKey": {"configured": True}})
    listed = road.house.member.api("GET", f"{road.house.path}/apps")
    states = {app["slug"]: app["state"] for app in listed.json()["items"]}
    assert (listed.status_code, states["tavily"], states["duckduckgo"]) == (200, "attention", "connected")
    assert rows() == before


@pytest.mark.parametrize("text", ["", "c2hvcnQ="])
def test_without_a_usable_key_nothing_is_stored(road: Road, settings: Any, text: str) -> None:
    installation_id = road.install("brave")
    secret = f"{road.house.path}/secrets/KEY"
    setattr(settings, PRIMARY, text)
    before = rows()
    saved = road.house.admin.api("PUT", road.connection_path(installation_id), road.connection_body("brave"))
    assert error_of(saved) == (503, "unavailable")
    assert error_of(road.house.admin.api("PUT", secret, {"value": "canary-0000"})) == (503, "unavailable")
    assert rows() == before

    ready = Client().get("/readyz")
    assert (ready.status_code, ready.json()["checks"]) == (
        503,
        {"database": True, "migrations": True, "masterKey": False},
    )
    assert Client().get("/healthz").status_code == 200


def test_config_can_change_without_the_key_and_the_credential_survives_it(road: Road, settings: Any) -> None:
    """SE-09."""
    run_with(settings, "M1")
    google = road.connect("google", "google-key-1")
    envelope = bytes(Credential.objects.get().envelope)
    run_with(settings, "M2")
    saved = road.house.admin.api("PUT", road.connection_path(google), {"config": {"cx": "fedcba98765432100"}})
    assert saved.status_code == 200
    assert bytes(Credential.objects.get().envelope) == envelope
    run_with(settings, "M1")
    assert road.search("google").status_code == 200
    asked = road.upstream.last
    assert (asked.param("cx"), asked.param("key")) == ("fedcba98765432100", "google-key-1")


def test_a_write_under_another_key_touches_its_own_row_alone(road: Road, settings: Any) -> None:
    """SE-12."""
    run_with(settings, "M1")
    for slug in ("brave", "tavily"):
        road.connect(slug, f"{slug}-key")
    before = {row.pk: bytes(row.envelope) for row in Credential.objects.all()}
    run_with(settings, "M2")
    road.connect("serper", "serper-key")
    after = {row.pk: bytes(row.envelope) for row in Credential.objects.all()}
    assert {pk: after[pk] for pk in before} == before
    run_with(settings, "M1", ["M2"])
    for slug, header in (("brave", "x-subscription-token"), ("serper", "x-api-key")):
        road.search(slug)
        assert road.upstream.last.headers[header] == f"{slug}-key"


def test_one_damaged_row_closes_one_connection(road: Road, settings: Any) -> None:
    """SE-10."""
    for slug in ("brave", "tavily"):
        road.connect(slug, f"{slug}-key")
    broken = Credential.objects.get(connection__installation__app__slug="brave")
    damaged = bytearray(broken.envelope)
    damaged[-1] ^= 1
    Credential.objects.filter(pk=broken.pk).update(envelope=bytes(damaged))

    assert road.house.member.api("GET", f"{road.house.path}/apps").status_code == 200
    assert error_of(road.search("brave")) == AUTH_UNAVAILABLE
    road.search("tavily")
    assert road.upstream.last.headers["authorization"] == "Bearer tavily-key"
    again = road.house.admin.api(
        "PUT", road.connection_path(broken.connection.installation_id), {"credentials": {"apiKey": "brave-key-2"}}
    )
    assert again.status_code == 200
    road.search("brave")
    assert road.upstream.last.headers["x-subscription-token"] == "brave-key-2"


def test_a_restore_without_its_key_is_mended_by_entering_keys_again(road: Road, settings: Any) -> None:
    """SE-15, abuse 26."""
    run_with(settings, "M1")
    brave = road.connect("brave", "brave-key-1")
    run_with(settings, "M2")
    assert error_of(road.search("brave")) == AUTH_UNAVAILABLE
    body = {"credentials": {"apiKey": "brave-key-2"}}
    assert road.house.admin.api("PUT", road.connection_path(brave), body).status_code == 200
    assert road.search("brave").status_code == 200
    assert road.upstream.last.headers["x-subscription-token"] == "brave-key-2"
    assert Credential.objects.get().key_id == key_id("M2")


def test_an_envelope_copied_to_another_row_or_workspace_is_refused(road: Road) -> None:
    """Abuse 12: with write access to the database, a stranger's key still cannot be used."""
    road.connect("brave", "brave-key-1")
    road.connect("serper", "serper-key-1")
    brave = Credential.objects.get(connection__installation__app__slug="brave")
    serper = Credential.objects.get(connection__installation__app__slug="serper")
    asked = len(road.upstream.requests)
    Credential.objects.filter(pk=serper.pk).update(envelope=bytes(brave.envelope))
    assert error_of(road.search("serper")) == AUTH_UNAVAILABLE
    Credential.objects.filter(pk=brave.pk).update(field="other")
    assert error_of(road.search("brave")) == AUTH_UNAVAILABLE
    assert len(road.upstream.requests) == asked


def test_a_stored_key_that_no_header_takes_is_refused_without_being_shown(road: Road) -> None:
    """SE-04: such a row can come from an import of old data."""
    from apps.marketplace.connections import credential_place
    from apps.marketplace.keyring import keyring

    installation_id = road.connect("brave")
    row = Credential.objects.get()
    place = credential_place(road.house.workspace.id, installation_id, row.connection_id, row.field)
    asked = len(road.upstream.requests)
    for text in ("demo\n0000", "demo 0000", "dem\u00f6-0000", "demo\x000000", "${vault://local/NO", "", ",,"):
        Credential.objects.filter(pk=row.pk).update(envelope=keyring().seal(text, place))
        refused = road.search("brave")
        assert error_of(refused) == AUTH_UNAVAILABLE, text
        assert "dem" not in refused.content.decode()
    assert len(road.upstream.requests) == asked


def test_an_omitted_credential_stays_and_a_blank_one_is_refused(road: Road) -> None:
    """SE-06 and SE-07, abuse 23."""
    google = road.connect("google", "google-key-1")
    path = road.connection_path(google)
    shown = road.house.admin.api("GET", path).json()
    assert shown["credentials"] == {"apiKey": {"configured": True}}
    assert road.house.admin.api("PUT", path, {"config": {"cx": "0123456789abcdef9"}}).status_code == 200
    before = rows()
    refused: list[Any] = [
        {"credentials": {"apiKey": ""}},
        {"credentials": {"apiKey": None}},
        {"credentials": {"apiKey": " "}},
        {"credentials": {"apiKey": {"configured": True}}},
        {"credentials": {"apiKey": ["google-key-2"]}},
        {"credentials": None},
        {"credentials": ""},
        {"credentials": []},
        {**shown, "config": {"cx": "0123456789abcdef9"}},
    ]
    for body in refused:
        assert error_of(road.house.admin.api("PUT", path, body)) == (400, "invalid_input"), body
    assert rows() == before
    road.search("google")
    assert (road.upstream.last.param("cx"), road.upstream.last.param("key")) == ("0123456789abcdef9", "google-key-1")
