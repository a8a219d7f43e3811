from django.db import models
from django.db.models import Q

from apps.marketplace.identifiers import new_connection_id, new_secret_id
from apps.marketplace.models.installations import Installation
from apps.workspaces.models import Workspace


class Connection(models.Model):
    """An installation's link to its provider. Disconnecting deletes the row and its credentials.

    ``revision`` grows with every change, and with it the sockets kept open for this connection change.
    ``cooling`` maps a key's ordinal (text, from "1") to `[refused at, usable from]`, Unix seconds.
    """

    id = models.CharField(primary_key=True, max_length=40, default=new_connection_id, editable=False)
    installation = models.ForeignKey(Installation, on_delete=models.CASCADE, related_name="connections")
    external_subject_ref = models.CharField(max_length=64, default="default")
    active = models.BooleanField(default=True)
    config = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=1)
    cooling = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["installation", "external_subject_ref"],
                condition=Q(active=True),
                name="one_active_connection_a_subject",
            )
        ]

    def __str__(self) -> str:
        return self.id


class Credential(models.Model):
    """One write-only member of a connection, in its envelope. ``key_id`` names the master key it is under.

    ``kind`` tells what is inside without opening it: a key, several, or a vault reference.
    """

    class Kind(models.TextChoices):
        KEY = "key"
        KEYS = "keys"
        REFERENCE = "reference"

    id = models.BigAutoField(primary_key=True)
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="credentials")
    field = models.CharField(max_length=64)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    envelope = models.BinaryField()
    key_id = models.CharField(max_length=32, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "field"], name="one_credential_a_field")]

    def __str__(self) -> str:
        return f"{self.connection_id} {self.field}"


class EngineOptions(models.Model):
    """An installation's stored options; they survive a disconnect and end with the installation."""

    installation = models.OneToOneField(
        Installation, primary_key=True, on_delete=models.CASCADE, related_name="engine_options"
    )
    options = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.installation_id


class WorkspaceSecret(models.Model):
    """A secret of a workspace that `${vault://local/NAME}` refers to, in its envelope."""

    id = models.CharField(primary_key=True, max_length=40, default=new_secret_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=64)
    envelope = models.BinaryField()
    key_id = models.CharField(max_length=32, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_secret_a_name")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
