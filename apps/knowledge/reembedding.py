"""The end of a store's move to another model: from one moment to the next the new vectors answer."""

from apps.knowledge.models import Document, EmbeddingStore, Passage
from apps.workspaces import audit

WORKER = audit.Actor.operator("knowledge worker")


def finish_if_done(store: EmbeddingStore) -> None:
    """Switch once every document that has passages has them for the next generation. Under the store's lock."""
    if store.next_model is None:
        return
    left = Document.objects.filter(store=store, passages__gt=0).exclude(generation=store.next_generation)
    if left.exists():
        return
    model = store.next_model
    store.model, store.next_model = model, None
    store.generation = store.next_generation
    store.revision += 1
    store.passages = Passage.objects.filter(store=store, generation=store.generation).count()
    store.save(update_fields=["model", "next_model", "generation", "revision", "passages"])
    Passage.objects.filter(store=store, generation__lt=store.generation).delete()
    audit.record(
        store.workspace_id,
        WORKER,
        "embedding_store.reembedded",
        "embedding_store",
        store.public_id,
        {"model": model.public_id, "passages": store.passages},
    )
