"""Schema violations in words: which member, and what it takes."""

from collections.abc import Mapping
from typing import Any, cast

from jsonschema.exceptions import ValidationError

from apps.marketplace.members import unknown_members


def describe(error: ValidationError, properties: Mapping[str, Any]) -> dict[str, str]:
    """Path of the member to what it takes. Never quotes the input's values."""
    given, required = cast(Any, error.instance), cast(Any, error.validator_value)
    if error.validator == "additionalProperties":
        return unknown_members(given, properties)
    if error.validator == "required":
        missing = [name for name in required if name not in given]
        return {name: f"Required. {what_it_takes(properties[name])}" for name in missing}
    name = str(error.absolute_path[0]) if error.absolute_path else ""
    return {name: what_it_takes(properties.get(name, {}))}


def what_it_takes(schema: Mapping[str, Any]) -> str:
    if schema.get("type") == "string":
        return f"Text of {schema.get('minLength', 0)} to {schema['maxLength']} characters."
    if schema.get("type") == "integer":
        return f"A whole number from {schema['minimum']} to {schema['maximum']}."
    return "See the schema of this action."
