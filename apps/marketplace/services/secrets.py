"""Secrets of a workspace that `${vault://local/NAME}` refers to: written, never read back (contract section 1)."""

import re

import structlog

from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring
from apps.marketplace.locks import app_mutation_lock
from apps.marketplace.models import WorkspaceSecret
from apps.marketplace.rotation import forget_cooling
from apps.marketplace.vault import refers_on, secret_place
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from searchengines.credentials import parse_keys
from searchengines.errors import InvalidValue

log = structlog.get_logger("agentteam.connections")

NAME = re.compile(r"[A-Za-z0-9_]{1,64}")


def put_secret(workspace_id: str, name: str, value: object, actor: audit.Actor) -> bool:
    """Store a secret; True when it is new. Raises `Problem`: invalid_input, unavailable."""
    text = _clean(name, value)
    with app_mutation_lock(workspace_id):
        secret = WorkspaceSecret.objects.filter(workspace_id=workspace_id, name=name).first()
        created = secret is None
        if secret is None:
            secret = WorkspaceSecret(workspace_id=workspace_id, name=name)
        try:
            ring = keyring()
        except EnvelopeError as broken:
            log.error("secrets cannot be encrypted", why=str(broken))
            raise Problem("unavailable", "Secrets cannot be stored now.") from None
        secret.envelope, secret.key_id = ring.seal(text, secret_place(secret)), ring.primary.id
        secret.save()
        forget_cooling(workspace_id)
        audit.record(workspace_id, actor, "secret.created" if created else "secret.changed", "secret", name)
        return created


def delete_secret(workspace_id: str, name: str, actor: audit.Actor) -> None:
    """Raises `Problem` not_found."""
    with app_mutation_lock(workspace_id):
        removed, _ = WorkspaceSecret.objects.filter(workspace_id=workspace_id, name=name).delete()
        if not removed:
            raise Problem.not_found()
        audit.record(workspace_id, actor, "secret.deleted", "secret", name)


def _clean(name: str, value: object) -> str:
    if not NAME.fullmatch(name):
        raise Problem.invalid({"name": "1 to 64 letters, digits and underscores."})
    if not isinstance(value, str) or not value:
        raise Problem.invalid({"value": "A key, or several separated by commas."})
    if refers_on(value):
        raise Problem.invalid({"value": "A secret may not refer to another secret."})
    try:
        parse_keys(value)
    except InvalidValue as wrong:
        raise Problem.invalid({"value": wrong.message}) from None
    return value
