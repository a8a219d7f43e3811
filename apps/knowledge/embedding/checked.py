"""Vectors from outside are checked before anything is compared with them or stored."""

import numpy as np

from apps.knowledge.embedding.failures import EmbeddingFailure
from apps.knowledge.vectors import MAX_DIMENSION, Vector


def checked_vectors(rows: object, count: int, dimension: int | None) -> Vector:
    """`count` vectors of length 1, one a row, from a list of lists of numbers.

    ``dimension`` is what they must have, None while it is not known. Raises `EmbeddingFailure`: not numbers, not as
    many as asked for, NaN or infinite, without direction, of another dimension.
    """
    vectors = _numbers(rows)
    if vectors.ndim != 2 or len(vectors) != count or not 1 <= vectors.shape[1] <= MAX_DIMENSION:
        raise EmbeddingFailure("The embedding server did not answer with one vector for each text.")
    if dimension is not None and vectors.shape[1] != dimension:
        raise EmbeddingFailure(
            f"The embedding server answered with vectors of dimension {vectors.shape[1]}; "
            f"this model's have dimension {dimension}. Make another model and re-embed with it."
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A NaN or an infinity in a vector is one in its length.
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EmbeddingFailure("The embedding server answered with a vector that is not a number or has no length.")
    unit: Vector = (vectors / lengths).astype(np.float32)
    return unit


def _numbers(rows: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise EmbeddingFailure("The embedding server did not answer with lists of numbers.")
    if any(isinstance(number, bool) or not isinstance(number, int | float) for row in rows for number in row):
        raise EmbeddingFailure("The embedding server did not answer with lists of numbers.")
    try:
        return np.array(rows, dtype=np.float64)
    except (ValueError, OverflowError):
        raise EmbeddingFailure("The embedding server answered with vectors of different dimensions.") from None
