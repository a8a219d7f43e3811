from django.db import models
from django.utils import timezone

from apps.knowledge.identifiers import (
    new_model_key,
    new_public_model_id,
    new_public_store_id,
    new_store_key,
)
from apps.workspaces.models import Workspace


class EmbeddingModel(models.Model):
    """What turns text into vectors. ``dimension`` is null until the first vectors came back.

    ``revision`` grows with every change, and with it the sockets kept open for this model change. ``envelope``
    holds the key, or a vault reference, for a server that wants one; ``key_id`` names the master key it is under.
    """

    class Kind(models.TextChoices):
        LOCAL = "local"
        OPENAI_COMPATIBLE = "openai_compatible"

    id = models.CharField(primary_key=True, max_length=40, default=new_model_key, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="embedding_models")
    public_id = models.CharField(max_length=128, default=new_public_model_id)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    base_url = models.CharField(max_length=2048, blank=True, default="")
    model = models.CharField(max_length=200)
    dimension = models.PositiveIntegerField(null=True)
    envelope = models.BinaryField(null=True)
    key_id = models.CharField(max_length=32, blank=True, default="", db_index=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="one_embedding_model_an_id"),
        ]

    def __str__(self) -> str:
        return self.public_id


class EmbeddingStore(models.Model):
    """Documents as vectors of one model.

    ``generation`` numbers the set of passages that answers, and ``model`` made its vectors. While the store moves to
    another model, ``next_model`` fills ``next_generation``, and the old one goes on answering. ``revision`` grows
    whenever the passages that answer change; ``passages`` counts them.
    """

    id = models.CharField(primary_key=True, max_length=40, default=new_store_key, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="embedding_stores")
    public_id = models.CharField(max_length=128, default=new_public_store_id)
    model = models.ForeignKey(EmbeddingModel, on_delete=models.RESTRICT, related_name="stores")
    next_model = models.ForeignKey(
        EmbeddingModel, on_delete=models.RESTRICT, related_name="next_stores", null=True, blank=True
    )
    generation = models.PositiveIntegerField(default=1)
    next_generation = models.PositiveIntegerField(default=1)
    revision = models.PositiveBigIntegerField(default=1)
    passages = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="one_embedding_store_an_id"),
        ]

    def __str__(self) -> str:
        return self.public_id
