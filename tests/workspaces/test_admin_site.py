import pytest
from django.contrib.admin.utils import quote
from django.test import Client
from django.urls import reverse

from apps.activity.models import AuditRow
from apps.workspaces.models import AgentToken, PersonToken, ServiceToken, User
from tests.workspaces.conftest import House, state

MODELS = ["user", "workspace", "membership", "agent", "persontoken", "agenttoken", "servicetoken"]


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    user = User.objects.create_superuser("operator@x.example")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def fill(house: House) -> list[PersonToken | AgentToken | ServiceToken]:
    house.agent_token(house.agent())
    house.service_token()
    return [
        PersonToken.objects.filter(user=house.member.user).get(),
        AgentToken.objects.get(),
        ServiceToken.objects.get(),
    ]


@pytest.mark.parametrize("model", MODELS)
def test_lists_and_pages_open_and_show_no_digest(house: House, operator: Client, model: str) -> None:
    digests = [row.digest for row in fill(house)]
    listing = operator.get(reverse(f"admin:workspaces_{model}_changelist") + "?q=harbour")
    assert listing.status_code == 200
    row = listing.context["cl"].queryset.first()
    page = operator.get(reverse(f"admin:workspaces_{model}_change", args=[quote(row.pk)]))
    assert page.status_code == 200
    for digest in digests:
        assert digest not in listing.content.decode() + page.content.decode()


@pytest.mark.parametrize("model", MODELS[1:])
def test_what_services_write_is_read_only(house: House, operator: Client, model: str) -> None:
    fill(house)
    row = operator.get(reverse(f"admin:workspaces_{model}_changelist")).context["cl"].queryset.first()
    before = state()
    assert operator.get(reverse(f"admin:workspaces_{model}_add")).status_code == 403
    assert (
        operator.post(reverse(f"admin:workspaces_{model}_change", args=[quote(row.pk)]), {"name": "x"}).status_code
        == 403
    )
    assert (
        operator.post(reverse(f"admin:workspaces_{model}_delete", args=[quote(row.pk)]), {"post": "yes"}).status_code
        == 403
    )
    assert state() == before


def test_revoking_ends_each_kind_of_token_and_is_audited(house: House, operator: Client) -> None:
    for row in fill(house):
        AuditRow.objects.all().delete()
        url = reverse(f"admin:workspaces_{row._meta.model_name}_changelist")
        response = operator.post(url, {"action": "revoke", "_selected_action": [row.pk]})
        row.refresh_from_db()
        assert response.status_code == 302
        assert row.revoked_at is not None
        entry = AuditRow.objects.get()
        assert (entry.actor_kind, entry.target_id) == ("operator", row.pk)
        assert entry.actor_label == "admin site: operator@x.example"


def test_a_person_is_added_by_email(operator: Client) -> None:
    body = {
        "email": "Ann@X.example",
        "usable_password": "true",
        "password1": "harbour-light-7",
        "password2": "harbour-light-7",
    }
    response = operator.post(reverse("admin:workspaces_user_add"), body)
    assert response.status_code == 302
    assert User.objects.get(email="ann@x.example").check_password("harbour-light-7")
