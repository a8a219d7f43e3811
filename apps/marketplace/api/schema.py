"""What the marketplace's objects look like, for the API's document. Engines' members follow from their declarations."""

from typing import Any

from apps.workspaces.api.documentation import (
    BOOLEAN,
    INTEGER,
    TEXT,
    TIME,
    Schema,
    answer_of,
    body_of,
    nullable,
    one_of,
    ref,
)
from searchengines.contract import Engine, Field, Option, OptionKind
from searchengines.providers import ENGINES

AT = "2026-03-02T09:30:00Z"

DEFINITION = answer_of({"domain": TEXT, "version": TEXT, "revision": INTEGER, "digest": TEXT})
ACCESS = one_of("all", "selected")
CONFIGURED = answer_of({"configured": BOOLEAN})

SCHEMAS: dict[str, Schema] = {
    "App": answer_of(
        {
            "appId": TEXT,
            "slug": TEXT,
            "displayName": TEXT,
            "description": TEXT,
            "icon": TEXT,
            "kind": one_of("product", "custom"),
            "needs": one_of("api_key", "self_hosted", "nothing", "knowledge"),
            "state": one_of("not_installed", "requested", "needs_setup", "connected", "attention", "unavailable"),
            "installationId": nullable(TEXT),
        }
    ),
    "AppRequest": answer_of(
        {
            "id": TEXT,
            "appId": TEXT,
            "slug": TEXT,
            "status": one_of("pending", "approved", "declined"),
            "reason": TEXT,
            "requestedBy": answer_of({"memberId": nullable(TEXT), "email": nullable(TEXT)}),
            "createdAt": TIME,
            "decidedAt": nullable(TIME),
        }
    ),
    "Definition": DEFINITION,
    "Extension": answer_of(
        {"name": TEXT, "enabled": BOOLEAN, "agentAccess": ACCESS, "definition": nullable(ref("Definition"))}
    ),
    "LastTest": answer_of({"at": TIME, "ok": BOOLEAN, "code": nullable(TEXT), "reason": nullable(TEXT)}),
    "Installation": answer_of(
        {
            "id": TEXT,
            "appId": TEXT,
            "slug": TEXT,
            "status": one_of("active", "uninstalled"),
            "installedAt": TIME,
            "extension": nullable(ref("Extension")),
            "lastTest": nullable(ref("LastTest")),
        }
    ),
    "Connection": answer_of(
        {
            "active": BOOLEAN,
            "config": {"type": "object", "additionalProperties": TEXT},
            "credentials": {"type": "object", "additionalProperties": CONFIGURED},
        }
    ),
    "Authorization": answer_of({"agentId": TEXT, "name": TEXT, "allowed": BOOLEAN}),
    "Secret": answer_of({"name": TEXT}),
}

EXAMPLE_DEFINITION = {"domain": "brave", "version": "1.0.0", "revision": 1, "digest": "sha256:9f2c…"}
EXAMPLE_EXTENSION = {"name": "brave", "enabled": True, "agentAccess": "all", "definition": EXAMPLE_DEFINITION}
EXAMPLE_INSTALLATION = {
    "id": "inst_4d5e6f708192a3b4",
    "appId": "app_brave_search",
    "slug": "brave",
    "status": "active",
    "installedAt": AT,
    "extension": EXAMPLE_EXTENSION,
    "lastTest": {"at": AT, "ok": False, "code": "upstream_failure", "reason": "credentials_rejected"},
}
EXAMPLE_APP = {
    "appId": "app_brave_search",
    "slug": "brave",
    "displayName": "Brave Search",
    "description": "Web search from Brave's own index.",
    "icon": "/static/app-icons/brave.svg",
    "kind": "product",
    "needs": "api_key",
    "state": "connected",
    "installationId": "inst_4d5e6f708192a3b4",
}
EXAMPLE_REQUEST = {
    "id": "req_5e6f708192a3b4c5",
    "appId": "app_brave_search",
    "slug": "brave",
    "status": "pending",
    "reason": "For the timetable research.",
    "requestedBy": {"memberId": "mem_0a1b2c3d4e5f6071", "email": "anna@harbour.example"},
    "createdAt": AT,
    "decidedAt": None,
}
EXAMPLE_CONNECTION = {"active": True, "config": {}, "credentials": {"apiKey": {"configured": True}}}
EXAMPLE_SECRET = {"name": "BRAVE_KEY"}


def connection_body() -> Schema:
    """What each engine's connection takes. Which one is meant follows from the installation, never from the body."""
    return {"anyOf": [ref(_component(engine, "Connection")) for engine in ENGINES]}


def options_body() -> Schema:
    return {"anyOf": [ref(_component(engine, "Options")) for engine in ENGINES]}


def engine_schemas() -> dict[str, Schema]:
    """`<Engine>Connection` and `<Engine>Options` of every engine."""
    found: dict[str, Schema] = {}
    for engine in ENGINES:
        found[_component(engine, "Connection")] = _connection(engine)
        options = {option.name: option_schema(option) for option in engine.options}
        found[_component(engine, "Options")] = {**body_of({}, options), "title": f"{engine.display_name}: options"}
    return found


def _component(engine: Engine, what: str) -> str:
    return "".join(part for part in engine.display_name.split()) + what


def _connection(engine: Engine) -> Schema:
    members: dict[str, Schema] = {}
    for name, fields in (("config", engine.config_fields), ("credentials", engine.secret_fields)):
        required = {item.name: field_schema(item) for item in fields if item.required and not item.secret}
        optional = {item.name: field_schema(item) for item in fields if item.name not in required}
        members[name] = body_of(required, optional)
    return {**body_of({}, members), "title": f"{engine.display_name}: connection"}


def field_schema(item: Field) -> Schema:
    schema: Schema = {"type": "string", "title": item.label}
    if item.help:
        schema["description"] = item.help
    return {**schema, "writeOnly": True} if item.secret else schema


def option_schema(option: Option) -> Schema:
    schema: Schema = {"title": option.label, **_kind_schema(option)}
    if option.help:
        schema["description"] = option.help
    if option.default is not None:
        schema["default"] = option.default
    return schema


def _kind_schema(option: Option) -> Schema:
    if option.kind is OptionKind.CHOICE:
        return one_of(*option.choices)
    if option.kind is OptionKind.DOMAINS:
        return {"type": "array", "items": TEXT}
    if option.kind is OptionKind.BOOLEAN:
        return dict(BOOLEAN)
    lowest, highest = ("minLength", "maxLength") if option.kind is OptionKind.TEXT else ("minimum", "maximum")
    bounds: dict[str, Any] = {lowest: option.minimum, highest: option.maximum}
    names = {OptionKind.TEXT: "string", OptionKind.INTEGER: "integer", OptionKind.NUMBER: "number"}
    return {"type": names[option.kind], **{name: bound for name, bound in bounds.items() if bound is not None}}
