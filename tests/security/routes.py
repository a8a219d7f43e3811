"""Every route of the API: who may use it and with what. A route that is not here fails `test_routes.py`.

Written from contract section 4, not from the views.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MEMBER, ADMIN, PERSON, AGENT, SERVICE, ANYONE = "member", "admin", "person", "agent", "service", "anyone"


@dataclass(frozen=True)
class Access:
    """``who`` may call; ``body`` is a good one, its strings filled like the path's parameters.

    ``foreign`` is false where another workspace's value means nothing here, e.g. a name that is made by writing it.
    ``status`` is the answer to the lowest that may; None: it waits for others, so it is called elsewhere.
    """

    who: str
    status: int | None = 200
    body: Any = None
    foreign: bool = True


WS = "workspaces/{workspace_id}"
INST = f"{WS}/app-installations/{{installation_id}}"
STORE = f"{WS}/embedding-stores/{{store_id}}"

MODEL = {"kind": "openai_compatible", "baseUrl": "https://embeddings.example/v1", "model": "m"}

TABLE: dict[str, dict[str, Access]] = {
    "exec": {"GET": Access(AGENT)},
    "exec/{name}": {"GET": Access(AGENT)},
    "exec/{name}/{action}": {"POST": Access(AGENT, None, {"query": "ferry"})},
    "search-engines/{name}/search": {"POST": Access(SERVICE, None, {"query": "ferry"})},
    "workspaces": {"GET": Access(PERSON)},
    WS: {"GET": Access(MEMBER)},
    "me/tokens": {"GET": Access(PERSON), "POST": Access(PERSON, 201, {}), "DELETE": Access(PERSON, 204)},
    "me/tokens/{token_id}": {"DELETE": Access(PERSON, 204)},
    f"{WS}/members": {"GET": Access(ADMIN), "POST": Access(ADMIN, 201, {"email": "new@x.example", "role": "member"})},
    f"{WS}/members/{{member_id}}": {"PATCH": Access(ADMIN, body={"role": "admin"}), "DELETE": Access(ADMIN, 204)},
    f"{WS}/agents": {"GET": Access(ADMIN), "POST": Access(ADMIN, 201, {"name": "second"})},
    f"{WS}/agents/{{agent_id}}": {"GET": Access(ADMIN), "DELETE": Access(ADMIN, 204)},
    f"{WS}/agents/{{agent_id}}/tokens": {"GET": Access(ADMIN), "POST": Access(ADMIN, 201, {})},
    f"{WS}/agents/{{agent_id}}/tokens/{{token_id}}": {"DELETE": Access(ADMIN, 204)},
    f"{WS}/agents/{{agent_id}}/extensions/{{name}}:explain": {"GET": Access(ADMIN)},
    f"{WS}/agents/{{agent_id}}/extension-authorizations/{{name}}": {
        "PUT": Access(ADMIN, body={"allowed": False}),
        "DELETE": Access(ADMIN, 204),
    },
    f"{WS}/service-tokens": {
        "GET": Access(ADMIN),
        "POST": Access(ADMIN, 201, {"name": "second", "extensions": ["brave"]}),
    },
    f"{WS}/service-tokens/{{token_id}}": {"DELETE": Access(ADMIN, 204)},
    f"{WS}/apps": {"GET": Access(MEMBER)},
    f"{WS}/apps/{{slug}}": {"GET": Access(MEMBER)},
    f"{WS}/custom-apps": {"POST": Access(ADMIN, 201, {"slug": "own", "displayName": "Own", "description": "Ours."})},
    f"{WS}/app-requests": {"GET": Access(ADMIN), "POST": Access(MEMBER, 201, {"appId": "{custom_app_id}"})},
    f"{WS}/app-requests/{{request_id}}:approve": {"POST": Access(ADMIN)},
    f"{WS}/app-requests/{{request_id}}:decline": {"POST": Access(ADMIN)},
    f"{WS}/app-installations": {"GET": Access(MEMBER), "POST": Access(ADMIN, 201, {"appId": "{custom_app_id}"})},
    INST: {"GET": Access(MEMBER), "DELETE": Access(ADMIN, 204)},
    f"{INST}/extension": {"GET": Access(ADMIN), "PATCH": Access(ADMIN, body={"agentAccess": "selected"})},
    f"{INST}/search-engine-connection": {
        "GET": Access(ADMIN),
        "PUT": Access(ADMIN, body={"credentials": {"apiKey": "another-key"}}),
        "DELETE": Access(ADMIN, 204),
    },
    f"{INST}/search-engine-connection:test": {"POST": Access(ADMIN, None)},
    f"{INST}/search-engine-options": {"GET": Access(ADMIN), "PUT": Access(ADMIN, body={"country": "NL"})},
    f"{WS}/secrets": {"GET": Access(ADMIN)},
    f"{WS}/secrets/{{name}}": {
        "PUT": Access(ADMIN, body={"value": "another-key"}, foreign=False),
        "DELETE": Access(ADMIN, 204),
    },
    f"{WS}/activity": {"GET": Access(ADMIN)},
    f"{WS}/embedding-models": {"GET": Access(ADMIN), "POST": Access(ADMIN, 201, MODEL)},
    f"{WS}/embedding-models/{{model_id}}": {
        "GET": Access(ADMIN),
        "PATCH": Access(ADMIN, body={"apiKey": "another-key"}),
        "DELETE": Access(ADMIN, 409),
    },
    f"{WS}/embedding-stores": {"GET": Access(ADMIN), "POST": Access(ADMIN, 201, {"embeddingModel": "{model_id}"})},
    STORE: {
        "GET": Access(ADMIN),
        "PATCH": Access(ADMIN, body={"embeddingModel": "{model_id}"}),
        "DELETE": Access(ADMIN, 204),
    },
    f"{STORE}/documents": {
        "GET": Access(ADMIN),
        "POST": Access(ADMIN, None, {"name": "new.txt", "content": "Ferries leave at noon."}),
    },
    f"{STORE}/documents/{{document_id}}": {"GET": Access(ADMIN), "DELETE": Access(ADMIN, 204)},
}


def listed() -> Iterator[tuple[str, URLPattern]]:
    """Every pattern of the URL table with its route: `{name}` for a parameter."""
    yield from _walk(get_resolver().url_patterns, "")


def _walk(patterns: list[Any], prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        else:
            yield route.replace("<str:", "{").replace(">", "}"), pattern


def api_methods() -> set[tuple[str, str]]:
    """(route, method) of everything under `/api/v1/` that a view answers, without the document and its page."""
    found = set()
    for route, pattern in listed():
        view = getattr(pattern.callback, "cls", None)
        if not route.startswith("api/v1/") or view is None or not view.authentication_classes and _is_document(route):
            continue
        found |= {(route.removeprefix("api/v1/"), method) for method in METHODS if hasattr(view, method.lower())}
    return found


def _is_document(route: str) -> bool:
    """The OpenAPI document is for anyone (contract section 4)."""
    return route == "api/v1/schema"


ENTRIES = [(route, method, access) for route, methods in TABLE.items() for method, access in methods.items()]
