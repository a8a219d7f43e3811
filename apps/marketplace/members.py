"""Closed members of a body, checked against an engine's declarations."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from searchengines.errors import InvalidValue


class Declared(Protocol):
    """A field or an option: a name and a way to clean its value."""

    @property
    def name(self) -> str: ...

    @property
    def clean(self) -> Callable[[object], Any]: ...


Member = TypeVar("Member", bound=Declared)


def clean_members(
    given: Mapping[str, object], declared: Iterable[Member], path: str, problems: dict[str, str]
) -> dict[str, Any]:
    """Cleaned values of the given members. What is wrong goes to `problems` by path; nothing is raised."""
    by_name = {item.name: item for item in declared}
    cleaned: dict[str, Any] = {}
    for name, value in given.items():
        if name not in by_name:
            taken = ", ".join(by_name) or "none"
            problems[f"{path}{name}"] = f"Unknown member. Members taken here: {taken}."
            continue
        try:
            cleaned[name] = by_name[name].clean(value)
        except InvalidValue as wrong:
            problems[f"{path}{name}"] = wrong.message
    return cleaned
