"""What embedding models, stores and documents look like on the API; keys are never in it (contract section 4)."""

from typing import Any

from apps.knowledge import selectors
from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore
from apps.workspaces.api.shapes import iso_time


def model_shape(row: EmbeddingModel) -> dict[str, Any]:
    """``dimension`` is null until the first vectors came back."""
    return {
        "id": row.public_id,
        "kind": row.kind,
        "baseUrl": row.base_url or None,
        "model": row.model,
        "dimension": row.dimension,
        "credentials": {"apiKey": {"configured": row.envelope is not None}},
        "createdAt": iso_time(row.created_at),
    }


def store_shape(row: EmbeddingStore) -> dict[str, Any]:
    """A row of `selectors.stores`. ``notice`` says that the vectors are not of the model that is wanted."""
    moving = selectors.reembedding_of(row)
    return {
        "id": row.public_id,
        "embeddingModel": row.model.public_id,
        "dimension": row.model.dimension,
        "documents": {
            "total": row.document_count,  # type: ignore[attr-defined]
            "pending": row.pending_count,  # type: ignore[attr-defined]
            "failed": row.failed_count,  # type: ignore[attr-defined]
        },
        "passages": row.passages,
        "reembedding": None
        if moving is None
        else {"embeddingModel": moving.model_id, "done": moving.done, "total": moving.total},
        "notice": selectors.notice_of(row),
        "createdAt": iso_time(row.created_at),
    }


def document_shape(row: Document) -> dict[str, Any]:
    """``error`` says why the last try failed; it is null otherwise."""
    return {
        "id": row.id,
        "name": row.name,
        "mediaType": row.media_type,
        "bytes": row.size,
        "contentHash": f"sha256:{row.content_hash}",
        "status": row.status,
        "error": row.error or None,
        "passages": row.passages,
        "createdAt": iso_time(row.created_at),
        "updatedAt": iso_time(row.updated_at),
    }
