"""What people, workspaces, agents and tokens look like on the API (contract section 4)."""

from datetime import UTC, datetime
from typing import Any

from apps.workspaces.models import Agent, AgentToken, Membership, PersonToken, ServiceToken
from apps.workspaces.services.members import AddedMember
from apps.workspaces.tokens import AnyToken, Issued, T


def iso_time(moment: datetime) -> str:
    """ISO 8601 in UTC, ending in `Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def iso_time_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else iso_time(moment)


def workspace_shape(membership: Membership) -> dict[str, Any]:
    """The membership's workspace, as its member sees it."""
    workspace = membership.workspace
    return {
        "id": workspace.id,
        "name": workspace.name,
        "role": membership.role,
        "createdAt": iso_time(workspace.created_at),
    }


def member_shape(membership: Membership) -> dict[str, Any]:
    """`email` and `userId` are null for an agent, `agentId` is null for a person."""
    user, agent = membership.user, membership.agent
    return {
        "id": membership.id,
        "kind": membership.kind,
        "role": membership.role,
        "name": user.name if user is not None else agent.name if agent is not None else "",
        "email": user.email if user is not None else None,
        "userId": membership.user_id,
        "agentId": membership.agent_id,
        "createdAt": iso_time(membership.created_at),
    }


def added_member_shape(added: AddedMember) -> dict[str, Any]:
    return {**member_shape(added.membership), "password": added.password}


def agent_shape(agent: Agent) -> dict[str, Any]:
    return {"id": agent.id, "name": agent.name, "createdAt": iso_time(agent.created_at)}


def _described(token: AnyToken) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": token.id,
        "name": token.name,
        "createdAt": iso_time(token.created_at),
        "expiresAt": iso_time_or_none(token.expires_at),
    }
    if isinstance(token, ServiceToken):
        described["extensions"] = token.extensions
    return described


def token_shape(token: PersonToken | AgentToken | ServiceToken) -> dict[str, Any]:
    """A token that exists; its text is nowhere to be had."""
    return {**_described(token), "lastUsedAt": iso_time_or_none(token.last_used_at)}


def issued_shape(issued: Issued[T]) -> dict[str, Any]:
    """A token at the one moment when its text is shown."""
    return {**_described(issued.row), "token": issued.text}
