"""The API's document: every route of the table is in it, it is valid, and real answers are as it says."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

from agentteam.openapi.document import document
from apps.workspaces.api.documentation import Who
from apps.workspaces.errors import KINDS
from tests.agents.walk import UNKNOWN, walk
from tests.road import Road

METHODS = ("get", "post", "put", "patch", "delete")
PATHS = document()["paths"]
OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in methods]
IDS = [f"{method} {path}" for path, method in OPERATIONS]


def routes(resolver: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Path, with `{}` for each parameter, and method of every route under /api/v1."""
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, path)
        elif isinstance(entry, URLPattern) and path.startswith("api/v1/"):
            view = entry.callback.view_class
            for method in METHODS:
                if hasattr(view, method):
                    yield "/" + re.sub(r"<\w+:\w+>", "{}", path), method


def test_every_route_is_documented_and_nothing_else() -> None:
    documented = {(re.sub(r"{\w+}", "{}", path), method) for path, method in OPERATIONS}
    assert documented == set(routes(get_resolver()))


def test_is_valid() -> None:
    found = document()
    assert found["openapi"] == "3.1.0"
    assert [str(error) for error in OpenAPIV31SpecValidator(found).iter_errors()] == []


def test_is_served_to_anyone_and_says_nothing_of_the_deployment() -> None:
    answer = Client().get("/api/v1/schema")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.json() == document()


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=IDS)
def test_says_who_and_what_and_what_goes_wrong(path: str, method: str) -> None:
    operation = PATHS[path][method]
    assert operation["operationId"]
    assert len(operation["summary"]) > 8
    assert operation["description"].endswith((".", "`."))
    assert ("requestBody" in operation) == (method in ("post", "put", "patch") and not path.endswith(":test"))
    known = {who.value for who in Who}
    assert all(scheme in known for item in operation["security"] for scheme in item)
    assert (operation["security"] == []) == (path == "/api/v1/schema")
    if operation["security"]:
        assert {"401", "403"} <= set(operation["responses"])
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            for code, example in response["content"]["application/json"]["examples"].items():
                assert (KINDS[code].status, example["value"]["error"]["code"]) == (int(status), code)
                validator({"$ref": "#/components/schemas/Error"}).validate(example["value"])


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=IDS)
def test_examples_are_as_the_schemas_say(path: str, method: str) -> None:
    operation = PATHS[path][method]
    bodies = [operation["requestBody"]] if "requestBody" in operation else []
    bodies += [response for status, response in operation["responses"].items() if int(status) < 300]
    for body in bodies:
        for content in body.get("content", {}).values():
            validator(content["schema"]).validate(content["example"])


def validator(schema: Any, closed: bool = False) -> Draft202012Validator:
    """Of a schema of the document. ``closed``: an object's undocumented member is an error too."""
    components = document()["components"]
    whole = {**schema, "components": components}
    return Draft202012Validator(shut(whole) if closed else whole, format_checker=FormatChecker())


def shut(node: Any) -> Any:
    if isinstance(node, list):
        return [shut(item) for item in node]
    if not isinstance(node, dict):
        return node
    inner = {name: shut(value) for name, value in node.items()}
    if node.get("type") == "object" and "properties" in node:
        inner.setdefault("additionalProperties", False)
    return inner


def test_real_answers_are_as_documented(road: Road, settings: Any) -> None:
    """One walk through every route: documented statuses, exactly the documented members, bodies as documented."""
    settings.AGENTTEAM_EMBEDDING_ORIGINS = [road.upstream.url]
    walked = walk(road)
    for call in walked.calls:
        operation = PATHS[call.route][call.method]
        assert call.status < 300, (call.route, call.method, call.answer)
        response = operation["responses"][str(call.status)]
        if call.answer is None:
            assert "content" not in response, (call.route, call.method)
            continue
        schema = response["content"]["application/json"]["schema"]
        assert problems(schema, call.answer, closed=True) == [], (call.route, call.method, call.answer)
        if call.body is not None:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            assert problems(schema, call.body) == [], (call.route, call.method, call.body)
    assert {(call.route, call.method) for call in walked.calls} == set(OPERATIONS)

    for probe in walked.probes:
        assert probe.status == 400, (probe.route, probe.method, probe.answer)
        taken = names(probe.answer["error"]["fields"][UNKNOWN])
        schema = PATHS[probe.route][probe.method]["requestBody"]["content"]["application/json"]["schema"]
        assert taken in members(schema), (probe.route, probe.method, taken)


def problems(schema: Any, value: Any, closed: bool = False) -> list[str]:
    return [error.message for error in validator(schema, closed).iter_errors(value)]


def names(message: str) -> set[str]:
    """The members that a refusal of an unknown one names."""
    listed = message.rpartition(": ")[2].removesuffix(".")
    return set() if listed in ("none", "no members") else set(listed.split(", "))


def members(schema: Any) -> list[set[str]]:
    """The members of a body; several sets where it may be of several kinds."""
    if "$ref" in schema:
        return members(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [found for kind in schema["anyOf"] for found in members(kind)]
    return [set(schema["properties"])]
