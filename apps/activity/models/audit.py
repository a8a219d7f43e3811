from django.db import models

from apps.activity.identifiers import new_audit_id


class AuditRow(models.Model):
    """One change by one actor. Names others by id and label, so that it outlives them."""

    id = models.CharField(primary_key=True, max_length=40, default=new_audit_id, editable=False)
    workspace_id = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField(auto_now_add=True)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=40)
    actor_member_id = models.CharField(max_length=40, blank=True)
    actor_label = models.CharField(max_length=200)
    action = models.CharField(max_length=64)
    target_kind = models.CharField(max_length=40)
    target_id = models.CharField(max_length=64)
    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=32, blank=True)

    class Meta:
        indexes = [models.Index(fields=["workspace_id", "-at", "-id"], name="audit_by_workspace")]
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.target_kind} {self.target_id}"
