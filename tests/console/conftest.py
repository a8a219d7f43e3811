"""People with a browser's session, without a browser."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.activity.models import AuditRow
from apps.marketplace.models import App, AppRequest, Connection, Credential, ExtensionSelection, Installation
from apps.marketplace.services.connections import save_connection
from apps.marketplace.services.installations import install
from apps.workspaces.models import AgentToken, Membership, ServiceToken, User
from tests.road import APP_IDS, Road
from tests.workspaces.conftest import House, house, other_house  # noqa: F401 - fixtures

BACKEND = "django.contrib.auth.backends.ModelBackend"
KEY = "canary-0000-in-no-page"
MODELS = (
    App,
    AppRequest,
    Installation,
    ExtensionSelection,
    Connection,
    Credential,
    AgentToken,
    ServiceToken,
    Membership,
    AuditRow,
)


def state() -> list[Any]:
    """Every row that a page could change."""
    return [list(model.objects.order_by("pk").values()) for model in MODELS]


@dataclass
class Window:
    """A session of one person in one workspace."""

    client: Client
    workspace_id: str

    def url(self, name: str, *args: str) -> str:
        return reverse(f"console:{name}", args=[self.workspace_id, *args])

    def get(self, name: str, /, *args: str, **query: str) -> Any:
        return self.client.get(self.url(name, *args), query)

    def post(self, name: str, /, *args: str, follow: bool = False, **data: Any) -> Any:
        return self.client.post(self.url(name, *args), data, follow=follow)


def window(user: User | None, workspace_id: str) -> Window:
    client = Client()
    if user is not None:
        client.force_login(user, backend=BACKEND)
    return Window(client, workspace_id)


def installed(house: House, slug: str) -> Installation:  # noqa: F811
    return install(house.workspace.id, APP_IDS[slug], house.admin.actor)


def connected(house: House, slug: str, **config: str) -> Installation:  # noqa: F811
    """Installed and connected, with `KEY` where a key is needed."""
    installation = installed(house, slug)
    body: dict[str, object] = {"config": config}
    if slug not in ("searxng", "duckduckgo"):
        body["credentials"] = {"apiKey": KEY}
    save_connection(house.workspace.id, installation.id, body, house.admin.actor)
    return installation


def html(response: Any) -> str:
    return str(response.content.decode())


@pytest.fixture
def owner(house: House) -> Window:  # noqa: F811
    return window(house.owner.user, house.workspace.id)


@pytest.fixture
def admin(house: House) -> Window:  # noqa: F811
    return window(house.admin.user, house.workspace.id)


@pytest.fixture
def member(house: House) -> Window:  # noqa: F811
    return window(house.member.user, house.workspace.id)


@pytest.fixture
def road_admin(road: Road) -> Window:
    return window(road.house.admin.user, road.house.workspace.id)
