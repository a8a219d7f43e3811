"""The knowledge base's routes, documented."""

from typing import Any

from apps.knowledge.models import Document, EmbeddingModel
from apps.knowledge.reading.documents import MediaType
from apps.workspaces.api.documentation import (
    ADMINISTRATORS,
    BOOLEAN,
    INTEGER,
    PAGING,
    TEXT,
    TIME,
    Content,
    Documentation,
    Operation,
    Schema,
    Who,
    answer_of,
    body_of,
    named,
    nullable,
    one_of,
    page_of,
    ref,
    text,
)

AT = "2026-03-02T09:30:00Z"
MODELS = "/api/v1/workspaces/{workspaceId}/embedding-models"
STORES = "/api/v1/workspaces/{workspaceId}/embedding-stores"
DOCUMENTS = f"{STORES}/{{storeId}}/documents"
ID = text(128, description="Chosen by the caller; a new one when it is left out.")
KEY: Schema = {"type": "string", "minLength": 1, "maxLength": 1024, "writeOnly": True}
MEDIA_TYPE = one_of(*(kind.value for kind in MediaType))

SCHEMAS: dict[str, Schema] = {
    "EmbeddingModel": answer_of(
        {
            "id": TEXT,
            "kind": one_of(*(kind.value for kind in EmbeddingModel.Kind)),
            "baseUrl": nullable(TEXT),
            "model": TEXT,
            "dimension": nullable(INTEGER),
            "credentials": answer_of({"apiKey": answer_of({"configured": BOOLEAN})}),
            "createdAt": TIME,
        }
    ),
    "Reembedding": answer_of({"embeddingModel": TEXT, "done": INTEGER, "total": INTEGER}),
    "EmbeddingStore": answer_of(
        {
            "id": TEXT,
            "embeddingModel": TEXT,
            "dimension": nullable(INTEGER),
            "documents": answer_of({"total": INTEGER, "pending": INTEGER, "failed": INTEGER}),
            "passages": INTEGER,
            "reembedding": nullable(ref("Reembedding")),
            "notice": nullable(TEXT),
            "createdAt": TIME,
        }
    ),
    "Document": answer_of(
        {
            "id": TEXT,
            "name": TEXT,
            "mediaType": MEDIA_TYPE,
            "bytes": INTEGER,
            "contentHash": TEXT,
            "status": one_of(*(status.value for status in Document.Status)),
            "error": nullable(TEXT),
            "passages": INTEGER,
            "createdAt": TIME,
            "updatedAt": TIME,
        }
    ),
}

EXAMPLE_MODEL: dict[str, Any] = {
    "id": "handbook-model",
    "kind": "openai_compatible",
    "baseUrl": "https://embeddings.harbour.example/v1",
    "model": "bge-m3",
    "dimension": 1024,
    "credentials": {"apiKey": {"configured": True}},
    "createdAt": AT,
}
EXAMPLE_STORE: dict[str, Any] = {
    "id": "handbook",
    "embeddingModel": "handbook-model",
    "dimension": 1024,
    "documents": {"total": 12, "pending": 0, "failed": 0},
    "passages": 340,
    "reembedding": None,
    "notice": None,
    "createdAt": AT,
}
EXAMPLE_DOCUMENT: dict[str, Any] = {
    "id": "doc_8192a3b4c5d6e7f8",
    "name": "ferries.md",
    "mediaType": "text/markdown",
    "bytes": 4096,
    "contentHash": "sha256:9f2c…",
    "status": "pending",
    "error": None,
    "passages": 0,
    "createdAt": AT,
    "updatedAt": AT,
}
DOCUMENT_BODY = Content(
    body_of(
        {"name": text(200)},
        {
            "content": {**TEXT, "description": "The document as text; this or `contentBase64`."},
            "contentBase64": {**TEXT, "contentEncoding": "base64"},
            "mediaType": MEDIA_TYPE,
        },
    ),
    {"name": "ferries.md", "content": "# Ferries\n\nEvery hour."},
)


def _operation(
    id: str,
    method: str,
    path: str,
    summary: str,
    answers: dict[int, Content | None],
    *,
    body: Content | None = None,
    codes: tuple[str, ...] = (),
    note: str = "",
) -> Operation:
    return Operation(
        id,
        method,
        path,
        Who.PERSON,
        "Knowledge base",
        summary,
        answers,
        f"{ADMINISTRATORS} {note}".strip(),
        body=body,
        query=PAGING if id.startswith("list") else (),
        codes=codes,
    )


