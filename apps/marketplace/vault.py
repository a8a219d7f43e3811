"""Where `${vault://backend/path}` is looked up: at each call, never stored resolved (contract section 1).

A backend is a small class. An operator adds one by its dotted path in `AGENTTEAM_VAULT_BACKENDS`. Whatever goes
wrong in it ends as a reference that does not resolve; what it raised is never shown, because it may hold the value.
"""

import os
from functools import lru_cache
from typing import Protocol

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring
from apps.marketplace.models import WorkspaceSecret
from searchengines.credentials import VaultReference, parse_reference
from searchengines.errors import InvalidValue

log = structlog.get_logger("agentteam.connections")

ENVIRONMENT_PREFIX = "AGENTTEAM_VAULT_"
# Settings of ours that begin with the prefix hold no secret of anybody's.
SETTINGS = frozenset({"ENV", "BACKENDS"})


class Backend(Protocol):
    """``name`` is what stands before the slash. ``read`` returns None when there is nothing at `path`.

    It is asked at every call of a connection that refers to it, before the provider is, so it should answer quickly.
    """

    name: str

    def read(self, workspace_id: str, path: str) -> str | None: ...


class LocalBackend:
    """A secret of the same workspace."""

    name = "local"

    def read(self, workspace_id: str, path: str) -> str | None:
        secret = WorkspaceSecret.objects.filter(workspace_id=workspace_id, name=path).first()
        if secret is None:
            return None
        try:
            return keyring().open(bytes(secret.envelope), secret_place(secret))
        except EnvelopeError as broken:
            log.error("workspace secret does not open", secret=secret.id, why=str(broken))
            return None


class EnvironmentBackend:
    """An environment variable of the deployment; off unless the operator turns it on."""

    name = "env"

    def read(self, workspace_id: str, path: str) -> str | None:
        if not settings.AGENTTEAM_VAULT_ENV or path in SETTINGS:
            return None
        return os.environ.get(f"{ENVIRONMENT_PREFIX}{path}")


def secret_place(secret: WorkspaceSecret) -> tuple[str, str, str, str]:
    """What a workspace secret's envelope is bound to."""
    return (secret.workspace_id, "secret", secret.id, secret.name)


@lru_cache(maxsize=4)
def _backends(extra: tuple[str, ...]) -> dict[str, Backend]:
    found: dict[str, Backend] = {backend.name: backend for backend in (LocalBackend(), EnvironmentBackend())}
    for path in extra:
        backend = import_string(path)()
        if backend.name in found:
            raise ValueError(f"two vault backends are named {backend.name}")
        found[backend.name] = backend
    return found


def backends() -> dict[str, Backend]:
    """By name. Raises whatever the operator's backends raise when they are imported and made, and `ValueError`."""
    return _backends(tuple(settings.AGENTTEAM_VAULT_BACKENDS))


def backends_problem() -> str | None:
    """Why the operator's backends cannot be used, for a system check; None when they can."""
    try:
        backends()
    except Exception as broken:  # noqa: BLE001 - code of the operator's, which may raise anything
        return f"cannot be loaded ({type(broken).__name__})"
    return None


def resolve(workspace_id: str, reference: VaultReference) -> str | None:
    """The text behind a reference; None when there is none, or when it is a reference itself."""
    try:
        backend = backends().get(reference.backend)
        text = backend.read(workspace_id, reference.name) if backend is not None else None
    except Exception as broken:  # noqa: BLE001 - code of the operator's, which may raise anything
        log.error("vault backend failed", vault=reference.backend, why=type(broken).__name__)
        return None
    return text if isinstance(text, str) and text and not refers_on(text) else None


def refers_on(text: str) -> bool:
    """Whether a secret's text is itself a reference, well-formed or not: references do not nest."""
    try:
        return parse_reference(text) is not None
    except InvalidValue:
        return True
