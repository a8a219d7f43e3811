"""Carries out an import: all documents or none (contract section 1).

What is there already is left alone: the same document once more changes nothing, and another engine of a provider
that is connected is a conflict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction

from apps.marketplace.connections import credential_place
from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.importing.documents import ImportedEngine, read_document
from apps.marketplace.importing.notes import Notes
from apps.marketplace.keyring import keyring
from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import App, Connection, EngineOptions, Installation, WorkspaceSecret
from apps.marketplace.services.connections import save_connection
from apps.marketplace.services.installations import install_locked
from apps.marketplace.services.options import save_options
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from searchengines.contract import Engine
from searchengines.credentials import parse_reference

CONFLICT: Final = "conflict: a workspace has one engine of each provider"


@dataclass(slots=True)
class Report:
    """One document: the engine, what was done ("installed", "connected", ...; empty: unchanged) and its notes."""

    engine: str
    done: list[str] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)


class ImportRefused(Exception):
    """Nothing was changed. ``reports`` say why."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__("import refused")
        self.reports = list(reports)


def import_engines(
    workspace_id: str,
    documents: Sequence[object],
    operator_origins: Mapping[str, str],
    actor: Actor,
    *,
    dry_run: bool = False,
) -> list[Report]:
    """Install, connect and configure what the documents say, in one transaction.

    With ``dry_run`` everything is done and taken back. Raises `ImportRefused`, or `Problem` not_found for the
    workspace and unavailable without a usable master key.
    """
    read = [read_document(document, operator_origins) for document in documents]
    reports = [Report(item.engine.slug if item.engine is not None else "?", notes=item.notes) for item in read]
    _refuse_second_engines(read)
    _raise_if_refused(reports)
    with transaction.atomic(), app_mutation_lock(workspace_id):
        for item, report in zip(read, reports, strict=True):
            _apply(workspace_id, item, report, actor)
        _raise_if_refused(reports)
        if dry_run:
            transaction.set_rollback(True)
    return reports


def _raise_if_refused(reports: Sequence[Report]) -> None:
    if any(report.notes.has_refusal for report in reports):
        raise ImportRefused(reports)


def _refuse_second_engines(read: Sequence[ImportedEngine]) -> None:
    seen: set[str] = set()
    for item in read:
        if item.engine is None:
            continue
        if item.engine.slug in seen:
            item.notes.refused("provider", CONFLICT)
        seen.add(item.engine.slug)


def _apply(workspace_id: str, item: ImportedEngine, report: Report, actor: Actor) -> None:
    assert item.engine is not None
    try:
        installation = _installation(workspace_id, item.engine, report, actor)
        connection = installation.connections.filter(active=True).first()
        if connection is None:
            _connect(installation, item, report, actor)
            _configure(installation, item, report, actor)
        elif not _is_same(installation, connection, item):
            item.notes.refused("provider", CONFLICT)
    except Problem as problem:
        if problem.code in ("unavailable", "internal_error"):
            raise
        for member, why in (problem.fields or {"provider": problem.message}).items():
            item.notes.refused(member, why)


def _installation(workspace_id: str, engine: Engine, report: Report, actor: Actor) -> Installation:
    current = Installation.objects.filter(
        workspace_id=workspace_id, app_id=engine.app_id, status=Installation.Status.ACTIVE
    ).first()
    if current is not None:
        return current
    app = App.objects.filter(pk=engine.app_id, slug=engine.slug).first()
    if app is None:
        raise Problem.conflict("This App is not available now.")
    report.done.append("installed")
    return install_locked(workspace_id, app, actor)


def _connect(installation: Installation, item: ImportedEngine, report: Report, actor: Actor) -> None:
    body = {"config": item.config, "credentials": item.credentials}
    save_connection(installation.workspace_id, installation.id, body, actor)
    report.done.append("connected")
    for name, text in item.credentials.items():
        _notice_missing_secret(installation.workspace_id, name, text, item.notes)


def _configure(installation: Installation, item: ImportedEngine, report: Report, actor: Actor) -> None:
    if _options(installation) == item.options:
        return
    save_options(installation.workspace_id, installation.id, item.options, actor)
    report.done.append("options set")


def _is_same(installation: Installation, connection: Connection, item: ImportedEngine) -> bool:
    """Whether the engine that is connected is the document's own, from an earlier import."""
    if connection.config != item.config or _options(installation) != item.options:
        return False
    stored = {credential.field: credential for credential in connection.credentials.all()}
    if set(stored) != set(item.credentials):
        return False
    try:
        ring = keyring()
        return all(
            ring.open(
                bytes(stored[name].envelope),
                credential_place(installation.workspace_id, installation.id, connection.id, name),
            )
            == text
            for name, text in item.credentials.items()
        )
    except EnvelopeError:
        return False


def _options(installation: Installation) -> dict[str, Any]:
    stored = EngineOptions.objects.filter(installation=installation).first()
    return stored.options if stored is not None else {}


def _notice_missing_secret(workspace_id: str, name: str, text: str, notes: Notes) -> None:
    reference = parse_reference(text)
    if reference is None or reference.backend != "local":
        return
    if not WorkspaceSecret.objects.filter(workspace_id=workspace_id, name=reference.name).exists():
        notes.noticed(f"credentials.{name}", "the workspace has no secret of this name yet")
