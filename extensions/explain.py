"""Why an agent can or cannot use an Extension: every link from the App to the agent's token, and how to mend it.

The chain says the same as a call would (`catalog.resolve_agent` and what follows it), in an administrator's words.
It is read afresh each time, sends nothing to a provider and shows no credential.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from extensions import explain_links as links
from extensions.explain_facts import facts_of
from extensions.explain_links import Link, State

# What a call answers when several links are broken: the token is looked at first, the credential last.
CODES = ("unauthenticated", "extension_not_found", "connection_ambiguous", "provider_auth_unavailable")


class LinkName(StrEnum):
    """The chain, in its order."""

    APP = "app"
    VERSION = "version"
    INSTALLATION = "installation"
    SELECTION = "selection"
    CONNECTION = "connection"
    CREDENTIAL = "credential"
    AUTHORIZATION = "authorization"
    TOKEN = "token"  # noqa: S105 - a name


@dataclass(frozen=True, slots=True)
class Explanation:
    """``links`` has every `LinkName` once, in order."""

    workspace_id: str
    agent_id: str
    agent_name: str
    name: str
    links: tuple[tuple[LinkName, Link], ...]

    @property
    def usable(self) -> bool:
        """Whether a call would reach the provider now."""
        return all(link.state is State.OK for _, link in self.links)

    @property
    def first_broken(self) -> tuple[LinkName, Link] | None:
        """The link to mend first."""
        return next(((name, link) for name, link in self.links if link.state is State.BROKEN), None)

    @property
    def code(self) -> str | None:
        """The error code that the agent's call gets now; None when it would go through to the provider."""
        codes = {link.code for _, link in self.links}
        return next((code for code in CODES if code in codes), None)

    def document(self) -> dict[str, Any]:
        broken = self.first_broken
        return {
            "agent": {"id": self.agent_id, "name": self.agent_name},
            "name": self.name,
            "usable": self.usable,
            "code": self.code,
            "firstBroken": None if broken is None else broken[0].value,
            "links": [{"name": name.value, **link.document()} for name, link in self.links],
        }


def explain(workspace_id: str, agent_id: str, name: str) -> Explanation:
    """The chain of one agent and one Extension name, known or not.

    Raises `Problem` not_found when the workspace has no such agent.
    """
    facts = facts_of(workspace_id, agent_id, name)
    chain = {
        LinkName.APP: links.app_link(facts),
        LinkName.VERSION: links.version_link(facts),
        LinkName.INSTALLATION: links.installation_link(facts),
        LinkName.SELECTION: links.selection_link(facts),
        LinkName.CONNECTION: links.connection_link(facts),
        LinkName.CREDENTIAL: links.credential_link(facts),
        LinkName.AUTHORIZATION: links.authorization_link(facts),
        LinkName.TOKEN: links.token_link(facts),
    }
    return Explanation(workspace_id, facts.agent.id, facts.agent.name, name, tuple(chain.items()))
