"""Every table that keeps envelopes, so that keys can be rotated and rows examined without naming tables.

A room above registers its own tables when the process starts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from apps.marketplace.connections import credential_place
from apps.marketplace.models import Credential, WorkspaceSecret
from apps.marketplace.vault import secret_place


@dataclass(frozen=True, slots=True)
class SealedSource:
    """Rows of one model with the columns ``envelope`` (bytes) and ``key_id`` (32 hex digits).

    ``rows`` gives the rows that hold an envelope, ``place`` what a row's envelope is bound to.
    """

    name: str
    rows: Callable[[], "QuerySet[Any]"]
    place: Callable[[Any], Sequence[str]]

    def label(self, row: Any) -> str:
        """How the row is named to an operator."""
        return f"{self.name} {row.pk}"

    def counts(self) -> dict[str, int]:
        """How many rows are under each key id."""
        counted = self.rows().order_by().values_list("key_id").annotate(rows=Count("pk"))
        return dict(sorted(counted))

    def every_row(self) -> Iterator[Any]:
        yield from self.rows().order_by("pk").iterator(chunk_size=500)


def _credential_place(row: Credential) -> Sequence[str]:
    installation = row.connection.installation
    return credential_place(installation.workspace_id, installation.id, row.connection_id, row.field)


_sources: list[SealedSource] = [
    SealedSource(
        "credential", lambda: Credential.objects.select_related("connection__installation"), _credential_place
    ),
    SealedSource("workspace secret", lambda: WorkspaceSecret.objects.all(), secret_place),
]


def register(source: SealedSource) -> None:
    """Raises `ValueError` when there is a source of this name."""
    if any(known.name == source.name for known in _sources):
        raise ValueError(f"sealed rows of {source.name} are registered already")
    _sources.append(source)


def sources() -> tuple[SealedSource, ...]:
    return tuple(_sources)
