"""Kinds of member, and the order of the roles that people hold in a workspace."""

from typing import Final

from django.db import models


class MemberKind(models.TextChoices):
    PERSON = "person", "Person"
    AGENT = "agent", "Agent"


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    ADMIN = "admin", "Admin"
    MEMBER = "member", "Member"
    AGENT = "agent", "Agent"


PERSON_ROLES: Final = (Role.OWNER, Role.ADMIN, Role.MEMBER)

_RANK: Final = {Role.AGENT: 0, Role.MEMBER: 1, Role.ADMIN: 2, Role.OWNER: 3}


def rank(role: str) -> int:
    """The role's place in the order agent < member < admin < owner, 0 to 3."""
    return _RANK[Role(role)]


def at_least(role: str, minimum: str) -> bool:
    """Whether `role` allows what `minimum` allows."""
    return rank(role) >= rank(minimum)
