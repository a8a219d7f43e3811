"""Saving, removing and testing an installation's connection (spec A 5)."""

from collections.abc import Mapping
from typing import Any

import structlog
from django.utils import timezone

from apps.marketplace import references
from apps.marketplace.connections import credential_place
from apps.marketplace.envelope import EnvelopeError, Keyring
from apps.marketplace.kept_sockets import close_after_commit
from apps.marketplace.keyring import keyring
from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.members import clean_members, unknown_members
from apps.marketplace.models import Connection, Credential, Installation
from apps.marketplace.product_apps import engine_of
from apps.marketplace.services.installations import active_installation, end_connections
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from searchengines.contract import Engine
from searchengines.credentials import parse_keys, parse_reference

log = structlog.get_logger("agentteam.connections")

SUBJECT = "default"
BODY_MEMBERS = ("config", "credentials")


def save_connection(
    workspace_id: str, installation_id: str, body: Mapping[str, object], actor: audit.Actor
) -> Connection:
    """Connect, or change what is connected.

    ``config`` replaces the whole; left out, it stays. A credential left out stays. Raises `Problem`:
    not_found (also for a custom App), invalid_input, unavailable (no usable master key to encrypt with).
    """
    with app_mutation_lock(workspace_id):
        installation, engine = engine_installation(workspace_id, installation_id)
        connection = installation.connections.filter(active=True, external_subject_ref=SUBJECT).first()
        config, credentials = _clean(engine, body, connection, workspace_id)
        sealing = _keyring() if credentials else None
        if connection is None:
            connection = Connection.objects.create(installation=installation, config=config)
        else:
            connection.config = config
            connection.revision += 1
            changed = ["config", "revision", "updated_at"]
            if credentials:
                connection.cooling = {}
                changed.append("cooling")
            connection.save(update_fields=changed)
            close_after_commit(connection.id)
        if sealing is not None:
            _store(sealing, installation, connection, credentials)
        audit.record(
            workspace_id,
            actor,
            "connection.saved",
            "installation",
            installation.id,
            {"connection": connection.id, "config": sorted(config), "credentials": sorted(credentials)},
        )
        return connection


def disconnect(workspace_id: str, installation_id: str, actor: audit.Actor) -> None:
    """Delete every connection of the installation with its credentials; fine when there is none.

    Raises `Problem` not_found.
    """
    with app_mutation_lock(workspace_id):
        installation, _ = engine_installation(workspace_id, installation_id)
        ended = end_connections(installation)
        if not ended:
            return
        installation.last_test_at, installation.last_test_code, installation.last_test_reason = None, "", ""
        installation.save(update_fields=["last_test_at", "last_test_code", "last_test_reason"])
        audit.record(
            workspace_id,
            actor,
            "connection.removed",
            "installation",
            installation.id,
            {"connections": ended},
        )


def record_test(installation_id: str, code: str, reason: str) -> None:
    """Remember how the last test ended. ``code`` is "ok" or an error code."""
    Installation.objects.filter(pk=installation_id, status=Installation.Status.ACTIVE).update(
        last_test_at=timezone.now(), last_test_code=code, last_test_reason=reason
    )


def engine_installation(workspace_id: str, installation_id: str) -> tuple[Installation, Engine]:
    """A current installation of a Product App; for anything else `Problem` not_found."""
    installation = active_installation(workspace_id, installation_id)
    engine = engine_of(installation.app)
    if engine is None:
        raise Problem.not_found()
    return installation, engine


def _clean(
    engine: Engine, body: Mapping[str, object], connection: Connection | None, workspace_id: str
) -> tuple[dict[str, str], dict[str, str]]:
    problems = unknown_members(body, BODY_MEMBERS)
    given = {name: _object(body, name, problems) for name in BODY_MEMBERS}
    if "config" not in body and connection is not None:
        given["config"] = dict(connection.config)
    config = clean_members(given["config"], engine.config_fields, "config.", problems)
    credentials = clean_members(given["credentials"], engine.secret_fields, "credentials.", problems)
    stored = set() if connection is None else set(connection.credentials.values_list("field", flat=True))
    _require(engine, config, set(credentials) | stored, problems)
    _check_references(engine, config, workspace_id, problems)
    if problems:
        raise Problem.invalid(problems)
    return config, credentials


def _object(body: Mapping[str, object], name: str, problems: dict[str, str]) -> dict[str, object]:
    value = body.get(name, {})
    if not isinstance(value, dict):
        problems[name] = "An object."
        return {}
    return value


def _require(engine: Engine, config: Mapping[str, Any], credentials: set[str], problems: dict[str, str]) -> None:
    for item in engine.fields:
        path = f"{'credentials' if item.secret else 'config'}.{item.name}"
        present = item.name in credentials if item.secret else item.name in config
        if item.required and not present and path not in problems:
            problems[path] = "Required."


def _check_references(engine: Engine, config: Mapping[str, str], workspace_id: str, problems: dict[str, str]) -> None:
    for item in engine.config_fields:
        if item.reference is None or item.name not in config:
            continue
        if not references.exists(item.reference, workspace_id, config[item.name]):
            problems[f"config.{item.name}"] = f"There is no such {item.label.lower()} in this workspace."


def _keyring() -> Keyring:
    try:
        return keyring()
    except EnvelopeError as broken:
        log.error("credentials cannot be encrypted", why=str(broken))
        raise Problem("unavailable", "Credentials cannot be stored now.") from None


def _store(
    sealing: Keyring, installation: Installation, connection: Connection, credentials: Mapping[str, str]
) -> None:
    for name, text in credentials.items():
        place = credential_place(installation.workspace_id, installation.id, connection.id, name)
        Credential.objects.update_or_create(
            connection=connection,
            field=name,
            defaults={
                "kind": credential_kind(text),
                "envelope": sealing.seal(text, place),
                "key_id": sealing.primary.id,
            },
        )


def credential_kind(text: str) -> str:
    """What a cleaned credential is: a vault reference, several keys, or one."""
    if parse_reference(text) is not None:
        return Credential.Kind.REFERENCE
    return Credential.Kind.KEYS if len(parse_keys(text)) > 1 else Credential.Kind.KEY
