"""The operators' site over the marketplace and what happened in it."""

import base64
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.activity.models import AuditRow, CallsInFlight, Counter
from apps.marketplace.models import AgentAuthorization, App, Connection, Credential, ExtensionSelection, WorkspaceSecret
from apps.workspaces.models import User
from tests.road import KEY, RESULT, Road
from tests.stored import rows
from tests.workspaces.conftest import build_house

ROOMS = ("workspaces", "marketplace", "activity", "knowledge")
SHOWN = [model for room in ("marketplace", "activity") for model in apps.get_app_config(room).get_models()]
SECRET = "harbour-secret-7"


@pytest.fixture
def operator(road: Road) -> Client:
    client = Client()
    user = User.objects.create_superuser("operator@x.example")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def filled(road: Road) -> Road:
    """At least one row of each model."""
    house = road.house
    installation_id = road.connect("brave")
    assert road.search("brave").status_code == 200
    options = f"{house.path}/app-installations/{installation_id}/search-engine-options"
    assert house.admin.api("PUT", options, {"country": "DE"}).status_code == 200
    assert house.admin.api("PUT", f"{house.path}/secrets/NAME", {"value": SECRET}).status_code in (200, 201, 204)
    asked = house.member.api("POST", f"{house.path}/app-requests", {"appId": "app_exa"})
    assert asked.status_code == 201
    AgentAuthorization.objects.create(selection=ExtensionSelection.objects.get(), agent=road.agent_row, allowed=True)
    Counter.objects.create(key="exec:agent", window=1, value=2)
    CallsInFlight.objects.create(process="one", workspace_id=house.workspace.id, calls=1, at=house.workspace.created_at)
    road.executions()
    return road


def page(model: type[Model], view: str, *arguments: Any) -> str:
    return reverse(
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}",
        args=[quote(argument) for argument in arguments],
    )


def ways_to_write(sealed: bytes) -> set[str]:
    """How an envelope could show up in a page."""
    return {
        repr(sealed)[2:-1],
        sealed.hex(),
        sealed.hex().upper(),
        base64.b64encode(sealed).decode(),
        base64.urlsafe_b64encode(sealed).decode(),
        sealed.decode("latin-1"),
    }


def test_every_model_of_every_room_is_listed() -> None:
    missing = [
        model.__name__
        for room in ROOMS
        for model in apps.get_app_config(room).get_models()
        if model not in admin.site._registry
    ]
    assert missing == []


def test_lists_and_pages_open_and_show_nothing_sealed(filled: Road, operator: Client) -> None:
    sealed = [bytes(row.envelope) for kind in (Credential, WorkspaceSecret) for row in kind.objects.all()]
    assert len(sealed) == 2
    secrets = {KEY, SECRET}.union(*map(ways_to_write, sealed))
    for model in SHOWN:
        listing = operator.get(page(model, "changelist"))
        assert (model, listing.status_code) == (model, 200)
        assert operator.get(page(model, "changelist"), {"q": "brave"}).status_code == 200
        row = listing.context["cl"].queryset.first()
        change = operator.get(page(model, "change", row.pk))
        assert (model, change.status_code) == (model, 200)
        shown = listing.content.decode() + change.content.decode()
        assert str(row.pk) in shown
        assert [secret for secret in secrets if secret in shown] == []
        site = admin.site._registry[model]
        assert site.search_fields, model
        assert site.list_filter, model


def test_services_cannot_be_gone_round(filled: Road, operator: Client) -> None:
    before = rows()
    for model in SHOWN:
        row = model._default_manager.first()
        assert row is not None
        fields = {field.name: "1" for field in model._meta.fields} | {"enabled": "on"}
        assert operator.get(page(model, "add")).status_code == 403
        assert operator.post(page(model, "add"), fields).status_code == 403
        assert operator.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        operator.post(page(model, "changelist"), chosen)
        changed = operator.post(page(model, "change", row.pk), fields)
        assert changed.status_code == (302 if model is App else 403)
    assert rows() == before


def test_the_switch_of_an_app_is_the_only_thing_to_set_and_is_audited(filled: Road, operator: Client) -> None:
    before = App.objects.filter(pk="app_brave_search").values().get()
    url = page(App, "change", "app_brave_search")
    AuditRow.objects.all().delete()

    assert operator.post(url, {"slug": "x", "available": "", "kind": "custom"}).status_code == 302
    assert App.objects.filter(pk="app_brave_search").values().get() == {**before, "enabled": False}
    entry = AuditRow.objects.get()
    assert (entry.action, entry.target_id, entry.actor_kind) == ("app.disabled", "app_brave_search", "operator")
    assert entry.actor_label == "admin site: operator@x.example"
    assert filled.search("brave").status_code == 404

    assert operator.post(url, {"enabled": "on"}).status_code == 302
    assert App.objects.filter(pk="app_brave_search").values().get() == before
    assert filled.search("brave").json() == {"results": [RESULT]}
    assert list(AuditRow.objects.order_by("at").values_list("action", flat=True)) == ["app.disabled", "app.enabled"]


def test_a_connections_state_can_be_read(filled: Road, operator: Client) -> None:
    row = Connection.objects.get()
    content = operator.get(page(Connection, "change", row.pk)).content.decode()
    for shown in (row.id, "harbour", "brave", "default", "apiKey"):
        assert shown in content


def test_a_list_asks_as_often_for_many_rows_as_for_few(filled: Road, operator: Client) -> None:
    url = page(Connection, "changelist")
    operator.get(url)
    with CaptureQueriesContext(connection) as few:
        operator.get(url)
    for slug in ("tavily", "serper", "exa"):
        filled.connect(slug)
    with CaptureQueriesContext(connection) as many:
        assert len(operator.get(url).context["cl"].result_list) == 4
    assert len(many) == len(few)


def test_the_site_is_for_operators_only(filled: Road) -> None:
    client = Client()
    client.force_login(build_house("lighthouse").owner.user, backend="django.contrib.auth.backends.ModelBackend")
    response = client.get(page(Connection, "changelist"))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("admin:login"))
