"""Function declarations, in the form that each vendor takes, and what their models got wrong with others' tools."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from extensions.declarations import GEMINI_KEYWORDS, VENDORS
from extensions.registry import all_builtins
from extensions.tool_names import TOOL_NAME, split_name
from tests.road import Road

CASES = {case["id"]: case["repro"] for case in json.loads(Path("tests/cases/field-cases.json").read_text())}


def declared(road: Road, vendor: str) -> Any:
    answer = road.agent("GET", f"exec?as={vendor}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def functions(document: Any, vendor: str) -> list[dict[str, Any]]:
    """Each declaration with its schema under `schema`, whatever the vendor calls it."""
    tools = document["tools"]
    if vendor == "openai":
        assert {tool["type"] for tool in tools} == {"function"}
        return [{**tool["function"], "schema": tool["function"]["parameters"]} for tool in tools]
    if vendor == "anthropic":
        return [{**tool, "schema": tool["input_schema"]} for tool in tools]
    (tool,) = tools
    return [{**function, "schema": function["parameters"]} for function in tool["functionDeclarations"]]


def keywords(schema: Any) -> set[str]:
    """Every keyword of a schema at any depth; names of members are none."""
    found = set(schema)
    for member in schema.get("properties", {}).values():
        found |= keywords(member)
    return found | (keywords(schema["items"]) if "items" in schema else set())


@pytest.mark.parametrize("vendor", VENDORS)
def test_declares_what_the_catalog_has(desk: Road, vendor: str) -> None:
    for slug in ("brave", "searxng", "tavily"):
        desk.connect(slug)
    found = functions(declared(desk, vendor), vendor)
    assert [function["name"] for function in found] == ["brave_search", "searxng_search", "tavily_search"]
    catalog = {entry["name"]: entry for entry in desk.agent("GET", "exec").json()["extensions"]}
    for function in found:
        extension, action = split_name(function["name"])
        assert (function["description"], action) == (catalog[extension]["description"], "search")
        assert (function["schema"]["type"], function["schema"]["required"]) == ("object", ["query"])
        assert sorted(function["schema"]["properties"]) == ["limit", "query"]
        assert function["schema"]["properties"]["limit"]["type"] == "integer"
        Draft202012Validator.check_schema(function["schema"])
        assert re.fullmatch(CASES["MT-12"]["expect"]["name_regex"], function["name"])
    one = desk.agent("GET", f"exec/brave?as={vendor}").json()
    assert functions(one, vendor) == found[:1]


def test_gemini_is_spared_what_it_refuses(desk: Road) -> None:
    desk.connect("brave")
    (function,) = functions(declared(desk, "gemini"), "gemini")
    found = keywords(function["schema"])
    assert not found & set(CASES["MT-01"]["expect"]["declared_schema_lacks"])
    assert found <= GEMINI_KEYWORDS
    assert function["schema"]["properties"]["limit"]["description"] == "The most results to return. Default: 5."
    still_closed = desk.search("brave", language="en")
    assert (still_closed.status_code, list(still_closed.json()["error"]["fields"])) == (400, ["language"])


@pytest.mark.parametrize("vendor", VENDORS)
def test_schemas_are_flat(desk: Road, vendor: str) -> None:
    desk.connect("tavily")
    (function,) = functions(declared(desk, vendor), vendor)
    assert not keywords(function["schema"]) & {*CASES["MT-03"]["expect"]["declared_schema_lacks"], "format"}


@pytest.mark.parametrize("vendor", VENDORS)
def test_without_a_connection_there_is_no_tools_member(desk: Road, vendor: str) -> None:
    desk.install("brave")
    assert declared(desk, vendor) == {}
    gone = desk.agent("GET", f"exec/brave?as={vendor}")
    assert gone.json()["error"]["code"] == "extension_not_found"


@pytest.mark.parametrize("vendor", ["", "OpenAI", "mistral"])
def test_unknown_vendors(desk: Road, vendor: str) -> None:
    desk.connect("brave")
    for path in ("exec", "exec/brave"):
        refused = desk.agent("GET", f"{path}?as={vendor}")
        assert refused.status_code == 400
        assert refused.json()["error"]["fields"] == {"as": "One of: openai, anthropic, gemini."}


def test_every_registered_tool_has_a_name_that_models_take() -> None:
    names = [
        f"{builtin.definition.domain}_{action.name}"
        for builtin in all_builtins()
        for action in builtin.definition.actions
    ]
    assert len(set(names)) == len(names) >= 9
    assert all(TOOL_NAME.fullmatch(name) and split_name(name)[1] == "search" for name in names)
