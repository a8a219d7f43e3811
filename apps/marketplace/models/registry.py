from django.db import models
from django.db.models import Q

from apps.marketplace.identifiers import new_app_id
from apps.workspaces.models import Workspace


class App(models.Model):
    """An App of the catalog. What makes one a Product App is code (`product_apps.py`), never this row.

    A custom App belongs to the workspace that made it. ``enabled`` is the operator's switch; ``available``
    is the migrations' own: false while an engine is rolled back.
    """

    class Kind(models.TextChoices):
        PRODUCT = "product"
        CUSTOM = "custom"

    id = models.CharField(primary_key=True, max_length=64, default=new_app_id, editable=False)
    workspace = models.ForeignKey(
        Workspace, null=True, blank=True, on_delete=models.CASCADE, related_name="custom_apps"
    )
    # Room for "-legacy-", 16 hex digits and a counter behind the longest custom slug (64).
    slug = models.CharField(max_length=120)
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.CUSTOM)
    display_name = models.CharField(max_length=120)
    description = models.CharField(max_length=1000, blank=True)
    avatar_url = models.CharField(max_length=500, blank=True)
    manifest = models.JSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    available = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "slug"], name="one_custom_app_a_slug"),
            models.UniqueConstraint(fields=["slug"], condition=Q(workspace=None), name="one_shared_app_a_slug"),
            models.CheckConstraint(condition=~Q(slug=""), name="app_has_a_slug"),
        ]

    def __str__(self) -> str:
        return f"{self.display_name} ({self.slug})"


class AppVersion(models.Model):
    """What a version of an App pins of its capability: the exact Definition and how it is named by default."""

    id = models.BigAutoField(primary_key=True)
    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="versions")
    version = models.CharField(max_length=32)
    definition_domain = models.CharField(max_length=64)
    definition_version = models.CharField(max_length=32)
    definition_digest = models.CharField(max_length=80)
    default_name = models.CharField(max_length=64)
    default_enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["app", "version"], name="one_row_an_app_version")]
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.app_id} {self.version}"
