"""Several keys on one connection: whose turn it is, and which one rests (contract section 1)."""

import time
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import F

from apps.marketplace.models import Connection, Credential

REFUSED_SECONDS = 600
RATE_LIMITED_SECONDS = 60
MAX_COOLING_SECONDS = 86_400

# Key ordinal, as text, to (when it was refused, from when it is usable again); Unix seconds.
Cooling = Mapping[str, Sequence[float]]


def choose(count: int, turn: int, cooling: Cooling, now: float | None = None) -> int:
    """The ordinal, from 1, of the key for this call.

    ``turn`` counts calls from 1. Usable keys take turns; when every key rests, the least recently refused is used.
    """
    moment = time.time() if now is None else now
    usable = [ordinal for ordinal in range(1, count + 1) if _usable_from(cooling, ordinal) <= moment]
    if usable:
        return usable[(turn - 1) % len(usable)]
    return min(range(1, count + 1), key=lambda ordinal: cooling[str(ordinal)][0])


def cool(connection_id: str, revision: int, ordinal: int, seconds: int, now: float | None = None) -> None:
    """Let a key rest. Nothing happens when the connection has changed since: its keys may be others."""
    moment = time.time() if now is None else now
    with transaction.atomic():
        connection = (
            Connection.objects.select_for_update(no_key=True).filter(pk=connection_id, revision=revision).first()
        )
        if connection is None:
            return
        connection.cooling = {
            **connection.cooling,
            str(ordinal): [moment, moment + min(max(seconds, 1), MAX_COOLING_SECONDS)],
        }
        connection.save(update_fields=["cooling"])


def forget_cooling(workspace_id: str) -> None:
    """A secret of the workspace changed: behind its connections' vault references may be other keys than rest now.

    The revision grows, so that a call that began with the old keys lets none of the new ones rest.
    """
    referring = Connection.objects.filter(
        installation__workspace_id=workspace_id, credentials__kind=Credential.Kind.REFERENCE
    )
    Connection.objects.filter(pk__in=referring.values("pk")).update(cooling={}, revision=F("revision") + 1)


def _usable_from(cooling: Cooling, ordinal: int) -> float:
    entry = cooling.get(str(ordinal))
    return float(entry[1]) if entry is not None else 0.0
