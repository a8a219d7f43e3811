"""Embedding models, embedding stores and their documents, for owners and administrators."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.knowledge import selectors
from apps.knowledge.api.bodies import (
    MODEL_BODY,
    MODEL_CHANGE_BODY,
    STORE_BODY,
    STORE_CHANGE_BODY,
    DocumentJSONParser,
    clean_upload,
    described_model,
)
from apps.knowledge.api.shapes import document_shape, model_shape, store_shape
from apps.knowledge.reading.refusals import Unreadable
from apps.knowledge.services import documents, models, stores
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.roles import Role


class ModelList(WorkspaceView):
    """The workspace's embedding models."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.models(self.workspace.id), request, model_shape))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = MODEL_BODY.clean(request.data)
        row = models.create_model(self.workspace.id, self.actor, **described_model(values))
        return Response(model_shape(row), status=status.HTTP_201_CREATED)


class ModelDetail(WorkspaceView):
    """One embedding model; PATCH changes where its server is and the key for it."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, model_id: str) -> Response:
        return Response(model_shape(selectors.model(self.workspace.id, model_id)))

    def patch(self, request: Request, workspace_id: str, model_id: str) -> Response:
        # The object comes before the input (contract section 3).
        selectors.model(self.workspace.id, model_id)
        values = MODEL_CHANGE_BODY.clean(request.data)
        row = models.change_model(
            self.workspace.id, self.actor, model_id, base_url=values.get("baseUrl"), key=values.get("apiKey")
        )
        return Response(model_shape(row))

    def delete(self, request: Request, workspace_id: str, model_id: str) -> Response:
        models.delete_model(self.workspace.id, self.actor, model_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class StoreList(WorkspaceView):
    """The workspace's embedding stores."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.stores(self.workspace.id), request, store_shape))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = STORE_BODY.clean(request.data)
        row = stores.create_store(self.workspace.id, self.actor, values["embeddingModel"], values.get("id"))
        return Response(store_shape(row), status=status.HTTP_201_CREATED)


class StoreDetail(WorkspaceView):
    """One embedding store; PATCH moves it to another model, DELETE takes its documents along."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, store_id: str) -> Response:
        return Response(store_shape(selectors.store(self.workspace.id, store_id)))

    def patch(self, request: Request, workspace_id: str, store_id: str) -> Response:
        selectors.store(self.workspace.id, store_id)
        values = STORE_CHANGE_BODY.clean(request.data)
        row = stores.change_store_model(self.workspace.id, self.actor, store_id, values["embeddingModel"])
        return Response(store_shape(row))

    def delete(self, request: Request, workspace_id: str, store_id: str) -> Response:
        stores.delete_store(self.workspace.id, self.actor, store_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DocumentList(WorkspaceView):
    """The documents of a store; POST adds one, or changes the one of that name."""

    minimum_role = Role.ADMIN
    parser_classes = (DocumentJSONParser,)

    def get(self, request: Request, workspace_id: str, store_id: str) -> Response:
        return Response(paginate(selectors.documents(self.workspace.id, store_id), request, document_shape))

    def post(self, request: Request, workspace_id: str, store_id: str) -> Response:
        selectors.store(self.workspace.id, store_id)
        upload = clean_upload(request.data)
        try:
            accepted = documents.add_document(
                self.workspace.id, self.actor, store_id, upload.name, upload.data, upload.media_type
            )
        except Unreadable as refused:
            raise Problem.invalid({"content": refused.message}) from None
        added = accepted.outcome is documents.Outcome.ADDED
        code = status.HTTP_201_CREATED if added else status.HTTP_200_OK
        return Response(document_shape(accepted.document), status=code)


class DocumentDetail(WorkspaceView):
    """One document; DELETE takes its passages along."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, store_id: str, document_id: str) -> Response:
        return Response(document_shape(selectors.document(self.workspace.id, store_id, document_id)))

    def delete(self, request: Request, workspace_id: str, store_id: str, document_id: str) -> Response:
        documents.delete_document(self.workspace.id, self.actor, store_id, document_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
