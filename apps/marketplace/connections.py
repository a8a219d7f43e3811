"""From a stored connection to the snapshot a call works with. Credentials are decrypted here, nowhere else."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from apps.marketplace import rotation, vault
from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring
from apps.marketplace.models import Connection, Credential, Installation
from apps.marketplace.origins import target_of
from searchengines.contract import ConnectionSnapshot, Engine, Secret
from searchengines.credentials import parse_keys, parse_reference
from searchengines.errors import Code, InvalidValue, SearchFailure

log = structlog.get_logger("agentteam.connections")


@dataclass(frozen=True, slots=True)
class StoredCredential:
    field: str
    kind: str
    envelope: bytes = dataclasses.field(repr=False)

    @property
    def takes_turns(self) -> bool:
        """Whether there may be several keys behind it."""
        return self.kind != Credential.Kind.KEY


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """One active connection as the database has it, with the options of its installation."""

    workspace_id: str
    installation_id: str
    connection_id: str
    revision: int
    config: Mapping[str, Any]
    options: Mapping[str, Any]
    cooling: rotation.Cooling
    credential: StoredCredential | None

    @property
    def takes_turns(self) -> bool:
        return self.credential is not None and self.credential.takes_turns


def stored_connections(installation: Installation) -> list[StoredConnection]:
    """An installation's active connections, at most two.

    One statement, so that the config of one save never meets the key of another.
    """
    rows = (
        Connection.objects.filter(installation=installation, active=True)
        .order_by("id")
        .values_list(
            "id",
            "revision",
            "config",
            "installation__engine_options__options",
            "cooling",
            "credentials__field",
            "credentials__kind",
            "credentials__envelope",
        )[:2]
    )
    return [
        StoredConnection(
            workspace_id=installation.workspace_id,
            installation_id=installation.id,
            connection_id=connection_id,
            revision=revision,
            config=config,
            options=options or {},
            cooling=cooling,
            credential=None if field_name is None else StoredCredential(field_name, kind, bytes(envelope)),
        )
        for connection_id, revision, config, options, cooling, field_name, kind, envelope in rows
    ]


def snapshot(engine: Engine, stored: StoredConnection, turn: int = 0) -> ConnectionSnapshot:
    """Decrypt, resolve and choose. ``turn`` counts the connection's calls (rotation).

    Raises `SearchFailure` provider_auth_unavailable when a credential is missing or unusable.
    """
    secrets: dict[str, Secret] = {}
    ordinal = None
    if engine.secret_fields:
        keys = _keys(engine, stored)
        chosen = rotation.choose(len(keys), turn, stored.cooling)
        ordinal = chosen if len(keys) > 1 else None
        secrets[engine.secret_fields[0].name] = Secret(keys[chosen - 1])
    return ConnectionSnapshot(
        target=target_of(engine, stored.config),
        config=stored.config,
        secrets=secrets,
        options=stored.options,
        pool=(stored.connection_id, stored.revision),
        key_ordinal=ordinal,
    )


def credential_place(workspace_id: str, installation_id: str, connection_id: str, field_name: str) -> tuple[str, ...]:
    """What a credential's envelope is bound to."""
    return (workspace_id, installation_id, connection_id, field_name)


def _keys(engine: Engine, stored: StoredConnection) -> list[str]:
    credential = stored.credential
    if credential is None:
        raise SearchFailure(Code.AUTH_UNAVAILABLE)
    place = credential_place(stored.workspace_id, stored.installation_id, stored.connection_id, credential.field)
    try:
        text = keyring().open(credential.envelope, place)
    except EnvelopeError as broken:
        log.error("credential does not open", connection=stored.connection_id, field=credential.field, why=str(broken))
        raise SearchFailure(Code.AUTH_UNAVAILABLE) from None
    return _parsed(stored, text)


def _parsed(stored: StoredConnection, text: str) -> list[str]:
    try:
        reference = parse_reference(text)
        if reference is not None:
            resolved = vault.resolve(stored.workspace_id, reference)
            if resolved is None:
                log.error("vault reference does not resolve", connection=stored.connection_id, vault=reference.backend)
                raise SearchFailure(Code.AUTH_UNAVAILABLE)
            text = resolved
        return parse_keys(text)
    except InvalidValue:
        log.error("stored credential is not usable", connection=stored.connection_id)
        raise SearchFailure(Code.AUTH_UNAVAILABLE) from None
