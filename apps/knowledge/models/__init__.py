from apps.knowledge.models.documents import Document, DocumentSource, Passage
from apps.knowledge.models.embedding import EmbeddingModel, EmbeddingStore

__all__ = ["Document", "DocumentSource", "EmbeddingModel", "EmbeddingStore", "Passage"]