MODEL_OPERATIONS = (
    _operation(
        "listEmbeddingModels", "get", MODELS, "List embedding models", {200: page_of("EmbeddingModel", EXAMPLE_MODEL)}
    ),
    _operation(
        "createEmbeddingModel",
        "post",
        MODELS,
        "Add an embedding model",
        {201: named("EmbeddingModel", EXAMPLE_MODEL)},
        body=Content(
            body_of(
                {"kind": one_of(*(kind.value for kind in EmbeddingModel.Kind))},
                {"id": ID, "baseUrl": text(2048), "model": text(200), "apiKey": KEY},
            ),
            {
                "id": "handbook-model",
                "kind": "openai_compatible",
                "baseUrl": "https://embeddings.harbour.example/v1",
                "model": "bge-m3",
                "apiKey": "sk-…",
            },
        ),
        codes=("conflict", "unavailable"),
    ),
    _operation(
        "getEmbeddingModel",
        "get",
        f"{MODELS}/{{modelId}}",
        "One embedding model",
        {200: named("EmbeddingModel", EXAMPLE_MODEL)},
    ),
    _operation(
        "changeEmbeddingModel",
        "patch",
        f"{MODELS}/{{modelId}}",
        "Change where a model's server is, and the key for it",
        {200: named("EmbeddingModel", EXAMPLE_MODEL)},
        body=Content(body_of({}, {"baseUrl": text(2048), "apiKey": KEY}), {"apiKey": "sk-…"}),
        codes=("conflict", "unavailable"),
    ),
    _operation(
        "deleteEmbeddingModel",
        "delete",
        f"{MODELS}/{{modelId}}",
        "Delete an embedding model",
        {204: None},
        codes=("conflict",),
    ),
)

STORE_OPERATIONS = (
    _operation(
        "listEmbeddingStores", "get", STORES, "List embedding stores", {200: page_of("EmbeddingStore", EXAMPLE_STORE)}
    ),
    _operation(
        "createEmbeddingStore",
        "post",
        STORES,
        "Add an embedding store",
        {201: named("EmbeddingStore", EXAMPLE_STORE)},
        body=Content(
            body_of({"embeddingModel": text(128)}, {"id": ID}), {"id": "handbook", "embeddingModel": "handbook-model"}
        ),
        codes=("conflict",),
    ),
    _operation(
        "getEmbeddingStore",
        "get",
        f"{STORES}/{{storeId}}",
        "One embedding store",
        {200: named("EmbeddingStore", EXAMPLE_STORE)},
    ),
    _operation(
        "changeEmbeddingStore",
        "patch",
        f"{STORES}/{{storeId}}",
        "Move a store to another embedding model",
        {200: named("EmbeddingStore", EXAMPLE_STORE)},
        body=Content(body_of({"embeddingModel": text(128)}), {"embeddingModel": "handbook-model"}),
        codes=("conflict",),
        note="The old vectors serve until the new ones are there.",
    ),
    _operation(
        "deleteEmbeddingStore",
        "delete",
        f"{STORES}/{{storeId}}",
        "Delete a store with its documents",
        {204: None},
        codes=("conflict",),
    ),
    _operation("listDocuments", "get", DOCUMENTS, "List documents", {200: page_of("Document", EXAMPLE_DOCUMENT)}),
    _operation(
        "addDocument",
        "post",
        DOCUMENTS,
        "Add a document, or change the one of that name",
        {200: named("Document", EXAMPLE_DOCUMENT), 201: named("Document", EXAMPLE_DOCUMENT)},
        body=DOCUMENT_BODY,
        note="It is embedded in the background: see its `status`.",
    ),
    _operation(
        "getDocument",
        "get",
        f"{DOCUMENTS}/{{documentId}}",
        "One document",
        {200: named("Document", EXAMPLE_DOCUMENT)},
    ),
    _operation(
        "deleteDocument", "delete", f"{DOCUMENTS}/{{documentId}}", "Delete a document with its passages", {204: None}
    ),
)

DOCUMENTATION = Documentation(
    (*MODEL_OPERATIONS, *STORE_OPERATIONS),
    SCHEMAS,
    {
        "modelId": "Id of an embedding model.",
        "storeId": "Id of an embedding store.",
        "documentId": "Id of a document.",
    },
)
