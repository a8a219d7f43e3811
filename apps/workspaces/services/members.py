"""Every write to workspaces and memberships."""

import secrets
from dataclasses import dataclass, field

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from apps.workspaces import audit
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.locks import membership_lock
from apps.workspaces.models import Membership, User, Workspace
from apps.workspaces.people import normalise_email
from apps.workspaces.permissions import require_may_manage, require_role
from apps.workspaces.roles import MemberKind, Role

ONE_TIME_PASSWORD_BYTES = 15


@dataclass(frozen=True)
class AddedMember:
    """`password` is the one-time password of a person who was unknown so far, else None."""

    membership: Membership
    password: str | None = field(repr=False)


def create_workspace(name: str, owner: User, actor: Actor) -> Workspace:
    """A workspace with its first owner."""
    with transaction.atomic():
        workspace = Workspace.objects.create(name=name)
        membership = Membership.objects.create(workspace=workspace, kind=MemberKind.PERSON, role=Role.OWNER, user=owner)
        audit.record(workspace.id, actor, "workspace.created", "workspace", workspace.id, {"name": name})
        audit.record(workspace.id, actor, "member.added", "member", membership.id, {"role": Role.OWNER.value})
    return workspace


def ensure_person(email: str) -> tuple[User, str | None]:
    """The person of this address, and the one-time password if they are new."""
    email = normalise_email(email)
    known = User.objects.filter(email=email).first()
    if known is not None:
        return known, None
    password = secrets.token_urlsafe(ONE_TIME_PASSWORD_BYTES)
    try:
        with transaction.atomic():
            return User.objects.create(email=email, password=make_password(password)), password
    except IntegrityError:
        # Somebody else added the same person a moment ago.
        return User.objects.get(email=email), None


def add_member(workspace_id: str, actor: Actor, email: str, role: Role) -> AddedMember:
    """Makes a person a member. Problem `conflict`: they are one; `permission_denied`: `role` is above the actor's."""
    require_may_manage(require_role(workspace_id, actor, Role.ADMIN), role)
    email = normalise_email(email)
    # Hashed before the lock is taken, because hashing takes long on purpose.
    password = None if User.objects.filter(email=email).exists() else secrets.token_urlsafe(ONE_TIME_PASSWORD_BYTES)
    hashed = make_password(password)
    with membership_lock(workspace_id):
        require_may_manage(require_role(workspace_id, actor, Role.ADMIN), role)
        user, created = User.objects.get_or_create(email=email, defaults={"password": hashed})
        if Membership.objects.filter(workspace_id=workspace_id, user=user).exists():
            raise Problem.conflict("This person is a member already.")
        membership = Membership.objects.create(workspace_id=workspace_id, kind=MemberKind.PERSON, role=role, user=user)
        audit.record(workspace_id, actor, "member.added", "member", membership.id, {"email": email, "role": role.value})
    return AddedMember(membership, password if created else None)


def change_role(workspace_id: str, actor: Actor, member_id: str, role: Role) -> Membership:
    """Gives a person another role.

    Problem `not_found`, `permission_denied`, or `conflict`: an agent's membership, or the last owner's.
    """
    with membership_lock(workspace_id):
        acting = require_role(workspace_id, actor, Role.ADMIN)
        membership = _person_membership(workspace_id, member_id)
        previous = Role(membership.role)
        require_may_manage(acting, previous, role)
        if previous == role:
            return membership
        if previous == Role.OWNER:
            _keep_an_owner(workspace_id)
        membership.role = role
        membership.save(update_fields=["role"])
        audit.record(
            workspace_id,
            actor,
            "member.role_changed",
            "member",
            membership.id,
            {"from": previous.value, "to": role.value},
        )
    return membership


def remove_member(workspace_id: str, actor: Actor, member_id: str) -> None:
    """Ends a person's membership; their tokens stop opening this workspace at once. Problems as in `change_role`."""
    with membership_lock(workspace_id):
        acting = require_role(workspace_id, actor, Role.ADMIN)
        membership = _person_membership(workspace_id, member_id)
        require_may_manage(acting, membership.role)
        if membership.role == Role.OWNER:
            _keep_an_owner(workspace_id)
        assert membership.user is not None
        details = {"email": membership.user.email, "role": membership.role}
        membership.delete()
        audit.record(workspace_id, actor, "member.removed", "member", member_id, details)


def _person_membership(workspace_id: str, member_id: str) -> Membership:
    membership = Membership.objects.select_related("user").filter(workspace_id=workspace_id, pk=member_id).first()
    if membership is None:
        raise Problem.not_found()
    if membership.kind != MemberKind.PERSON:
        raise Problem.conflict("An agent's membership begins and ends with the agent.")
    return membership


def _keep_an_owner(workspace_id: str) -> None:
    """One owner is about to go: refuses it when there is no other. Call under the lock."""
    if Membership.objects.filter(workspace_id=workspace_id, role=Role.OWNER).count() < 2:
        raise Problem.conflict("The last owner of a workspace stays an owner.")
