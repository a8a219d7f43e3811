"""Embedding stores of a workspace: made, moved to another model, and deleted with all they hold."""

from apps.knowledge import selectors
from apps.knowledge.inline import embed_inline
from apps.knowledge.locks import store_lock
from apps.knowledge.models import Document, EmbeddingModel, EmbeddingStore, Passage
from apps.knowledge.reembedding import finish_if_done
from apps.knowledge.services.models import clean_public_id
from apps.marketplace.locks import app_mutation_lock
from apps.workspaces import audit
from apps.workspaces.errors import Problem

TARGET = "embedding_store"


def create_store(workspace_id: str, actor: audit.Actor, model_id: str, public_id: str | None = None) -> EmbeddingStore:
    """``model_id`` is a model's public id. Raises `Problem`: invalid_input (also an unknown model), conflict."""
    problems: dict[str, str] = {}
    row = EmbeddingStore(workspace_id=workspace_id)
    row.public_id = clean_public_id(public_id, problems) or row.public_id
    with app_mutation_lock(workspace_id):
        model = _model(workspace_id, model_id, problems)
        if model is None or problems:
            raise Problem.invalid(problems)
        if selectors.find_store(workspace_id, row.public_id) is not None:
            raise Problem.conflict("An embedding store has this id already.")
        row.model = model
        row.save(force_insert=True)
        audit.record(workspace_id, actor, "embedding_store.created", TARGET, row.public_id, {"model": model.public_id})
    return selectors.store(workspace_id, row.public_id)


def change_store_model(workspace_id: str, actor: audit.Actor, public_id: str, model_id: str) -> EmbeddingStore:
    """Ask for the store's passages to be embedded with another model.

    Until every document is done, the vectors there are go on answering. Asking for the model that answers now ends
    a move that is under way. Raises `Problem`: not_found, invalid_input (an unknown model).
    """
    problems: dict[str, str] = {}
    found = selectors.store(workspace_id, public_id)
    model = _model(workspace_id, model_id, problems)
    if model is None:
        raise Problem.invalid(problems)
    with store_lock(found.id) as store:
        if store is None:
            raise Problem.not_found()
        wanted = store.next_model_id or store.model_id
        if model.id != wanted:
            _begin(store, model)
            audit.record(
                workspace_id, actor, "embedding_store.model_changed", TARGET, public_id, {"model": model.public_id}
            )
            finish_if_done(store)
    embed_inline(found.id)
    return selectors.store(workspace_id, public_id)


def delete_store(workspace_id: str, actor: audit.Actor, public_id: str) -> None:
    """With its documents and passages. Raises `Problem` not_found."""
    with app_mutation_lock(workspace_id):
        found = selectors.store(workspace_id, public_id)
        with store_lock(found.id) as store:
            if store is None:
                raise Problem.not_found()
            details = {"documents": store.documents.count(), "passages": store.passages}
            store.delete()
            audit.record(workspace_id, actor, "embedding_store.deleted", TARGET, public_id, details)


def _begin(store: EmbeddingStore, model: EmbeddingModel) -> None:
    # What an earlier move has done so far is of no use for this one.
    Passage.objects.filter(store=store, generation__gt=store.generation).delete()
    moved = Document.objects.filter(store=store, generation__gt=store.generation)
    moved.update(generation=store.generation)
    store.next_generation += 1
    store.next_model = None if model.id == store.model_id else model
    store.save(update_fields=["next_generation", "next_model"])


def _model(workspace_id: str, model_id: str, problems: dict[str, str]) -> EmbeddingModel | None:
    found = selectors.models(workspace_id).filter(public_id=model_id).first()
    if found is None:
        problems["embeddingModel"] = "There is no such embedding model in this workspace."
    return found
