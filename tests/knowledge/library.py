"""What a test of the knowledge base needs: a model, a store, the connected App and documents."""

from dataclasses import dataclass
from typing import Any

from apps.activity.models import AuditRow
from apps.knowledge.models import Document, DocumentSource, EmbeddingModel, EmbeddingStore, Passage
from apps.knowledge.services.documents import accept_document
from apps.knowledge.work import work_once
from apps.workspaces.audit import Actor
from apps.workspaces.services.tokens import issue_service_token
from tests.knowledge.embedding_server import EmbeddingServer
from tests.road import Road
from tests.workspaces.conftest import Caller, House

OPERATOR = Actor.operator("tests")
KEY = "canary-embedding-0000"
MODELS = (EmbeddingModel, EmbeddingStore, Document, DocumentSource, Passage, AuditRow)


@dataclass
class Library:
    """`server` embeds for the model `writer`; the store is called `handbook`."""

    road: Road
    server: EmbeddingServer

    @property
    def house(self) -> House:
        return self.road.house

    @property
    def path(self) -> str:
        return self.house.path

    @property
    def workspace_id(self) -> str:
        return self.house.workspace.id

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """As an administrator, inside the workspace."""
        return self.house.admin.api(method, f"{self.path}/{path}", body)

    def make_model(self, public_id: str = "writer", **members: Any) -> Any:
        body = {"id": public_id, "kind": "openai_compatible", "baseUrl": self.server.url, "model": "m", **members}
        response = self.api("POST", "embedding-models", body)
        assert response.status_code == 201, response.content
        return response.json()

    def make_store(self, public_id: str = "handbook", model: str = "writer") -> Any:
        response = self.api("POST", "embedding-stores", {"id": public_id, "embeddingModel": model})
        assert response.status_code == 201, response.content
        return response.json()

    def connect(self, store: str = "handbook", model: str = "writer", **config: str) -> str:
        """Install and connect; the installation's id."""
        installation_id = self.road.install("rag")
        body = {"config": {"embeddingStore": store, "embeddingModel": model, **config}}
        response = self.house.admin.api("PUT", self.road.connection_path(installation_id), body)
        assert response.status_code == 200, response.content
        return installation_id

    def upload(self, name: str, content: str, store: str = "handbook", **members: Any) -> Any:
        body = {"name": name, "content": content, **members}
        return self.api("POST", f"embedding-stores/{store}/documents", body)

    def add(self, name: str, content: str, store: str = "handbook") -> Document:
        """A document that is embedded when this returns, on either database."""
        accepted = accept_document(self.workspace_id, OPERATOR, store, name, content.encode())
        work_until_done()
        document = Document.objects.get(pk=accepted.document.pk)
        assert document.status == Document.Status.READY, document.error
        return document

    def search(self, query: str = "ferries", **members: Any) -> Any:
        return self.road.search("rag", query, **members)

    def service(self) -> Caller:
        token = issue_service_token(self.workspace_id, OPERATOR, name="reader", extensions=["rag"])
        return Caller(token.text)

    def store(self, public_id: str = "handbook") -> EmbeddingStore:
        return EmbeddingStore.objects.get(workspace_id=self.workspace_id, public_id=public_id)

    def titles(self, response: Any) -> list[str]:
        assert response.status_code == 200, response.content
        return [result["title"] for result in response.json()["results"]]


def work_until_done() -> None:
    """What the worker does, until nothing is due."""
    while work_once() is not None:
        pass


def state() -> dict[str, list[Any]]:
    """Every row of this room and the audit log."""
    return {
        model.__name__: [
            {name: str(value) for name, value in row.items()} for row in model.objects.order_by("pk").values()
        ]
        for model in MODELS
    }
