"""What agents see of an Extension: a frozen Definition, its schemas and its digest (spec A 3 and 4)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import rfc8785
from jsonschema_rs import Draft202012Validator

from apps.marketplace.members import unknown_members
from apps.workspaces.errors import Problem
from extensions.input_errors import what_it_takes
from extensions.text_input import clean_text


@dataclass(frozen=True)
class Action:
    """One thing an Extension does. Every action of this product only reads."""

    name: str
    summary: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]

    @cached_property
    def validators(self) -> dict[str, Draft202012Validator]:
        """Of each member of the input, which is closed."""
        return {name: Draft202012Validator(schema) for name, schema in self.input_schema["properties"].items()}

    @cached_property
    def result_members(self) -> tuple[str, ...]:
        """The members of a result, in the order in which they are shown."""
        return tuple(self.output_schema["properties"]["results"]["items"]["properties"])

    def document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "summary": self.summary,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "readOnly": True,
            "idempotent": True,
            "destructive": False,
        }

    def validate(self, payload: object) -> dict[str, Any]:
        """The input with text trimmed and whole numbers as integers. Raises `Problem` invalid_input.

        Bounds count Unicode characters after trimming; 1.0 is the integer 1, `true` and "5" are not (spec A 4.1).
        """
        if not isinstance(payload, dict):
            raise Problem.invalid(message="The input must be a JSON object.")
        properties = self.input_schema["properties"]
        problems = unknown_members(payload, properties)
        cleaned = {name: clean_text(name, payload[name], problems) for name in properties if name in payload}
        for name, value in cleaned.items():
            if name not in problems and not self._takes(name, value):
                problems[name] = what_it_takes(properties[name])
        for name in self.input_schema["required"]:
            if name not in payload:
                problems[name] = f"Required. {what_it_takes(properties[name])}"
        if problems:
            raise Problem.invalid(problems)
        return {name: _whole(value, properties[name]) for name, value in cleaned.items()}

    def _takes(self, name: str, value: object) -> bool:
        try:
            return self.validators[name].is_valid(value)
        except ValueError:
            # A lone surrogate somewhere in an object or array.
            return False


@dataclass(frozen=True)
class Definition:
    """The immutable runtime contract of an Extension. A change of it needs a new version (spec A 3)."""

    domain: str
    version: str
    display_name: str
    description: str
    actions: tuple[Action, ...]

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the hash of the canonical JSON (RFC 8785) of the whole Definition."""
        return "sha256:" + hashlib.sha256(rfc8785.dumps(self.document())).hexdigest()

    def document(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "version": self.version,
            "displayName": self.display_name,
            "description": self.description,
            "actions": [action.document() for action in self.actions],
        }

    def action(self, name: str) -> Action | None:
        return next((action for action in self.actions if action.name == name), None)


def _whole(value: Any, schema: Mapping[str, Any]) -> Any:
    return int(value) if schema.get("type") == "integer" else value
