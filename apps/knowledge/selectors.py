"""What the knowledge base shows of a workspace. Every read starts from the workspace's id."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore
from apps.marketplace.models import Connection, Installation
from apps.marketplace.references import Choice
from apps.workspaces.errors import Problem
from searchengines.knowledge_base import KnowledgeBase


def models(workspace_id: str) -> QuerySet[EmbeddingModel]:
    return EmbeddingModel.objects.filter(workspace_id=workspace_id)


def model(workspace_id: str, public_id: str) -> EmbeddingModel:
    """Raises `Problem` not_found."""
    found = models(workspace_id).filter(public_id=public_id).first()
    if found is None:
        raise Problem.not_found()
    return found


def model_exists(workspace_id: str, public_id: str) -> bool:
    return models(workspace_id).filter(public_id=public_id).exists()


def stores(workspace_id: str) -> QuerySet[EmbeddingStore]:
    """With their models, and how many documents each has, waiting, failed and moved to the next model."""
    return (
        EmbeddingStore.objects.filter(workspace_id=workspace_id)
        .select_related("model", "next_model")
        .annotate(
            document_count=Count("documents"),
            pending_count=Count("documents", filter=Q(documents__status=Document.Status.PENDING)),
            failed_count=Count("documents", filter=Q(documents__status=Document.Status.FAILED)),
        )
    )


def store(workspace_id: str, public_id: str) -> EmbeddingStore:
    """Raises `Problem` not_found."""
    found = stores(workspace_id).filter(public_id=public_id).first()
    if found is None:
        raise Problem.not_found()
    return found


def find_store(workspace_id: str, public_id: str) -> EmbeddingStore | None:
    """The store with its model, for a search; no counts."""
    rows = EmbeddingStore.objects.filter(workspace_id=workspace_id, public_id=public_id)
    return rows.select_related("model").first()


def documents(workspace_id: str, store_id: str) -> QuerySet[Document]:
    """Of a store by its public id. Raises `Problem` not_found."""
    found = find_store(workspace_id, store_id)
    if found is None:
        raise Problem.not_found()
    return Document.objects.filter(store=found, store__workspace_id=workspace_id)


def document(workspace_id: str, store_id: str, document_id: str) -> Document:
    """Raises `Problem` not_found."""
    row = documents(workspace_id, store_id).filter(pk=document_id).first()
    if row is None:
        raise Problem.not_found()
    return row


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far a store has moved to another model. ``done`` and ``total`` count documents that have passages."""

    model_id: str
    done: int
    total: int


def reembedding_of(row: EmbeddingStore) -> Reembedding | None:
    if row.next_model is None:
        return None
    counts = Document.objects.filter(store=row, passages__gt=0).aggregate(
        total=Count("pk"), done=Count("pk", filter=Q(generation=row.next_generation))
    )
    return Reembedding(row.next_model.public_id, counts["done"], counts["total"])


def notice_of(row: EmbeddingStore) -> str | None:
    """What an administrator should know about a store: its vectors are not of the model that is wanted."""
    if row.next_model is not None:
        return (
            f"Re-embedding is needed: the store moves to the model {row.next_model.public_id}. "
            f"Until every document is done, the vectors of {row.model.public_id} answer."
        )
    connected = connected_model(row.workspace_id, row.public_id)
    if connected is not None and connected != row.model.public_id:
        return (
            f"Re-embedding is needed: the Knowledge Base connection names the model {connected}, but the passages "
            f"were embedded with {row.model.public_id}, which answers until the store's model is changed."
        )
    return None


def connected_model(workspace_id: str, store_id: str) -> str | None:
    """The model that the workspace's Knowledge Base connection names together with this store."""
    connection = Connection.objects.filter(
        active=True,
        installation__workspace_id=workspace_id,
        installation__app_id=KnowledgeBase.app_id,
        installation__status=Installation.Status.ACTIVE,
        config__embeddingStore=store_id,
    ).first()
    return None if connection is None else connection.config.get("embeddingModel")


def model_choices(workspace_id: str) -> list[Choice]:
    return [
        Choice(row.public_id, f"{row.public_id} ({row.model})") for row in models(workspace_id).order_by("public_id")
    ]


def store_choices(workspace_id: str) -> list[Choice]:
    rows = EmbeddingStore.objects.filter(workspace_id=workspace_id).select_related("model").order_by("public_id")
    return [Choice(row.public_id, f"{row.public_id} ({row.model.public_id})") for row in rows]
