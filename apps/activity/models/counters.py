from django.db import models


class Counter(models.Model):
    """How often something happened in the window it last happened in: one row a key.

    Strangers make keys (who tries to sign in), so rows whose window has ended are pruned (`apps.activity.retention`).
    """

    key = models.CharField(primary_key=True, max_length=160)
    window = models.BigIntegerField()
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return self.key


class CallsInFlight(models.Model):
    """What one serving process last said about its calls in flight for one workspace."""

    id = models.BigAutoField(primary_key=True)
    process = models.CharField(max_length=64)
    workspace_id = models.CharField(max_length=40)
    calls = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["process", "workspace_id"], name="one_figure_a_process")]

    def __str__(self) -> str:
        return f"{self.process} {self.workspace_id}: {self.calls}"
