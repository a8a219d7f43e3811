"""What is wrong with a deployment's keys, stored envelopes, pins and App rows, for `manage.py doctor`.

Reads only. A finding names rows, key ids and variables, and never what is sealed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.core.checks import ERROR, run_checks

from apps.marketplace import sealed
from apps.marketplace.capabilities import capability_of, pin_holds
from apps.marketplace.envelope import EnvelopeError, Keyring, key_id_of
from apps.marketplace.keyring import keyring, unusable
from apps.marketplace.models import App, Installation
from apps.marketplace.product_apps import ENGINES_BY_APP, engine_of, is_reserved
from apps.marketplace.sealed import SealedSource

# How many rows of one kind are named; the rest is counted.
NAMED_ROWS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report. ``wrong`` makes the command fail."""

    subject: str
    text: str
    wrong: bool = False


def examine() -> list[Finding]:
    """Everything the doctor looks at, in the order in which it should be mended."""
    parts: tuple[Callable[[], Iterator[Finding]], ...] = (_settings, _keys, _envelopes, _apps, _pins)
    return [finding for part in parts for finding in part()]


def _settings() -> Iterator[Finding]:
    for message in run_checks():
        if message.level >= ERROR:
            yield Finding("settings", f"{message.id}: {message.msg}", wrong=True)


def _keys() -> Iterator[Finding]:
    broken = unusable()
    if broken is not None:
        yield Finding("keys", f"{broken}.", wrong=True)
        return
    ring = keyring()
    yield Finding("keys", f"Primary key {ring.primary.id[:8]}.")
    for key in ring.previous:
        yield Finding("keys", f"Previous key {key.id[:8]}.")


def _envelopes() -> Iterator[Finding]:
    ring = None if unusable() is not None else keyring()
    for source in sealed.sources():
        yield from _counts(source, ring)
        yield from _unreadable(source, ring)


def _counts(source: SealedSource, ring: Keyring | None) -> Iterator[Finding]:
    for key_id, rows in source.counts().items():
        yield Finding("envelopes", f"{source.name}: {rows} under key {key_id[:8]} ({_standing(key_id, ring)}).")


def _standing(key_id: str, ring: Keyring | None) -> str:
    if ring is None:
        return "no key is usable"
    if key_id == ring.primary.id:
        return "primary"
    known = any(key.id == key_id for key in ring.previous)
    return "previous; run rewrap_credentials" if known else "not configured"


def _unreadable(source: SealedSource, ring: Keyring | None) -> Iterator[Finding]:
    why: Counter[str] = Counter()
    for row in source.every_row():
        problem = _problem(source, row, ring)
        if problem is None:
            continue
        why[problem] += 1
        if why.total() <= NAMED_ROWS:
            yield Finding("envelopes", f"{source.label(row)}: {problem}.", wrong=True)
    if why.total() > NAMED_ROWS:
        yield Finding("envelopes", f"{source.name}: {why.total()} rows in all do not open.", wrong=True)


def _problem(source: SealedSource, row: object, ring: Keyring | None) -> str | None:
    if ring is None:
        return "does not open without a usable master key"
    envelope = bytes(row.envelope)  # type: ignore[attr-defined]
    try:
        ring.open(envelope, source.place(row))
    except EnvelopeError as broken:
        return str(broken)
    if key_id_of(envelope) != row.key_id:  # type: ignore[attr-defined]
        return "its column key_id names another key than its envelope"
    return None


def _apps() -> Iterator[Finding]:
    rows = {app.id: app for app in App.objects.order_by("id")}
    for app in rows.values():
        if engine_of(app) is None and (app.id in ENGINES_BY_APP or is_reserved(app.slug)):
            yield Finding("apps", f"App {app.id} with slug {app.slug!r} only resembles a Product App.", wrong=True)
    for app_id in ENGINES_BY_APP:
        if app_id not in rows:
            yield Finding("apps", f"Product App {app_id} has no row; migrate searchengines.", wrong=True)


def _pins() -> Iterator[Finding]:
    """A Product App must have a registered Definition, and installations must pin exactly it."""
    for app in App.objects.filter(pk__in=list(ENGINES_BY_APP), available=True).order_by("id"):
        if engine_of(app) is not None and capability_of(app.id) is None:
            yield Finding("pins", f"No Definition is registered for {app.id}.", wrong=True)
    installed = Installation.objects.filter(status=Installation.Status.ACTIVE).select_related("app", "app_version")
    good = 0
    for installation in installed.order_by("id").iterator():
        app = installation.app
        if engine_of(app) is None:
            continue
        if pin_holds(app.id, installation.app_version):
            good += 1
            continue
        text = f"Installation {installation.id} of {app.slug} pins another Definition than the one registered."
        yield Finding("pins", text, wrong=True)
    yield Finding("pins", f"Installations whose pin matches: {good}.")
