"""One walk through every documented route, as people, an agent and a service, over a workspace that fills up."""

from dataclasses import dataclass
from typing import Any

from tests.road import Road
from tests.workspaces.conftest import Caller

UNKNOWN = "memberThatIsNotThere"


@dataclass(frozen=True)
class Call:
    """``route`` is the documented path; ``answer`` is None where the answer has no body."""

    route: str
    method: str
    body: Any
    status: int
    answer: Any


class Walker:
    """Makes calls and remembers them. A call with a body is preceded by one with an unknown member."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self.calls: list[Call] = []
        self.probes: list[Call] = []
        self.ids = {"workspaceId": road.house.workspace.id, "agentId": road.agent_row.id}

    def __call__(
        self, method: str, route: str, body: Any = None, *, by: Caller | None = None, query: str = "", **ids: str
    ) -> Any:
        caller = by or self.road.house.owner.api
        route = f"/api/v1/{route}"
        path = route.removeprefix("/api/v1/").format(**{**self.ids, **ids}) + query
        if body is not None:
            self.probes.append(self._send(caller, method, route, path, {UNKNOWN: 1}))
        call = self._send(caller, method, route, path, body)
        self.calls.append(call)
        return call.answer

    def _send(self, caller: Caller, method: str, route: str, path: str, body: Any) -> Call:
        answer = caller(method.upper(), path, body)
        return Call(route, method, body, answer.status_code, answer.json() if answer.content else None)


def walk(road: Road) -> Walker:
    do = Walker(road)
    _people(do)
    _marketplace(do)
    _connected(do)
    _knowledge(do)
    _end(do)
    return do


W = "workspaces/{workspaceId}"
I = W + "/app-installations/{installationId}"  # noqa: E741


def _people(do: Walker) -> None:
    do("get", "workspaces")
    do("get", W)
    own = do("post", "me/tokens", {"name": "laptop", "expiresAt": None})
    do("get", "me/tokens", query="?limit=1")
    do("delete", "me/tokens/{tokenId}", tokenId=own["id"])
    added = do("post", f"{W}/members", {"email": "new@harbour.example", "role": "member"})
    do("get", f"{W}/members")
    do("patch", f"{W}/members/{{memberId}}", {"role": "admin"}, memberId=added["id"])
    do("delete", f"{W}/members/{{memberId}}", memberId=added["id"])
    agent = do("post", f"{W}/agents", {"name": "writer"})
    do("get", f"{W}/agents")
    do("get", f"{W}/agents/{{agentId}}", agentId=agent["id"])
    token = do("post", f"{W}/agents/{{agentId}}/tokens", {"name": "one"}, agentId=agent["id"])
    do("get", f"{W}/agents/{{agentId}}/tokens", agentId=agent["id"])
    do("delete", f"{W}/agents/{{agentId}}/tokens/{{tokenId}}", agentId=agent["id"], tokenId=token["id"])
    do("delete", f"{W}/agents/{{agentId}}", agentId=agent["id"])


def _marketplace(do: Walker) -> None:
    do("get", f"{W}/apps")
    do("get", f"{W}/apps/{{slug}}", slug="tavily")
    do("post", f"{W}/custom-apps", {"slug": "notes", "displayName": "Notes"})
    member = do.road.house.member.api
    wanted = do("post", f"{W}/app-requests", {"appId": "app_tavily", "reason": "please"}, by=member)
    unwanted = do("post", f"{W}/app-requests", {"appId": "app_exa"}, by=member)
    do("get", f"{W}/app-requests")
    do("post", f"{W}/app-requests/{{requestId}}:approve", {}, requestId=wanted["id"])
    do("post", f"{W}/app-requests/{{requestId}}:decline", {}, requestId=unwanted["id"])
    do.ids["installationId"] = do("post", f"{W}/app-installations", {"appId": "app_brave_search"})["id"]
    do("get", f"{W}/app-installations")
    do("get", I)
    do("get", f"{I}/extension")
    do("patch", f"{I}/extension", {"agentAccess": "selected", "enabled": True})
    authorization = f"{W}/agents/{{agentId}}/extension-authorizations/{{name}}"
    do("put", authorization, {"allowed": True}, name="brave")
    do("delete", authorization, name="brave")
    do("patch", f"{I}/extension", {"agentAccess": "all"})
    do("put", f"{W}/secrets/{{secretName}}", {"value": "canary-0000"}, secretName="KEY")
    do("put", f"{W}/secrets/{{secretName}}", {"value": "canary-0001"}, secretName="KEY")
    do("get", f"{W}/secrets")
    explain = f"{W}/agents/{{agentId}}/extensions/{{name}}:explain"
    do("get", explain, name="brave")
    do("get", explain, name="web-search")


def _connected(do: Walker) -> None:
    connection, options = f"{I}/search-engine-connection", f"{I}/search-engine-options"
    do("get", connection)
    do("put", connection, {"credentials": {"apiKey": "${vault://local/KEY}"}})
    do("get", connection)
    do("put", options, {"country": "DE", "timeoutMs": 5000, "denyDomains": ["spam.example"]})
    do("get", options)
    do.road.upstream.reply(
        json={"web": {"results": [{"url": "https://a.example/", "title": "A", "description": "About A"}]}}
    )
    do("post", f"{connection}:test")
    do("get", I)
    agent = do.road.agent
    for query in ("", "?as=openai", "?as=anthropic", "?as=gemini"):
        do("get", "exec", by=agent, query=query)
        do("get", "exec/{name}", by=agent, query=query, name="brave")
    do("post", "exec/{name}/{action}", {"query": "x", "limit": 3}, by=agent, name="brave", action="search")
    service = do("post", f"{W}/service-tokens", {"name": "indexer", "extensions": ["brave"]})
    do("get", f"{W}/service-tokens")
    search = "search-engines/{name}/search"
    do("post", search, {"query": "x", "max_results": 2}, by=Caller(service["token"]), name="brave")
    do("delete", f"{W}/service-tokens/{{tokenId}}", tokenId=service["id"])
    do.road.executions()
    do("get", f"{W}/activity")
    do("get", f"{W}/activity", query="?kind=audit&limit=100")


def _knowledge(do: Walker) -> None:
    models, stores = f"{W}/embedding-models", f"{W}/embedding-stores"
    given = {"id": "model", "kind": "openai_compatible", "baseUrl": f"{do.road.upstream.url}/v1", "model": "bge-m3"}
    do("post", models, given)
    do("get", models)
    do("get", f"{models}/{{modelId}}", modelId="model")
    do("patch", f"{models}/{{modelId}}", {"apiKey": "canary-0002"}, modelId="model")
    do("post", stores, {"id": "handbook", "embeddingModel": "model"})
    do("get", stores)
    do("get", f"{stores}/{{storeId}}", storeId="handbook")
    do("patch", f"{stores}/{{storeId}}", {"embeddingModel": "model"}, storeId="handbook")
    documents = f"{stores}/{{storeId}}/documents"
    added = do("post", documents, {"name": "a.md", "content": "# A\n\nAbout A."}, storeId="handbook")
    do("post", documents, {"name": "a.md", "content": "# A\n\nMore about A."}, storeId="handbook")
    do("get", documents, storeId="handbook")
    do("get", f"{documents}/{{documentId}}", storeId="handbook", documentId=added["id"])
    do("delete", f"{documents}/{{documentId}}", storeId="handbook", documentId=added["id"])
    do("delete", f"{stores}/{{storeId}}", storeId="handbook")
    do("delete", f"{models}/{{modelId}}", modelId="model")


def _end(do: Walker) -> None:
    do("delete", f"{I}/search-engine-connection")
    do("delete", f"{W}/secrets/{{secretName}}", secretName="KEY")
    do("delete", I)
    do("get", "schema", by=Caller(None))
    do("delete", "me/tokens")
