"""The Builtin Extensions of this process: each a Definition and the executor that serves it (spec A 3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from apps.marketplace import capabilities
from apps.marketplace.capabilities import Capability
from extensions.definitions import Definition
from searchengines.contract import CallContext, ConnectionSnapshot, Engine, SearchAnswer, SearchQuery


class Executor(Protocol):
    """Runs one search. Raises `SearchFailure`. Holds no database connection while it waits for others."""

    def __call__(self, context: CallContext, snapshot: ConnectionSnapshot, query: SearchQuery) -> SearchAnswer: ...


@dataclass(frozen=True, slots=True)
class Builtin:
    """``capability`` is the Definition's identity, with the revision of the implementation."""

    engine: Engine
    definition: Definition
    executor: Executor
    capability: Capability


_builtins: dict[str, Builtin] = {}


def register_builtin(engine: Engine, definition: Definition, executor: Executor, revision: int) -> None:
    """Register one Extension under its Definition's domain. Raises `ValueError` the second time."""
    if definition.domain in _builtins:
        raise ValueError(f"Extension {definition.domain} is registered already")
    capability = Capability(definition.domain, definition.version, revision, definition.digest)
    capabilities.register(engine.app_id, capability)
    _builtins[definition.domain] = Builtin(engine, definition, executor, capability)


def builtin_of(app_id: str, slug: str) -> Builtin | None:
    """The Builtin of exactly this trusted pair of App id and slug, or None."""
    builtin = _builtins.get(slug)
    return builtin if builtin is not None and builtin.engine.app_id == app_id else None


def all_builtins() -> Iterator[Builtin]:
    return iter(_builtins.values())
