"""Which role an actor holds in a workspace, and what that role may do to others."""

from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Membership
from apps.workspaces.roles import MemberKind, Role, at_least


def role_of(workspace_id: str, actor: Actor) -> Role:
    """The role that the actor has now; an operator counts as an owner. Problem `permission_denied`: none."""
    if actor.kind == "operator":
        return Role.OWNER
    held = (
        Membership.objects.filter(
            pk=actor.member_id, workspace_id=workspace_id, kind=MemberKind.PERSON, user_id=actor.id
        )
        .values_list("role", flat=True)
        .first()
    )
    if held is None:
        raise Problem.permission_denied()
    return Role(held)


def require_role(workspace_id: str, actor: Actor, minimum: Role) -> Role:
    """The actor's role, read afresh, at least `minimum`. Problem `permission_denied` otherwise."""
    role = role_of(workspace_id, actor)
    if not at_least(role, minimum):
        raise Problem.permission_denied()
    return role


def require_may_manage(acting: Role, *roles: str) -> None:
    """Nobody gives, takes or changes a role above their own: each of `roles` is at most `acting`."""
    if not at_least(acting, Role.ADMIN) or not all(at_least(acting, role) for role in roles):
        raise Problem.permission_denied("Only an owner may do this.")
