"""The port through which a change is written to the audit log.

The log itself lives in a room above this one, which installs its sink when the process starts. A change is
recorded inside its own transaction: neither exists without the other. Details never carry a secret.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from apps.workspaces.models import Agent, Membership, ServiceToken, User

ActorKind = Literal["person", "agent", "service", "operator"]


@dataclass(frozen=True)
class Actor:
    """Who makes a change. `member_id` is None where the actor is no member of the workspace."""

    kind: ActorKind
    id: str
    member_id: str | None
    label: str

    @classmethod
    def person(cls, user: User, membership: Membership | None = None) -> "Actor":
        return cls("person", user.id, membership.id if membership else None, user.email)

    @classmethod
    def agent(cls, agent: Agent, member_id: str | None) -> "Actor":
        return cls("agent", agent.id, member_id, agent.name)

    @classmethod
    def service(cls, token: ServiceToken) -> "Actor":
        return cls("service", token.id, None, token.name)

    @classmethod
    def operator(cls, label: str) -> "Actor":
        """Someone at the command line or in the admin site."""
        return cls("operator", "operator", None, label)


class Sink(Protocol):
    def __call__(
        self,
        workspace_id: str | None,
        actor: Actor,
        action: str,
        target_kind: str,
        target_id: str,
        details: Mapping[str, Any] | None,
    ) -> None: ...


_installed: list[Sink] = []


def install(sink: Sink) -> None:
    """Sets the log for this process. RuntimeError: another one is installed."""
    if _installed and _installed[0] is not sink:
        raise RuntimeError("An audit sink is installed already.")
    _installed[:] = [sink]


def record(
    workspace_id: str | None,
    actor: Actor,
    action: str,
    target_kind: str,
    target_id: str,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Writes one audit row.

    `workspace_id` None: the change belongs to a person, not to a workspace. RuntimeError: no sink is installed.
    """
    if not _installed:
        raise RuntimeError("No audit sink is installed.")
    _installed[0](workspace_id, actor, action, target_kind, target_id, details)
