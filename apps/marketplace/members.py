"""Closed members of a body, checked against an engine's declarations."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, Protocol, TypeVar

from searchengines.errors import InvalidValue

# An error names twenty members at most: some are left for those that are wrong or missing.
MAX_UNKNOWN_NAMED: Final = 10
MAX_NAME_SHOWN: Final = 100


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
    problems.update(unknown_members(given, by_name, path))
    cleaned: dict[str, Any] = {}
    for name, item in by_name.items():
        if name not in given:
            continue
        try:
            cleaned[name] = item.clean(given[name])
        except InvalidValue as wrong:
            problems[f"{path}{name}"] = wrong.message
    return cleaned


def unknown_members(given: Iterable[str], taken: Collection[str], path: str = "") -> dict[str, str]:
    """A problem for each of the first members of `given` that are not taken; long names are cut."""
    unknown = [name for name in given if name not in taken]
    if not unknown:
        return {}
    message = f"Unknown member. Members taken here: {', '.join(taken) or 'none'}."
    return {f"{path}{name[:MAX_NAME_SHOWN]}": message for name in unknown[:MAX_UNKNOWN_NAMED]}
