"""Embedding models of a workspace: made, given another address or key, and deleted."""

import re
from collections.abc import Callable

from django.db.models import Q

from apps.knowledge import selectors
from apps.knowledge.embedding import local
from apps.knowledge.embedding.addresses import clean_base_url
from apps.knowledge.embedding.failures import missing_extra
from apps.knowledge.keys import clean_key, seal
from apps.knowledge.models import EmbeddingModel, EmbeddingStore
from apps.marketplace.locks import app_mutation_lock
from apps.workspaces import audit
from apps.workspaces.errors import Problem
from searchengines.errors import InvalidValue

PUBLIC_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
TARGET = "embedding_model"


def create_model(
    workspace_id: str,
    actor: audit.Actor,
    *,
    kind: str,
    public_id: str | None = None,
    base_url: object = None,
    model: str | None = None,
    key: object = None,
) -> EmbeddingModel:
    """A local model takes nothing else; a server takes its base URL and the model's name there, and maybe a key.

    Raises `Problem`: invalid_input, conflict (the id is taken, or the extra for local models is not installed),
    unavailable.
    """
    problems: dict[str, str] = {}
    row = EmbeddingModel(workspace_id=workspace_id, kind=kind)
    row.public_id = clean_public_id(public_id, problems) or row.public_id
    text = None
    if kind == EmbeddingModel.Kind.LOCAL:
        _describe_local(row, base_url, model, key, problems)
    else:
        text = _describe_server(row, base_url, model, key, problems)
    if problems:
        raise Problem.invalid(problems)
    if kind == EmbeddingModel.Kind.LOCAL and not local.is_installed():
        raise Problem.conflict(missing_extra().message)
    with app_mutation_lock(workspace_id):
        if selectors.model_exists(workspace_id, row.public_id):
            raise Problem.conflict("An embedding model has this id already.")
        if text is not None:
            seal(row, text)
        row.save(force_insert=True)
        audit.record(workspace_id, actor, "embedding_model.created", TARGET, row.public_id, _described(row))
    return row


def change_model(
    workspace_id: str, actor: audit.Actor, public_id: str, *, base_url: object = None, key: object = None
) -> EmbeddingModel:
    """Another address, another key, or both; None leaves what is stored.

    What the model is called at its server stays, because stored vectors are of that model. A changed address asks for
    the key again: otherwise whoever may change it could have the key sent anywhere. Raises `Problem`: not_found,
    invalid_input, conflict (a local model has neither), unavailable.
    """
    with app_mutation_lock(workspace_id):
        row = selectors.model(workspace_id, public_id)
        if row.kind == EmbeddingModel.Kind.LOCAL:
            raise Problem.conflict("A local model has no address and no key.")
        problems: dict[str, str] = {}
        url = _clean(clean_base_url, "baseUrl", base_url, problems) if base_url is not None else row.base_url
        text = _clean(clean_key, "apiKey", key, problems) if key is not None else None
        if not problems and url != row.base_url and row.envelope is not None and text is None:
            problems["apiKey"] = "The base URL changes, so the key must be given again."
        if problems:
            raise Problem.invalid(problems)
        row.base_url = url or row.base_url
        if text is not None:
            seal(row, text)
        row.revision += 1
        row.save(update_fields=["base_url", "envelope", "key_id", "revision", "updated_at"])
        changed = {**_described(row), "key_changed": text is not None}
        audit.record(workspace_id, actor, "embedding_model.changed", TARGET, row.public_id, changed)
    return row


def delete_model(workspace_id: str, actor: audit.Actor, public_id: str) -> None:
    """Raises `Problem`: not_found, conflict while a store is bound to it."""
    with app_mutation_lock(workspace_id):
        row = selectors.model(workspace_id, public_id)
        if EmbeddingStore.objects.filter(Q(model=row) | Q(next_model=row)).exists():
            raise Problem.conflict("A store uses this model. Delete the store or give it another model first.")
        row.delete()
        audit.record(workspace_id, actor, "embedding_model.deleted", TARGET, public_id)


def clean_public_id(value: str | None, problems: dict[str, str]) -> str | None:
    """An id as the caller gave it; None when it gave none. What is wrong goes to `problems`."""
    if value is not None and not PUBLIC_ID.fullmatch(value):
        problems["id"] = "1 to 128 letters, digits, dots, underscores, colons and hyphens."
    return value


def _describe_local(
    row: EmbeddingModel, base_url: object, model: str | None, key: object, problems: dict[str, str]
) -> None:
    row.model, row.dimension = local.NAME, local.DIMENSION
    for name, value in (("baseUrl", base_url), ("apiKey", key)):
        if value is not None:
            problems[name] = "A local model takes none."
    if model not in (None, local.NAME):
        problems["model"] = f"The local model is {local.NAME}."


def _describe_server(
    row: EmbeddingModel, base_url: object, model: str | None, key: object, problems: dict[str, str]
) -> str | None:
    row.base_url = _clean(clean_base_url, "baseUrl", base_url, problems) or ""
    if model is None:
        problems["model"] = "Required: what the model is called at its server."
    row.model = model or ""
    return None if key is None else _clean(clean_key, "apiKey", key, problems)


def _clean(clean: Callable[[object], str], name: str, value: object, problems: dict[str, str]) -> str | None:
    try:
        return clean(value)
    except InvalidValue as wrong:
        problems[name] = wrong.message
        return None


def _described(row: EmbeddingModel) -> dict[str, object]:
    return {"kind": row.kind, "base_url": row.base_url, "model": row.model, "key": row.envelope is not None}
