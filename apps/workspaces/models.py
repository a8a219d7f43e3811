"""Workspaces, who belongs to them, and the tokens that speak for people, agents and services."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from apps.workspaces import identifiers
from apps.workspaces.people import User
from apps.workspaces.roles import PERSON_ROLES, MemberKind, Role

__all__ = ["Agent", "AgentToken", "Membership", "PersonToken", "ServiceToken", "Token", "User", "Workspace"]


class Workspace(models.Model):
    """The tenant: everything that is installed, stored or counted belongs to one."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_workspace_id, editable=False)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


class Agent(models.Model):
    """A program that calls Extensions on behalf of one workspace."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_agent_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="agents")
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="workspaces_agent_one_name_a_workspace")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's or an agent's place in a workspace (contract section 3)."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_membership_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    kind = models.CharField(max_length=10, choices=MemberKind.choices)
    role = models.CharField(max_length=10, choices=Role.choices)
    # PROTECT: deleting a person must not leave a workspace without an owner.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships", null=True, blank=True
    )
    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="membership", null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="workspaces_membership_kind_matches",
                condition=Q(
                    kind=MemberKind.PERSON,
                    user__isnull=False,
                    agent__isnull=True,
                    role__in=[role.value for role in PERSON_ROLES],
                )
                | Q(kind=MemberKind.AGENT, user__isnull=True, agent__isnull=False, role=Role.AGENT),
            ),
            models.UniqueConstraint(fields=["workspace", "user"], name="workspaces_membership_one_a_person"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.workspace_id}"


class Token(models.Model):
    """What every token has; only the SHA-256 of its text is stored (contract section 3)."""

    prefix: ClassVar[str]

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_token_id, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    name = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    created_by = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.id


class PersonToken(Token):
    """Speaks for a person in all of their workspaces; its text begins with `atp_`."""

    prefix: ClassVar[str] = "atp_"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")


class AgentToken(Token):
    """Speaks for one agent; its text begins with `ata_`."""

    prefix: ClassVar[str] = "ata_"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tokens")


class ServiceToken(Token):
    """Speaks for a service that may use the named Extensions of one workspace; its text begins with `ats_`."""

    prefix: ClassVar[str] = "ats_"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="service_tokens")
    extensions = models.JSONField(default=list)
