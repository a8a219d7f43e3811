"""The route of audit rows and executions, documented."""

from apps.workspaces.api.documentation import (
    ADMINISTRATORS,
    INTEGER,
    NUMBER,
    PAGING,
    TEXT,
    TIME,
    Content,
    Documentation,
    Operation,
    Query,
    Schema,
    Who,
    answer_of,
    nullable,
    one_of,
    ref,
)

SCHEMAS: dict[str, Schema] = {
    "Execution": answer_of(
        {
            "id": TEXT,
            "kind": one_of("execution"),
            "at": TIME,
            "caller": answer_of({"kind": TEXT, "id": TEXT, "memberId": nullable(TEXT)}),
            "installationId": TEXT,
            "extension": TEXT,
            "action": TEXT,
            "code": {**TEXT, "description": "`ok` or an error code."},
            "reason": nullable(TEXT),
            "results": INTEGER,
            "milliseconds": NUMBER,
            "upstreamMilliseconds": NUMBER,
            "keyOrdinal": nullable(INTEGER),
            "requestId": TEXT,
        }
    ),
    "AuditRow": answer_of(
        {
            "id": TEXT,
            "kind": one_of("audit"),
            "at": TIME,
            "actor": answer_of({"kind": TEXT, "id": TEXT, "memberId": nullable(TEXT), "label": TEXT}),
            "action": TEXT,
            "target": answer_of({"kind": TEXT, "id": TEXT}),
            "details": {"type": "object"},
            "requestId": TEXT,
        }
    ),
}
PAGE = answer_of(
    {
        "items": {"type": "array", "items": {"oneOf": [ref(name) for name in SCHEMAS]}},
        "next": nullable(TEXT),
    }
)
EXAMPLE = {
    "id": "exec_6f708192a3b4c5d6",
    "kind": "execution",
    "at": "2026-03-02T09:30:00Z",
    "caller": {"kind": "agent", "id": "agent_2b3c4d5e6f708192", "memberId": "mem_708192a3b4c5d6e7"},
    "installationId": "inst_4d5e6f708192a3b4",
    "extension": "brave",
    "action": "search",
    "code": "ok",
    "reason": None,
    "results": 5,
    "milliseconds": 182.4,
    "upstreamMilliseconds": 176.1,
    "keyOrdinal": None,
    "requestId": "9f2c1a7b8e4d3f60",
}

DOCUMENTATION = Documentation(
    (
        Operation(
            "listActivity",
            "get",
            "/api/v1/workspaces/{workspaceId}/activity",
            Who.PERSON,
            "Activity",
            "Audit rows and executions in one list, newest first",
            {200: Content(PAGE, {"items": [EXAMPLE], "next": None})},
            ADMINISTRATORS,
            query=(
                Query("kind", "Keep one of the two.", one_of("audit", "execution")),
                *PAGING,
            ),
            codes=("invalid_input",),
        ),
    ),
    SCHEMAS,
)
