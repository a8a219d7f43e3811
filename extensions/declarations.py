"""An agent's catalog as function declarations, in the form that each model vendor takes (contract section 4)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from apps.workspaces.errors import Problem
from extensions.tool_names import Tool

Declare = Callable[[Sequence[Tool]], list[dict[str, Any]]]

# Gemini refuses a declaration with a keyword that it does not know; these are the ones it documents.
GEMINI_KEYWORDS: Final = frozenset(
    {"type", "description", "enum", "properties", "required", "items", "minItems", "maxItems"}
    | {"minimum", "maximum", "minLength", "maxLength"}
)


def declarations(tools: Sequence[Tool], vendor: str) -> dict[str, Any]:
    """`{"tools": [..]}` as it stands in a request to the vendor's model; `{}` without a tool, as vendors refuse `[]`.

    Raises `Problem` invalid_input for a vendor that is not known.
    """
    declare = VENDORS.get(vendor)
    if declare is None:
        raise Problem.invalid({"as": f"One of: {', '.join(VENDORS)}."})
    return {"tools": declare(tools)} if tools else {}


def _openai(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.action.input_schema,
            },
        }
        for tool in tools
    ]


def _anthropic(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.action.input_schema} for tool in tools
    ]


def _gemini(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    declared = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": gemini_schema(tool.action.input_schema),
        }
        for tool in tools
    ]
    return [{"functionDeclarations": declared}]


def gemini_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the keywords that Gemini knows; a default, which it does not take, is told in the description."""
    kept: dict[str, Any] = {name: value for name, value in schema.items() if name in GEMINI_KEYWORDS}
    if "default" in schema:
        kept["description"] = f"{schema.get('description', '')} Default: {schema['default']}.".strip()
    if "properties" in kept:
        kept["properties"] = {name: gemini_schema(member) for name, member in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = gemini_schema(kept["items"])
    return kept


VENDORS: Final[Mapping[str, Declare]] = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}
