"""What a test of the main road needs: people, an agent, Apps to install and providers that answer."""

from dataclasses import dataclass
from typing import Any

from apps.activity.models import Execution
from apps.activity.writer import writer
from apps.workspaces.models import Agent
from apps.workspaces.services.tokens import issue_service_token
from searchengines.providers import ALL
from tests.upstream import Upstream
from tests.workspaces.conftest import OPERATOR, Caller, House

KEYED = [provider for provider in ALL if provider.secret_fields]

# One good answer of each provider with one result: url, title, snippet.
URL, TITLE, SNIPPET = "https://harbour.example/ferries", "Ferries", "Every hour."
RESULT = {"url": URL, "title": TITLE, "snippet": SNIPPET}
ANSWERS: dict[str, Any] = {
    "searxng": {"results": [{"url": URL, "title": TITLE, "content": SNIPPET}], "unresponsive_engines": []},
    "brave": {"web": {"results": [{"url": URL, "title": TITLE, "description": SNIPPET}]}},
    "tavily": {"results": [{"url": URL, "title": TITLE, "content": SNIPPET}]},
    "serper": {"organic": [{"link": URL, "title": TITLE, "snippet": SNIPPET, "position": 1}]},
    "staan": {"web": {"results": [{"url": URL, "title": TITLE, "snippet": SNIPPET}]}},
    "google": {"items": [{"link": URL, "title": TITLE, "snippet": SNIPPET}]},
    "searchapi": {
        "search_metadata": {"status": "Success"},
        "organic_results": [{"link": URL, "title": TITLE, "snippet": SNIPPET}],
    },
    "duckduckgo": {"Heading": TITLE, "AbstractURL": URL, "AbstractText": SNIPPET, "RelatedTopics": []},
    "exa": {"results": [{"url": URL, "title": TITLE, "highlights": [SNIPPET]}]},
}
APP_IDS = {provider.slug: provider.app_id for provider in ALL} | {"rag": "app_knowledge"}
KEY = "canary-0000"


@dataclass
class Road:
    """`house` has the people; `agent` speaks for one agent of it."""

    house: House
    upstream: Upstream
    agent_row: Agent
    agent: Caller

    @classmethod
    def build(cls, house: House, upstream: Upstream, settings: Any) -> "Road":
        settings.AGENTTEAM_SEARCH_ORIGINS = {
            provider.slug: upstream.url for provider in ALL if provider.origin is not None
        }
        row = house.agent()
        return cls(house, upstream, row, Caller(house.agent_token(row)))

    def install(self, slug: str) -> str:
        """The id of a fresh installation."""
        response = self.house.admin.api("POST", f"{self.house.path}/app-installations", {"appId": APP_IDS[slug]})
        assert response.status_code == 201, response.content
        return str(response.json()["id"])

    def connection_path(self, installation_id: str) -> str:
        return f"{self.house.path}/app-installations/{installation_id}/search-engine-connection"

    def options_path(self, installation_id: str) -> str:
        return f"{self.house.path}/app-installations/{installation_id}/search-engine-options"

    def connection_body(self, slug: str, key: str = KEY) -> dict[str, Any]:
        provider = next(provider for provider in ALL if provider.slug == slug)
        body: dict[str, Any] = {}
        if slug == "searxng":
            body["config"] = {"baseUrl": self.upstream.url}
        if slug == "google":
            body["config"] = {"cx": "0123456789abcdef0"}
        if provider.secret_fields:
            body["credentials"] = {"apiKey": key}
        return body

    def connect(self, slug: str, key: str = KEY) -> str:
        """Install and connect; the provider gives its one good answer. Returns the installation's id."""
        installation_id = self.install(slug)
        body = self.connection_body(slug, key)
        response = self.house.admin.api("PUT", self.connection_path(installation_id), body)
        assert response.status_code == 200, response.content
        self.upstream.reply(json=ANSWERS[slug])
        return installation_id

    def test(self, installation_id: str) -> Any:
        return self.house.admin.api("POST", f"{self.connection_path(installation_id)}:test")

    def set_options(self, installation_id: str, options: dict[str, Any]) -> None:
        response = self.house.admin.api("PUT", self.options_path(installation_id), options)
        assert (response.status_code, response.json()) == (200, options), response.content

    def service(self, *extensions: str) -> Caller:
        """A fresh service token that is limited to these Extensions."""
        return Caller(
            issue_service_token(self.house.workspace.id, OPERATOR, name="indexer", extensions=list(extensions)).text
        )

    def search(self, slug: str, query: str = "ferry times", **members: Any) -> Any:
        return self.agent("POST", f"exec/{slug}/search", {"query": query, **members})

    def executions(self) -> list[Execution]:
        """What has been recorded, oldest first."""
        writer.flush()
        return list(Execution.objects.order_by("at"))
