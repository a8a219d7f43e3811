"""An agent's Extensions as tools, and a tool's call as a call of an Extension (contract section 7)."""

import json
from collections.abc import Mapping
from typing import Any

from apps.workspaces.models import Agent
from extensions import execution
from extensions.definitions import Action
from extensions.mcp.messages import INVALID_PARAMS, ProtocolError
from extensions.tool_names import Tool, split_name, tools_of


def list_tools(agent: Agent) -> dict[str, Any]:
    """All tools in one page; a model's list is short."""
    return {"tools": [_document(tool) for tool in tools_of(agent)]}


def _document(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.action.input_schema,
        "outputSchema": tool.action.output_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
    }


def is_call(params: Mapping[str, Any]) -> bool:
    """Whether the parameters are of a call, of a known tool or not."""
    return isinstance(params.get("name"), str) and isinstance(params.get("arguments") or {}, dict)


def malformed_call() -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, "A call has the tool's `name` and an object of `arguments`.")


def call(digest: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's result. Raises `Problem` as `execution.execute`; a tool that is not there is extension_not_found."""
    extension, action = split_name(params["name"])
    given = params.get("arguments") or {}
    output = execution.execute(digest, extension, action, lambda: given, repair=put_right)
    return {"content": [_text(output)], "structuredContent": output, "isError": False}


def failed_call(error: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call that failed: the API's error as text.

    Not as structured content: clients hold that against the tool's output schema, and would show their own
    complaint in place of the error.
    """
    return {"content": [_text({"error": error})], "isError": True}


def _text(value: object) -> dict[str, str]:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}


def put_right(action: Action, given: object) -> object:
    """What models are known to send: digits in quotes for an integer, null for an optional member that they leave out.

    Everything else is for validation to judge.
    """
    if not isinstance(given, dict):
        return given
    properties = action.input_schema["properties"]
    optional = properties.keys() - set(action.input_schema.get("required", ()))
    return {
        name: _whole_number(value) if properties.get(name, {}).get("type") == "integer" else value
        for name, value in given.items()
        if not (value is None and name in optional)
    }


def _whole_number(value: object) -> object:
    plain = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18
    return int(str(value)) if plain else value
