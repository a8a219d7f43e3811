"""The one action of every search engine. Engines share its schemas, not its identity (spec A 4)."""

from typing import Any

from extensions.definitions import Action, Definition
from searchengines.contract import Engine

DEFAULT_LIMIT = 5
QUERY_CHARACTERS = 512
NAVIGATION_HINT = "Results are hints to read further, not evidence."

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": QUERY_CHARACTERS,
            "description": "What to search for, as plain text, e.g. harbor ferry timetable",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10,
            "default": DEFAULT_LIMIT,
            "description": "The most results to return.",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}

URL = {"type": "string", "description": "Absolute http or https address of the page."}
TITLE = {"type": "string", "maxLength": 512}
SNIPPET = {"type": "string", "maxLength": 4096}


def search_definition(engine: Engine, result_members: dict[str, Any], summary: str) -> Definition:
    """The Definition of one engine; its domain is the App's slug (spec A 3)."""
    action = Action("search", summary, INPUT_SCHEMA, output_schema(result_members))
    description = f"{engine.description} {NAVIGATION_HINT}"
    return Definition(engine.slug, engine.definition_version, engine.display_name, description, (action,))


def web_definition(engine: Engine) -> Definition:
    return search_definition(
        engine,
        {"url": URL, "title": TITLE, "snippet": SNIPPET},
        f"Search the web with {engine.display_name}. {NAVIGATION_HINT}",
    )


def output_schema(result_members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "results": {
                "type": "array",
                "maxItems": 10,
                "items": {
                    "type": "object",
                    "properties": result_members,
                    "required": list(result_members),
                    "additionalProperties": False,
                },
            }
        },
        "required": ["results"],
        "additionalProperties": False,
    }
