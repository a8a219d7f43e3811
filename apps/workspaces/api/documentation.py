"""The words in which a room documents its routes, as OpenAPI 3.1 has them (contract section 4, `GET schema`).

Bodies are checked by closed declarations and not by serializers, so there is nothing to derive a document from:
each room writes its own beside its views, and tests hold it against the routes and their real answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

Schema = dict[str, Any]


class Who(Enum):
    """Whose token a route takes; the value names the security scheme."""

    PERSON = "personToken"
    AGENT = "agentToken"
    SERVICE = "serviceToken"
    ANYONE = None


@dataclass(frozen=True, slots=True)
class Content:
    """A JSON body: ``schema`` and an ``example`` that it allows."""

    schema: Schema
    example: Any


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter, which is always optional."""

    name: str
    description: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route. ``path`` is whole, with its parameters in braces.

    ``answers`` maps statuses of success to their body, None where there is none. ``codes`` are the errors beyond
    those that every route of its kind has.
    """

    id: str
    method: str
    path: str
    who: Who
    tag: str
    summary: str
    answers: Mapping[int, Content | None]
    description: str = ""
    body: Content | None = None
    query: tuple[Query, ...] = ()
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Documentation:
    """What one room adds: operations, named schemas, and what its path parameters are."""

    operations: tuple[Operation, ...]
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


ADMINISTRATORS = "Owners and administrators of the workspace."
MEMBERS = "Members of the workspace."

TEXT: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TIME: Schema = {"type": "string", "format": "date-time", "description": "ISO 8601 in UTC."}

PAGING = (
    Query("limit", "How many items at most.", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
    Query("cursor", "`next` of the page before.", TEXT),
)


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(schema: Schema) -> Schema:
    """The schema or null."""
    if "type" in schema:
        shown = {**schema, "type": [schema["type"], "null"]}
        return {**shown, "enum": [*schema["enum"], None]} if "enum" in schema else shown
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*choices: str) -> Schema:
    return {"type": "string", "enum": list(choices)}


def text(maximum: int, minimum: int = 1, description: str = "") -> Schema:
    schema: Schema = {"type": "string", "minLength": minimum, "maxLength": maximum}
    return {**schema, "description": description} if description else schema


def answer_of(members: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object of an answer; later versions may add members."""
    return {"type": "object", "properties": {**members, **(optional or {})}, "required": list(members)}


def body_of(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object of a request: an unknown member is refused by name."""
    schema: Schema = {"type": "object", "properties": {**required, **(optional or {})}, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def page_of(name: str, *examples: Any) -> Content:
    """A list's answer: one page of the named schema."""
    schema = answer_of({"items": {"type": "array", "items": ref(name)}, "next": nullable(TEXT)})
    return Content(schema, {"items": list(examples), "next": None})


def named(name: str, example: Any) -> Content:
    return Content(ref(name), example)
