from django.db import models

from apps.activity.identifiers import new_execution_id


class Execution(models.Model):
    """One call of one Extension: who, which, how it ended, how long. Neither the query nor a result is kept.

    ``code`` is "ok" or the stable error code; ``key_ordinal`` is the position of the key used, never its text.
    Times are in milliseconds.
    """

    class Caller(models.TextChoices):
        AGENT = "agent"
        SERVICE = "service"
        TEST = "test"
        PLAYGROUND = "playground"

    id = models.CharField(primary_key=True, max_length=40, default=new_execution_id, editable=False)
    workspace_id = models.CharField(max_length=40)
    at = models.DateTimeField()
    caller = models.CharField(max_length=16, choices=Caller.choices)
    caller_id = models.CharField(max_length=40)
    caller_member_id = models.CharField(max_length=40, blank=True)
    installation_id = models.CharField(max_length=40)
    extension = models.CharField(max_length=120)
    action = models.CharField(max_length=40)
    code = models.CharField(max_length=40)
    reason = models.CharField(max_length=40, blank=True)
    results = models.PositiveSmallIntegerField(default=0)
    milliseconds = models.FloatField()
    upstream_milliseconds = models.FloatField(default=0)
    key_ordinal = models.PositiveSmallIntegerField(null=True)
    request_id = models.CharField(max_length=32, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["workspace_id", "-at", "-id"], name="execution_by_workspace"),
            models.Index(fields=["workspace_id", "extension", "-at"], name="execution_by_extension"),
            models.Index(fields=["installation_id", "-at"], name="execution_by_installation"),
            models.Index(fields=["workspace_id", "caller_id", "-at"], name="execution_by_caller"),
            models.Index(fields=["at"], name="execution_by_time"),
        ]
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.extension} {self.action}: {self.code}"
