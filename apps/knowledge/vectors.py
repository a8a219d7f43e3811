"""Vectors in the database: one field and one distance for SQLite and for PostgreSQL with pgvector."""

from typing import Any, TypeAlias

import numpy as np
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Field, FloatField, Func, Value
from django.db.models.sql.compiler import SQLCompiler
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
"""One vector, or several as rows. Stored ones have length 1."""

MAX_DIMENSION = 8192
# What an HNSW index of pgvector takes: 2000 as `vector`, 4000 in half precision.
MAX_INDEXED_DIMENSION = 4000
_MAX_FULL_PRECISION = 2000

_BLOB = np.dtype("<f4")


class VectorField(Field):  # type: ignore[type-arg]
    """float32 numbers: a little-endian blob on SQLite, a `vector` without fixed dimension on PostgreSQL."""

    description = "Vector"
    empty_strings_allowed = False

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "vector" if connection.vendor == "postgresql" else "BLOB"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Vector | None:
        return self.to_python(value)

    def to_python(self, value: Any) -> Vector | None:
        if value is None or isinstance(value, np.ndarray):
            return value
        if isinstance(value, str):
            return np.array(value[1:-1].split(","), dtype=np.float32)
        return np.frombuffer(value, dtype=_BLOB)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        if value is None:
            return None
        return _text(value) if connection.vendor == "postgresql" else np.asarray(value, dtype=_BLOB).tobytes()

    def value_to_string(self, obj: Any) -> str:
        return _text(self.value_from_object(obj))


def _text(vector: Any) -> str:
    # Nine digits bring every float32 back exactly.
    return "[" + ",".join(f"{number:.9g}" for number in vector) + "]"


class CosineDistance(Func):
    """1 - cosine of a column and a vector, from 0 to 2.

    ``dimension`` casts both to it, which is what makes PostgreSQL use an HNSW index of that dimension; without it
    the comparison is exact.
    """

    output_field = FloatField()

    def __init__(self, column: str, vector: Vector, dimension: int | None = None) -> None:
        super().__init__(column, Value(vector, output_field=VectorField()))
        self.dimension = dimension

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        (column, of_column), (vector, of_vector) = (compiler.compile(item) for item in self.get_source_expressions())
        cast = index_type(self.dimension) if self.dimension is not None else None
        column = f"({column}::{cast})" if cast else column
        return f"({column} <=> {vector}::{cast or 'vector'})", (*of_column, *of_vector)

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        connection.ensure_connection()
        connection.connection.create_function("cosine_distance", 2, _blob_distance, deterministic=True)
        (column, of_column), (vector, of_vector) = (compiler.compile(item) for item in self.get_source_expressions())
        return f"cosine_distance({column}, {vector})", (*of_column, *of_vector)


class HasDimension(Func):
    """Whether a vector has exactly `dimension` numbers; PostgreSQL only. The number is part of the statement.

    As a parameter it would not match the condition of a partial index.
    """

    output_field = BooleanField()

    def __init__(self, column: str, dimension: int) -> None:
        super().__init__(column, template=f"(vector_dims(%(expressions)s) = {int(dimension)})")


def index_type(dimension: int) -> str:
    """The type that vectors of this dimension are indexed as."""
    return f"{'vector' if dimension <= _MAX_FULL_PRECISION else 'halfvec'}({int(dimension)})"


def _blob_distance(one: bytes, other: bytes) -> float:
    return 1.0 - float(np.dot(np.frombuffer(one, dtype=_BLOB), np.frombuffer(other, dtype=_BLOB)))
