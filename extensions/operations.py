"""The routes of agents and services, of the administrator's test and of explanations, documented."""

from typing import Any

from apps.workspaces.api.documentation import (
    ADMINISTRATORS,
    BOOLEAN,
    INTEGER,
    NUMBER,
    TEXT,
    Content,
    Documentation,
    Operation,
    Query,
    Schema,
    Who,
    answer_of,
    body_of,
    named,
    nullable,
    one_of,
    ref,
    text,
)
from extensions.declarations import VENDORS
from extensions.explain import LinkName
from extensions.explain_links import State
from extensions.search_action import INPUT_SCHEMA, QUERY_CHARACTERS, SNIPPET, TITLE, output_schema
from extensions.service_input import MAX_RESULTS

OBJECT: Schema = {"type": "object"}
RESULT_URL: Schema = {"type": "string", "description": "Absolute http or https address; empty for a knowledge base."}
SCORE = {**NUMBER, "minimum": 0, "maximum": 1}
RESULT_MEMBERS = {"url": RESULT_URL, "title": TITLE, "snippet": SNIPPET}
SERVICE_MEMBERS = {"max_results": {**INTEGER, "minimum": 0, "maximum": MAX_RESULTS}}

SCHEMAS: dict[str, Schema] = {
    "Action": answer_of(
        {
            "name": TEXT,
            "summary": TEXT,
            "inputSchema": OBJECT,
            "outputSchema": OBJECT,
            "readOnly": BOOLEAN,
            "idempotent": BOOLEAN,
            "destructive": BOOLEAN,
        }
    ),
    "CatalogEntry": answer_of(
        {
            "name": TEXT,
            "displayName": TEXT,
            "description": TEXT,
            "definition": ref("Definition"),
            "actions": {"type": "array", "items": ref("Action")},
        }
    ),
    "Catalog": answer_of({"extensions": {"type": "array", "items": ref("CatalogEntry")}}),
    "Declarations": answer_of(
        {}, {"tools": {"type": "array", "items": OBJECT, "description": "In the vendor's form; absent without a tool."}}
    ),
    "SearchInput": INPUT_SCHEMA,
    "SearchOutput": output_schema(RESULT_MEMBERS),
    "KnowledgeOutput": output_schema({**RESULT_MEMBERS, "score": SCORE}),
    "ServiceInput": body_of({"query": text(QUERY_CHARACTERS)}, SERVICE_MEMBERS),
    "ScoredServiceInput": {
        **body_of({"query": text(QUERY_CHARACTERS)}, {**SERVICE_MEMBERS, "min_score": SCORE}),
        "description": "Of engines that compare scores: the knowledge base.",
    },
    "ServiceAnswer": answer_of(
        {
            "provider": TEXT,
            "query": TEXT,
            "results": {
                "type": "array",
                "items": answer_of(
                    {"title": TEXT, "url": TEXT, "snippet": TEXT}, {"score": NUMBER, "published_date": TEXT}
                ),
            },
        },
        {"answer": TEXT},
    ),
    "Explanation": answer_of(
        {
            "agent": answer_of({"id": TEXT, "name": TEXT}),
            "name": TEXT,
            "usable": BOOLEAN,
            "code": nullable({**TEXT, "description": "The error code that the agent's call gets now."}),
            "firstBroken": nullable(one_of(*LinkName)),
            "links": {
                "type": "array",
                "items": answer_of(
                    {
                        "name": one_of(*LinkName),
                        "state": one_of(*State),
                        "detail": TEXT,
                        "remedy": nullable({**TEXT, "description": "What an administrator does about it."}),
                    }
                ),
            },
        }
    ),
}
RESULT = {"url": "https://harbour.example/ferries", "title": "Ferries", "snippet": "Every hour, from six to ten."}
ACTION: dict[str, Any] = {
    "name": "search",
    "summary": "Search the web with Brave Search. Results are hints to read further, not evidence.",
    "inputSchema": INPUT_SCHEMA,
    "outputSchema": output_schema(RESULT_MEMBERS),
    "readOnly": True,
    "idempotent": True,
    "destructive": False,
}
ENTRY: dict[str, Any] = {
    "name": "brave",
    "displayName": "Brave Search",
    "description": "Web search from Brave's own index. Results are hints to read further, not evidence.",
    "definition": {"domain": "brave", "version": "1.0.0", "revision": 1, "digest": "sha256:9f2c…"},
    "actions": [ACTION],
}
VENDOR = (Query("as", "Answer with function declarations in this vendor's form instead.", one_of(*VENDORS)),)
CALL_CODES = ("connection_ambiguous", "throttled", "rate_limited", "provider_auth_unavailable", "upstream_failure")
EXPLAINED = {
    "agent": {"id": "agent_2b3c4d5e6f708192", "name": "researcher"},
    "name": "brave",
    "usable": False,
    "code": "extension_not_found",
    "firstBroken": "connection",
    "links": [
        {"name": "app", "state": "ok", "detail": "Brave Search is available.", "remedy": None},
        {
            "name": "connection",
            "state": "broken",
            "detail": "There is no active connection.",
            "remedy": "Fill in the App's Connection section and save it, also where nothing has to be entered.",
        },
    ],
}

