"""From a stored embedding model to something that embeds."""

from collections.abc import Sequence
from typing import Protocol

from apps.knowledge.embedding.failures import EmbeddingFailure
from apps.knowledge.embedding.local import LocalEmbedder
from apps.knowledge.embedding.remote import DEADLINE_SECONDS, RemoteEmbedder
from apps.knowledge.keys import open_key
from apps.knowledge.models import EmbeddingModel
from apps.knowledge.vectors import Vector


class Embedder(Protocol):
    """``waits`` says whether others are waited for, so that no database connection may be held meanwhile.

    ``batch_size`` is how many texts one call may take.
    """

    @property
    def waits(self) -> bool: ...

    @property
    def batch_size(self) -> int: ...

    def embed(self, texts: Sequence[str], *, timeout: float = DEADLINE_SECONDS) -> Vector:
        """Vectors of length 1, one a row. ``timeout`` in seconds. Raises `SearchFailure`."""
        ...


def embedder_of(model: EmbeddingModel) -> Embedder:
    """Reads the database for a key's reference; embedding does not. Raises `SearchFailure`."""
    if model.kind == EmbeddingModel.Kind.LOCAL:
        return LocalEmbedder()
    return RemoteEmbedder(
        model.base_url,
        model.model,
        model.dimension,
        open_key(model),
        pool=(f"embedding:{model.id}", model.revision),
    )


def remember_dimension(model: EmbeddingModel, vectors: Vector) -> None:
    """Store the dimension with the first vectors that came back.

    Raises `EmbeddingFailure` when another process has found another one meanwhile.
    """
    if model.dimension is not None:
        return
    found = int(vectors.shape[1])
    if not EmbeddingModel.objects.filter(pk=model.pk, dimension=None).update(dimension=found):
        model.refresh_from_db(fields=["dimension"])
        if model.dimension != found:
            raise EmbeddingFailure("The embedding server answers with vectors of different dimensions.")
    model.dimension = found
