"""Schema violations in words."""

from collections.abc import Mapping
from typing import Any


def what_it_takes(schema: Mapping[str, Any]) -> str:
    """What a member takes. Never quotes the input's values."""
    if schema.get("type") == "string":
        return f"Text of {schema.get('minLength', 0)} to {schema['maxLength']} characters."
    if schema.get("type") == "integer":
        return f"A whole number from {schema['minimum']} to {schema['maximum']}."
    return "See the schema of this action."