OPERATIONS = (
    Operation(
        "getCatalog",
        "get",
        "/api/v1/exec",
        Who.AGENT,
        "Agents' calls",
        "The Extensions that the agent may use now",
        {200: Content({"anyOf": [ref("Catalog"), ref("Declarations")]}, {"extensions": [ENTRY]})},
        query=VENDOR,
        codes=("invalid_input",),
    ),
    Operation(
        "getCatalogEntry",
        "get",
        "/api/v1/exec/{name}",
        Who.AGENT,
        "Agents' calls",
        "One Extension with its actions and schemas",
        {200: Content({"anyOf": [ref("CatalogEntry"), ref("Declarations")]}, ENTRY)},
        query=VENDOR,
        codes=("extension_not_found", "invalid_input"),
    ),
    Operation(
        "execute",
        "post",
        "/api/v1/exec/{name}/{action}",
        Who.AGENT,
        "Agents' calls",
        "Run an action of an Extension",
        {200: Content({"anyOf": [ref("SearchOutput"), ref("KnowledgeOutput")]}, {"results": [RESULT]})},
        "Reads only, and may be repeated. Results are hints to read further, not evidence.",
        body=named("SearchInput", {"query": "harbor ferry timetable", "limit": 5}),
        codes=("extension_not_found", *CALL_CODES),
    ),
    Operation(
        "searchAsService",
        "post",
        "/api/v1/search-engines/{name}/search",
        Who.SERVICE,
        "Services' calls",
        "Search with one of the Extensions that the token names",
        {200: named("ServiceAnswer", {"provider": "brave", "query": "harbor ferry timetable", "results": [RESULT]})},
        body=Content(
            {"anyOf": [ref("ServiceInput"), ref("ScoredServiceInput")]},
            {"query": "harbor ferry timetable", "max_results": 5},
        ),
        codes=("extension_not_found", *CALL_CODES),
    ),
    Operation(
        "testConnection",
        "post",
        "/api/v1/workspaces/{workspaceId}/app-installations/{installationId}/search-engine-connection:test",
        Who.PERSON,
        "Connections",
        "Test the saved connection with one search, whose results are not shown",
        {200: Content(answer_of({"ok": BOOLEAN}), {"ok": True})},
        f"{ADMINISTRATORS} An error has its `reason`.",
        codes=("conflict", *CALL_CODES),
    ),
    Operation(
        "explain",
        "get",
        "/api/v1/workspaces/{workspaceId}/agents/{agentId}/extensions/{name}:explain",
        Who.PERSON,
        "Agents",
        "Why an agent can or cannot use an Extension, link by link",
        {200: named("Explanation", EXPLAINED)},
        f"{ADMINISTRATORS} Asks no provider. A name that nothing has is explained too.",
    ),
)

DOCUMENTATION = Documentation(OPERATIONS, SCHEMAS, {"action": "Name of an action, e.g. `search`."})
