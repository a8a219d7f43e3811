from django.db import models
from django.db.models import Q

from apps.marketplace.identifiers import new_installation_id, new_request_id
from apps.marketplace.models.registry import App, AppVersion
from apps.workspaces.models import Agent, Membership, Workspace


class Installation(models.Model):
    """An App in a workspace. An uninstalled row stays as history; a new installation is a new row.

    The last test of its connection is kept here: an error code and reason, never a provider's text.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        UNINSTALLED = "uninstalled"

    id = models.CharField(primary_key=True, max_length=40, default=new_installation_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="installations")
    app = models.ForeignKey(App, on_delete=models.PROTECT, related_name="installations")
    app_version = models.ForeignKey(AppVersion, null=True, on_delete=models.PROTECT, related_name="installations")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    installed_at = models.DateTimeField(auto_now_add=True)
    uninstalled_at = models.DateTimeField(null=True, blank=True)
    last_test_at = models.DateTimeField(null=True, blank=True)
    last_test_code = models.CharField(max_length=40, blank=True)
    last_test_reason = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "app"], condition=Q(status="active"), name="one_active_installation"
            ),
            models.CheckConstraint(
                condition=Q(status="active", uninstalled_at=None)
                | Q(status="uninstalled", uninstalled_at__isnull=False),
                name="uninstalled_has_a_time",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "installed_at", "id"], name="installation_by_workspace")]

    def __str__(self) -> str:
        return self.id


class ExtensionSelection(models.Model):
    """Under which name an installation's Extension is selected in its workspace, and for which agents."""

    class AgentAccess(models.TextChoices):
        ALL = "all"
        SELECTED = "selected"

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="selections")
    installation = models.ForeignKey(Installation, on_delete=models.CASCADE, related_name="selections")
    name = models.CharField(max_length=64)
    active = models.BooleanField(default=True)
    enabled = models.BooleanField(default=True)
    agent_access = models.CharField(max_length=16, choices=AgentAccess.choices, default=AgentAccess.ALL)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["installation"], condition=Q(active=True), name="one_active_selection"),
            models.UniqueConstraint(
                fields=["workspace", "name"], condition=Q(active=True), name="one_active_selection_a_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentAuthorization(models.Model):
    """Overrides a selection's agent access for one agent."""

    id = models.BigAutoField(primary_key=True)
    selection = models.ForeignKey(ExtensionSelection, on_delete=models.CASCADE, related_name="authorizations")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="authorizations")
    allowed = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["selection", "agent"], name="one_authorization_an_agent")]

    def __str__(self) -> str:
        return f"{self.agent_id} {'may' if self.allowed else 'may not'} use {self.selection_id}"


class AppRequest(models.Model):
    """A member's wish for an App, until an administrator decides."""

    class Status(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        DECLINED = "declined"

    id = models.CharField(primary_key=True, max_length=40, default=new_request_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="app_requests")
    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="requests")
    requested_by = models.ForeignKey(Membership, null=True, on_delete=models.SET_NULL, related_name="app_requests")
    reason = models.CharField(max_length=1000, blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.PENDING)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "app", "requested_by"], condition=Q(status="pending"), name="one_pending_request"
            ),
        ]

    def __str__(self) -> str:
        return self.id
