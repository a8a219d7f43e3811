from django.db import models
from django.utils import timezone

from apps.knowledge.identifiers import new_document_id
from apps.knowledge.models.embedding import EmbeddingStore
from apps.knowledge.vectors import VectorField
from apps.workspaces.models import Workspace


class Document(models.Model):
    """One document of a store, known by its name.

    ``generation`` is the newest one that its passages were embedded for, 0 before the first time; ``passages`` counts
    those that answer. A worker holds it while ``claim`` is its own and ``due_at`` has not passed; without a claim
    ``due_at`` says when the next try may start.
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        READY = "ready"
        FAILED = "failed"

    id = models.CharField(primary_key=True, max_length=40, default=new_document_id, editable=False)
    store = models.ForeignKey(EmbeddingStore, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=40)
    size = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    error = models.CharField(max_length=300, blank=True, default="")
    attempts = models.PositiveIntegerField(default=0)
    generation = models.PositiveIntegerField(default=0)
    passages = models.PositiveIntegerField(default=0)
    claim = models.CharField(max_length=40, blank=True, default="")
    due_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["store", "name"], name="one_document_a_name")]
        indexes = [models.Index(fields=["status", "due_at"], name="knowledge_document_due")]

    def __str__(self) -> str:
        return self.name


class DocumentSource(models.Model):
    """The text of a document that waits to be embedded; gone once it has been."""

    document = models.OneToOneField(Document, primary_key=True, on_delete=models.CASCADE, related_name="source")
    text = models.TextField()

    def __str__(self) -> str:
        return self.document_id


class Passage(models.Model):
    """A piece of a document and its vector. ``title`` is how it is called outside, like `handbook.md#3`.

    The workspace is here too, so that the query that compares vectors can ask for it without a join.
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    store = models.ForeignKey(EmbeddingStore, on_delete=models.CASCADE, related_name="+", db_index=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    generation = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()
    title = models.CharField(max_length=220)
    text = models.TextField()
    vector = VectorField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "generation", "ordinal"], name="one_passage_a_place"),
        ]
        indexes = [models.Index(fields=["store", "generation"], name="knowledge_passage_set")]

    def __str__(self) -> str:
        return self.title
