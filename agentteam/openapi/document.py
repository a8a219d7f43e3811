"""The API's document in OpenAPI 3.1, put together from what each room says of its routes."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.conf import settings

from apps.activity.api.operations import DOCUMENTATION as ACTIVITY
from apps.knowledge.api.operations import DOCUMENTATION as KNOWLEDGE
from apps.marketplace.api.operations import DOCUMENTATION as MARKETPLACE
from apps.workspaces.api.documentation import TEXT, Content, Documentation, Operation, Schema, Who, answer_of, one_of
from apps.workspaces.api.operations import DOCUMENTATION as WORKSPACES
from apps.workspaces.errors import KINDS
from extensions.operations import DOCUMENTATION as EXTENSIONS
from searchengines.errors import Reason

DESCRIPTION = """\
Search engines for agents. Every route answers JSON and takes a bearer token; paths have no trailing slash, lists
answer `items` and `next`, times are ISO 8601 in UTC, unknown members of a body are refused by name. A workspace,
installation or agent that the caller may not see answers exactly like one that does not exist.
"""
SECURITY_SCHEMES = {
    Who.PERSON.value: "A person's token, `atp_…`.",
    Who.AGENT.value: "An agent's token, `ata_…`.",
    Who.SERVICE.value: "A service's token, `ats_…`.",
}
ERROR: Schema = answer_of(
    {
        "error": answer_of(
            {"code": one_of(*KINDS), "message": TEXT},
            {
                "fields": {
                    "type": "object",
                    "additionalProperties": TEXT,
                    "description": "Path of a member to what that member takes.",
                },
                "retryAfter": {"type": "integer", "description": "Seconds."},
                "reason": {
                    **one_of(*(reason.value for reason in Reason)),
                    "description": "On the administrator's test alone.",
                },
            },
        )
    }
)
FIELDS_EXAMPLE = {"query": "Required. Text of 1 to 512 characters."}
BODY_CODES = ("invalid_input", "payload_too_large", "unsupported_media_type")
COMMON_CODES = ("unavailable", "internal_error")

THE_DOCUMENT_ITSELF = Documentation(
    (
        Operation(
            "getSchema",
            "get",
            "/api/v1/schema",
            Who.ANYONE,
            "This document",
            "This document",
            {200: Content({"type": "object"}, {"openapi": "3.1.0"})},
            "Read it at `/api/docs`.",
        ),
    )
)
ROOMS = (EXTENSIONS, MARKETPLACE, KNOWLEDGE, ACTIVITY, WORKSPACES, THE_DOCUMENT_ITSELF)


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The whole document. Raises `ValueError` when two rooms name one thing twice."""
    parameters = {name: text for room in ROOMS for name, text in room.parameters.items()}
    schemas: dict[str, Schema] = {"Error": ERROR}
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for room in ROOMS:
        _add(schemas, room.schemas)
        for operation in room.operations:
            _add(paths[operation.path], {operation.method: _operation(operation, parameters)})
    return {
        "openapi": settings.SPECTACULAR_SETTINGS["OAS_VERSION"],
        "info": {
            "title": settings.SPECTACULAR_SETTINGS["TITLE"],
            "version": settings.SPECTACULAR_SETTINGS["VERSION"],
            "description": DESCRIPTION,
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in dict.fromkeys(item.tag for room in ROOMS for item in room.operations)],
        "paths": dict(paths),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                name: {"type": "http", "scheme": "bearer", "description": text}
                for name, text in SECURITY_SCHEMES.items()
            },
        },
    }


def _add(found: dict[str, Any], more: Any) -> None:
    if twice := found.keys() & more.keys():
        raise ValueError(f"documented twice: {', '.join(sorted(twice))}")
    found.update(more)


def _operation(operation: Operation, parameters: dict[str, str]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description or f"{operation.summary}.",
        "security": [] if operation.who is Who.ANYONE else [{operation.who.value: []}],
    }
    named = [_path_parameter(name, parameters[name]) for name in re.findall(r"{(\w+)}", operation.path)]
    queried = [
        {"name": item.name, "in": "query", "description": item.description, "schema": item.schema}
        for item in operation.query
    ]
    if named or queried:
        shown["parameters"] = [*named, *queried]
    if operation.body is not None:
        shown["requestBody"] = {"required": True, "content": _json(operation.body)}
    shown["responses"] = {
        **{str(status): _answer(content) for status, content in operation.answers.items()},
        **_errors(_codes(operation)),
    }
    return shown


def _path_parameter(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": TEXT}


def _answer(content: Content | None) -> dict[str, Any]:
    if content is None:
        return {"description": "Done; there is nothing to say."}
    return {"description": "Done.", "content": _json(content)}


def _json(content: Content) -> dict[str, Any]:
    return {"application/json": {"schema": content.schema, "example": content.example}}


def _codes(operation: Operation) -> Iterable[str]:
    """Every error code of an operation: of its kind, then its own."""
    codes = [*COMMON_CODES, *operation.codes]
    if operation.who is not Who.ANYONE:
        codes += ["unauthenticated", "permission_denied"]
    if "{workspaceId}" in operation.path:
        codes.append("not_found")
    if operation.body is not None:
        codes += BODY_CODES
    if any(item.name == "cursor" for item in operation.query):
        codes.append("invalid_input")
    return dict.fromkeys(codes)


def _errors(codes: Iterable[str]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in codes:
        by_status[KINDS[code].status].append(code)
    return {str(status): _error(status, by_status[status]) for status in sorted(by_status)}


def _error(status: int, codes: list[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "description": "; ".join(f"`{code}`: {KINDS[code].message}" for code in codes),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Error"},
                "examples": {code: {"value": _example(code)} for code in codes},
            }
        },
    }
    if status == 429:
        shown["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return shown


def _example(code: str) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": KINDS[code].message}
    if code == "invalid_input":
        error["fields"] = FIELDS_EXAMPLE
    if code in ("throttled", "rate_limited"):
        error["retryAfter"] = 30
    return {"error": error}
