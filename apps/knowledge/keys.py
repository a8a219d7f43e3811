"""The keys of embedding models: sealed like a connection's credentials, opened for one call."""

import structlog

from apps.knowledge.models import EmbeddingModel
from apps.marketplace import vault
from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring
from apps.workspaces.errors import Problem
from searchengines.contract import Secret
from searchengines.credentials import VaultReference, clean_api_key, parse_keys, parse_reference
from searchengines.errors import Code, InvalidValue, SearchFailure

log = structlog.get_logger("agentteam.knowledge")

LOCAL_VAULT = "local"


def key_place(model: EmbeddingModel) -> tuple[str, str, str, str]:
    """What a model's envelope is bound to."""
    return (model.workspace_id, "embedding-model", model.id, "apiKey")


def clean_key(value: object) -> str:
    """The text to seal: one key, or a reference to a secret of the workspace. Raises `InvalidValue`."""
    text = clean_api_key(value)
    reference = parse_reference(text)
    if reference is None:
        if len(parse_keys(text)) > 1:
            raise InvalidValue("An embedding model takes one key.", "too_many")
    elif reference.backend != LOCAL_VAULT:
        # The server is of a tenant's choosing, and other vaults hold what is the deployment's.
        raise InvalidValue("Only references like ${vault://local/NAME} are taken here.", "vault_reference")
    return text


def seal(model: EmbeddingModel, text: str) -> None:
    """Put the key into the row, unsaved. Raises `Problem` unavailable."""
    try:
        ring = keyring()
    except EnvelopeError as broken:
        log.error("an embedding key cannot be encrypted", why=str(broken))
        raise Problem("unavailable", "Credentials cannot be stored now.") from None
    model.envelope, model.key_id = ring.seal(text, key_place(model)), ring.primary.id


def open_key(model: EmbeddingModel) -> Secret | None:
    """The key of this call; None when the model has none.

    Raises `SearchFailure` provider_auth_unavailable when it cannot be read or its reference leads nowhere.
    """
    if model.envelope is None:
        return None
    try:
        text = keyring().open(bytes(model.envelope), key_place(model))
        reference = parse_reference(text)
        if reference is not None:
            text = _resolved(model, reference)
        return Secret(parse_keys(text)[0])
    except (EnvelopeError, InvalidValue) as broken:
        log.error("embedding key is not usable", model=model.id, why=type(broken).__name__)
        raise SearchFailure(Code.AUTH_UNAVAILABLE) from None


def _resolved(model: EmbeddingModel, reference: VaultReference) -> str:
    text = vault.resolve(model.workspace_id, reference) if reference.backend == LOCAL_VAULT else None
    if text is None:
        log.error("vault reference does not resolve", model=model.id, vault=reference.backend)
        raise SearchFailure(Code.AUTH_UNAVAILABLE)
    return text
