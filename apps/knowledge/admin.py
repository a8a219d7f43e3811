"""Operators' view, read-only: the services change these rows. No envelope and no vector is in any of the fields."""

from django.contrib import admin

from apps.knowledge.models import Document, DocumentSource, EmbeddingModel, EmbeddingStore, Passage
from apps.workspaces.admin import ReadOnlyAdmin


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "workspace", "kind", "model", "base_url", "dimension", "has_key", "created_at")
    list_filter = ("kind", "created_at")
    list_select_related = ("workspace",)
    search_fields = ("public_id", "model", "base_url", "workspace__name")
    fields = ("id", "public_id", "workspace", "kind", "model", "base_url", "dimension", "has_key", "key_id")

    @admin.display(boolean=True, description="key")
    def has_key(self, row: EmbeddingModel) -> bool:
        return row.envelope is not None


@admin.register(EmbeddingStore)
class EmbeddingStoreAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "workspace", "model", "next_model", "passages", "created_at")
    list_filter = ("created_at",)
    list_select_related = ("workspace", "model", "next_model")
    search_fields = ("public_id", "workspace__name", "model__public_id")
    fields = (
        "id",
        "public_id",
        "workspace",
        "model",
        "next_model",
        "generation",
        "next_generation",
        "revision",
        "passages",
        "created_at",
    )


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ("name", "store", "status", "passages", "size", "attempts", "due_at", "updated_at")
    list_filter = ("status", "media_type")
    list_select_related = ("store",)
    search_fields = ("name", "id", "store__public_id")
    fields = (
        "id",
        "name",
        "store",
        "media_type",
        "size",
        "content_hash",
        "status",
        "error",
        "attempts",
        "generation",
        "passages",
        "due_at",
        "created_at",
        "updated_at",
    )


@admin.register(DocumentSource)
class DocumentSourceAdmin(ReadOnlyAdmin):
    """Documents that wait to be embedded."""

    list_display = ("document", "store", "status")
    list_filter = ("document__status",)
    list_select_related = ("document__store",)
    search_fields = ("document__id", "document__name", "document__store__public_id")
    fields = list_display

    @admin.display(ordering="document__store")
    def store(self, source: DocumentSource) -> str:
        return str(source.document.store)

    @admin.display(ordering="document__status")
    def status(self, source: DocumentSource) -> str:
        return source.document.status


@admin.register(Passage)
class PassageAdmin(ReadOnlyAdmin):
    list_display = ("title", "store", "generation")
    list_select_related = ("store",)
    search_fields = ("title", "store__public_id")
    show_full_result_count = False
    fields = ("title", "store", "document", "generation", "ordinal", "text")
