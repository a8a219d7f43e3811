"""Re-encrypting under the primary master key (contract section 8).

One row, one short transaction, under the row's lock: it can be stopped anywhere and run again, beside
processes that serve. Those must know both keys by then (`docs/security.md`, changing the master key).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from apps.marketplace import sealed
from apps.marketplace.envelope import EnvelopeError, Keyring
from apps.marketplace.sealed import SealedSource

BATCH = 200


@dataclass
class Rewrapped:
    """``unreadable`` maps a row's label to why it does not open; such rows are left as they are."""

    rows: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def rewrap(ring: Keyring) -> Rewrapped:
    """Bring every envelope that another key sealed under the primary one."""
    done = Rewrapped()
    for source in sealed.sources():
        for primary_key in _candidates(source, ring.primary.id):
            _rewrap_row(source, primary_key, ring, done)
    return done


def _candidates(source: SealedSource, primary_id: str) -> Iterator[Any]:
    """Primary keys of rows under other keys, in order; read in batches, so that no cursor stays open."""
    after: Any = None
    while True:
        rows = source.rows().exclude(key_id=primary_id).order_by("pk")
        if after is not None:
            rows = rows.filter(pk__gt=after)
        batch = list(rows.values_list("pk", flat=True)[:BATCH])
        if not batch:
            return
        yield from batch
        after = batch[-1]


def _rewrap_row(source: SealedSource, primary_key: Any, ring: Keyring, done: Rewrapped) -> None:
    with transaction.atomic():
        # Only the row itself: a lock on what it refers to would hold up other work.
        row = source.rows().select_for_update(of=("self",)).filter(pk=primary_key).first()
        if row is None or row.key_id == ring.primary.id:
            # Deleted or saved anew since it was listed.
            return
        place = source.place(row)
        try:
            envelope = ring.seal(ring.open(bytes(row.envelope), place), place)
        except EnvelopeError as broken:
            done.unreadable[source.label(row)] = str(broken)
            return
        type(row)._default_manager.filter(pk=row.pk).update(envelope=envelope, key_id=ring.primary.id)
        done.rows += 1
