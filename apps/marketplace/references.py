"""Fields that name an object of the workspace: rooms above register how such an object is looked up."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One object that a field may name."""

    id: str
    label: str


Lookup = Callable[[str], list[Choice]]

_lookups: dict[str, Lookup] = {}


def register(kind: str, lookup: Lookup) -> None:
    """``lookup`` takes a workspace id. Raises `ValueError` when the kind is registered already."""
    if kind in _lookups and _lookups[kind] is not lookup:
        raise ValueError(f"reference kind {kind} is registered already")
    _lookups[kind] = lookup


def choices(kind: str, workspace_id: str) -> list[Choice]:
    return _lookups[kind](workspace_id)


def exists(kind: str, workspace_id: str, object_id: str) -> bool:
    return any(choice.id == object_id for choice in choices(kind, workspace_id))
