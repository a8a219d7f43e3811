"""What people, workspaces, agents and tokens look like, for the API's document."""

from typing import Any

from apps.workspaces.api.documentation import (
    TEXT,
    TIME,
    Schema,
    answer_of,
    nullable,
    one_of,
)

AT = "2026-03-02T09:30:00Z"

EXTENSION_NAMES: Schema = {
    "type": "array",
    "items": {"type": "string", "pattern": "^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"},
    "minItems": 1,
    "maxItems": 50,
    "uniqueItems": True,
}
EXPIRY = {**TIME, "description": "A time to come with its offset; null or absent: never."}
TOKEN_MEMBERS: dict[str, Schema] = {"id": TEXT, "name": TEXT, "createdAt": TIME, "expiresAt": nullable(TIME)}
TOKEN_TEXT: Schema = {"type": "string", "description": "Shown this once."}
MEMBER_MEMBERS: dict[str, Schema] = {
    "id": TEXT,
    "kind": one_of("person", "agent"),
    "role": one_of("owner", "admin", "member", "agent"),
    "name": TEXT,
    "email": nullable(TEXT),
    "userId": nullable(TEXT),
    "agentId": nullable(TEXT),
    "createdAt": TIME,
}
ROLE = one_of("owner", "admin", "member")

SCHEMAS: dict[str, Schema] = {
    "Workspace": answer_of({"id": TEXT, "name": TEXT, "role": ROLE, "createdAt": TIME}),
    "Member": answer_of(MEMBER_MEMBERS),
    "AddedMember": answer_of(
        {**MEMBER_MEMBERS, "password": nullable({**TEXT, "description": "One-time password of a new person."})}
    ),
    "Agent": answer_of({"id": TEXT, "name": TEXT, "createdAt": TIME}),
    "Token": answer_of({**TOKEN_MEMBERS, "lastUsedAt": nullable(TIME)}),
    "NewToken": answer_of({**TOKEN_MEMBERS, "token": TOKEN_TEXT}),
    "ServiceToken": answer_of({**TOKEN_MEMBERS, "extensions": EXTENSION_NAMES, "lastUsedAt": nullable(TIME)}),
    "NewServiceToken": answer_of({**TOKEN_MEMBERS, "extensions": EXTENSION_NAMES, "token": TOKEN_TEXT}),
}

EXAMPLE_WORKSPACE = {"id": "ws_6f1c2a9d8b7e4f3a", "name": "Harbour", "role": "owner", "createdAt": AT}
EXAMPLE_MEMBER: dict[str, Any] = {
    "id": "mem_0a1b2c3d4e5f6071",
    "kind": "person",
    "role": "admin",
    "name": "",
    "email": "anna@harbour.example",
    "userId": "user_1a2b3c4d5e6f7081",
    "agentId": None,
    "createdAt": AT,
}
EXAMPLE_AGENT = {"id": "agent_2b3c4d5e6f708192", "name": "researcher", "createdAt": AT}
EXAMPLE_TOKEN: dict[str, Any] = {"id": "tok_3c4d5e6f708192a3", "name": "laptop", "createdAt": AT, "expiresAt": None}
EXAMPLE_LISTED = {**EXAMPLE_TOKEN, "lastUsedAt": AT}
EXAMPLE_SERVICE = {**EXAMPLE_TOKEN, "name": "indexer", "extensions": ["brave"]}
