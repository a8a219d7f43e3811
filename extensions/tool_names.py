"""How an Extension's action is named and described to a model, by MCP and by function declarations alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from apps.workspaces.models import Agent
from extensions.agent_catalog import CatalogEntry, catalog_of
from extensions.definitions import Action

# What OpenAI, Anthropic, Gemini and MCP clients all take.
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tool:
    """One action of one Extension of an agent's catalog; ``name`` is `<Extension>_<action>`."""

    name: str
    entry: CatalogEntry
    action: Action

    @property
    def title(self) -> str:
        return self.entry.builtin.definition.display_name

    @property
    def description(self) -> str:
        return self.entry.description


def tools_of(agent: Agent) -> list[Tool]:
    """What the agent may use now, sorted by Extension name."""
    return [tool for entry in catalog_of(agent) for tool in tools_in(entry)]


def tools_in(entry: CatalogEntry) -> Iterator[Tool]:
    """The tools of one Extension."""
    for action in entry.builtin.definition.actions:
        name = f"{entry.name}_{action.name}"
        # A name that a model may not be shown would have the whole list refused.
        if TOOL_NAME.fullmatch(name):
            yield Tool(name, entry, action)


def split_name(name: str) -> tuple[str, str]:
    """Extension and action of a tool's name. An action's name has no underscore, an Extension's may."""
    extension, _, action = name.rpartition("_")
    return extension, action
