"""Every token that is issued or revoked."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.workspaces import audit, selectors, tokens
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.locks import membership_lock
from apps.workspaces.models import AgentToken, PersonToken, ServiceToken, User
from apps.workspaces.permissions import require_role
from apps.workspaces.roles import Role
from apps.workspaces.tokens import Issued, T


def issue_person_token(
    user: User, actor: Actor, *, name: str = "", expires_at: datetime | None = None
) -> Issued[PersonToken]:
    """A token that speaks for the person in all of their workspaces."""
    with transaction.atomic():
        row = PersonToken(user=user, name=name, expires_at=expires_at, created_by=actor.label)
        issued = tokens.issue(row)
        _record(None, actor, "person_token.issued", row, {"user": user.id})
    return issued


def issue_agent_token(
    workspace_id: str, actor: Actor, agent_id: str, *, name: str = "", expires_at: datetime | None = None
) -> Issued[AgentToken]:
    """A token that speaks for an agent of the workspace. Problem `not_found`: there is no such agent."""
    with membership_lock(workspace_id):
        require_role(workspace_id, actor, Role.ADMIN)
        agent = selectors.agent(workspace_id, agent_id)
        row = AgentToken(agent=agent, name=name, expires_at=expires_at, created_by=actor.label)
        issued = tokens.issue(row)
        _record(workspace_id, actor, "agent_token.issued", row, {"agent": agent_id})
    return issued


def issue_service_token(
    workspace_id: str,
    actor: Actor,
    *,
    name: str,
    extensions: Sequence[str],
    expires_at: datetime | None = None,
) -> Issued[ServiceToken]:
    """A token for a service that may use the named Extensions of the workspace."""
    with membership_lock(workspace_id):
        require_role(workspace_id, actor, Role.ADMIN)
        row = ServiceToken(
            workspace_id=workspace_id,
            name=name,
            extensions=list(extensions),
            expires_at=expires_at,
            created_by=actor.label,
        )
        issued = tokens.issue(row)
        _record(workspace_id, actor, "service_token.issued", row, {"extensions": list(extensions)})
    return issued


def revoke_person_token(user: User, actor: Actor, token_id: str) -> None:
    """Ends one token of the person at once. Problem `not_found`: they have no such token, or it ended before."""
    with transaction.atomic():
        row = _revoke(PersonToken.objects.filter(user=user), token_id)
        _record(None, actor, "person_token.revoked", row, {"user": user.id})


def revoke_person_tokens(user: User, actor: Actor) -> None:
    """Ends all tokens of the person at once."""
    with transaction.atomic():
        for token_id in PersonToken.objects.filter(user=user, revoked_at=None).values_list("id", flat=True):
            revoke_person_token(user, actor, token_id)


def revoke_agent_token(workspace_id: str, actor: Actor, agent_id: str, token_id: str) -> None:
    """Ends one token of an agent at once. Problem `not_found`."""
    with membership_lock(workspace_id):
        require_role(workspace_id, actor, Role.ADMIN)
        row = _revoke(AgentToken.objects.filter(agent__workspace_id=workspace_id, agent_id=agent_id), token_id)
        _record(workspace_id, actor, "agent_token.revoked", row, {"agent": agent_id})


def revoke_service_token(workspace_id: str, actor: Actor, token_id: str) -> None:
    """Ends one service token of the workspace at once. Problem `not_found`."""
    with membership_lock(workspace_id):
        require_role(workspace_id, actor, Role.ADMIN)
        row = _revoke(ServiceToken.objects.filter(workspace_id=workspace_id), token_id)
        _record(workspace_id, actor, "service_token.revoked", row, {})


def _revoke(candidates: QuerySet[T], token_id: str) -> T:
    # One conditional update: of two requests that revoke the same token, one finds it.
    if not candidates.filter(pk=token_id, revoked_at=None).update(revoked_at=timezone.now()):
        raise Problem.not_found()
    return candidates.get(pk=token_id)


def _record(
    workspace_id: str | None,
    actor: Actor,
    action: str,
    row: PersonToken | AgentToken | ServiceToken,
    details: dict[str, object],
) -> None:
    audit.record(workspace_id, actor, action, "token", row.id, {"name": row.name, **details})
