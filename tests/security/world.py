"""A workspace with one of everything that the API can name."""

from dataclasses import dataclass
from typing import Any

from apps.activity.models import AuditRow, Execution
from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore
from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    Connection,
    Credential,
    EngineOptions,
    ExtensionSelection,
    Installation,
    WorkspaceSecret,
)
from apps.workspaces.models import (
    Agent,
    AgentToken,
    Membership,
    PersonToken,
    ServiceToken,
    User,
    Workspace,
)
from tests.security.routes import MODEL
from tests.workspaces.conftest import Caller, House, build_house

SECRET = "canary-0000"
MODELS: tuple[Any, ...] = (
    *(User, Workspace, Membership, Agent, PersonToken, AgentToken, ServiceToken, AuditRow, Execution),
    *(App, Installation, ExtensionSelection, AgentAuthorization, AppRequest, Connection, Credential, EngineOptions),
    *(WorkspaceSecret, EmbeddingModel, EmbeddingStore, Document),
)


def state() -> dict[str, list[Any]]:
    """Every row, but for when a token was last used."""
    return {
        model.__name__: [
            {name: value for name, value in row.items() if name not in ("last_used_at", "last_login")}
            for row in model.objects.order_by("pk").values()
        ]
        for model in MODELS
    }


@dataclass
class World:
    """``ids`` fills the parameters of a route."""

    house: House
    ids: dict[str, str]
    tokens: dict[str, str]
    agent: Caller
    service: Caller

    def fill(self, route: str, **other: str) -> str:
        """The path of a route in this world; `other` replaces parameters."""
        ids = {**self.ids, "token_id": self._token_of(route)}
        if "secrets/{name}" in route:
            ids["name"] = self.ids["secret_name"]
        return route.format(**{**ids, **other})

    def _token_of(self, route: str) -> str:
        return next((token for before, token in self.tokens.items() if f"{before}/{{token_id}}" in route), "")

    def page_token(self, route: str) -> str:
        """The token that a page's path names."""
        kind = "agents/{agent_id}/tokens" if "agents/" in route else "service-tokens"
        return self.tokens["me/tokens" if "account" in route else kind]

    def body(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {name: self.body(value) for name, value in given.items()}
        return given.format(**self.ids) if isinstance(given, str) else given


def build_world(name: str) -> World:
    house = build_house(name)
    admin, path = house.admin.api, house.path

    def made(method: str, route: str, body: Any) -> Any:
        answer = admin(method, f"{path}/{route}", body)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    agent = made("POST", "agents", {"name": "researcher"})
    agent_token = made("POST", f"agents/{agent['id']}/tokens", {"name": "first"})
    service_token = made("POST", "service-tokens", {"name": "indexer", "extensions": ["brave"]})
    own_token = house.member.api("POST", "me/tokens", {}).json()
    custom = made("POST", "custom-apps", {"slug": f"own-{name}", "displayName": "Own", "description": "Ours."})
    installation = made("POST", "app-installations", {"appId": "app_brave_search"})
    made("PUT", f"app-installations/{installation['id']}/search-engine-connection", _credentials())
    secret = made("PUT", f"secrets/KEY_{name.upper()}", {"value": SECRET})
    request = house.member.api("POST", f"{path}/app-requests", {"appId": "app_exa"}).json()
    model = made("POST", "embedding-models", {**MODEL, "id": f"model-{name}", "apiKey": SECRET})
    store = made("POST", "embedding-stores", {"embeddingModel": model["id"], "id": f"store-{name}"})
    # Its route gives the database back between two steps, which a test's transaction does not allow.
    document = Document.objects.create(store=EmbeddingStore.objects.get(public_id=store["id"]), name="a.txt", size=8)
    ids = {
        "workspace_id": house.workspace.id,
        "member_id": house.member.member.id,
        "agent_id": agent["id"],
        "custom_app_id": custom["appId"],
        "slug": custom["slug"],
        "installation_id": installation["id"],
        "request_id": request["id"],
        "model_id": model["id"],
        "store_id": store["id"],
        "document_id": document.id,
        "secret_name": secret["name"],
        "name": "brave",
        "action": "search",
    }
    tokens = {
        "agents/{agent_id}/tokens": agent_token["id"],
        "service-tokens": service_token["id"],
        "me/tokens": own_token["id"],
    }
    return World(house, ids, tokens, Caller(agent_token["token"]), Caller(service_token["token"]))


def _credentials() -> dict[str, Any]:
    return {"credentials": {"apiKey": SECRET}}
