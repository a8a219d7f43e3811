"""The knowledge base: embedding models and stores of a workspace."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.base import AdministratorPage, Confirmation
from apps.knowledge import selectors
from apps.knowledge.api.bodies import MODEL_BODY, MODEL_CHANGE_BODY, STORE_BODY, described_model
from apps.knowledge.models import EmbeddingModel, EmbeddingStore
from apps.knowledge.services import models, stores
from apps.workspaces.errors import Problem

MODEL_MEMBERS = ("kind", "id", "baseUrl", "model", "apiKey")


class KnowledgeBase(AdministratorPage):
    """Stores and models, and the forms that make them."""

    section = "knowledge"

    def context(self) -> dict[str, Any]:
        rows = selectors.stores(self.workspace.id).order_by("public_id")
        return {
            **super().context(),
            "stores": [(row, selectors.notice_of(row)) for row in rows],
            "models": selectors.models(self.workspace.id).order_by("public_id"),
            "kinds": EmbeddingModel.Kind,
        }

    def get(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        return self.page("knowledge/overview")


class NewModel(KnowledgeBase):
    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        typed = _typed(request, MODEL_MEMBERS)
        try:
            values = MODEL_BODY.clean(typed)
            row = models.create_model(self.workspace.id, self.actor, **described_model(values))
        except Problem as problem:
            typed.pop("apiKey", None)
            return self.refused("knowledge/overview", problem, typed_model=typed, wrong_form="model")
        return self.done(_("The model %(name)s is added.") % {"name": row.public_id}, "knowledge", self.workspace.id)


class NewStore(KnowledgeBase):
    def post(self, request: HttpRequest, workspace_id: str) -> HttpResponse:
        typed = _typed(request, ("id", "embeddingModel"))
        try:
            values = STORE_BODY.clean(typed)
            row = stores.create_store(self.workspace.id, self.actor, values["embeddingModel"], values.get("id"))
        except Problem as problem:
            return self.refused("knowledge/overview", problem, typed_store=typed, wrong_form="store")
        message = _("The store is there. Give it documents.")
        return self.done(message, "store", self.workspace.id, row.public_id)


class ModelMixin(AdministratorPage):
    """Pages of the model of the path's id."""

    section = "knowledge"
    model: EmbeddingModel

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        self.model = selectors.model(self.workspace.id, kwargs["model_id"])

    def context(self) -> dict[str, Any]:
        return {**super().context(), "model": self.model}


class ChangeModel(ModelMixin):
    """Another address or key of a model's server; a blank key keeps the stored one."""

    def get(self, request: HttpRequest, workspace_id: str, model_id: str) -> HttpResponse:
        return self.page("knowledge/model", typed={"baseUrl": self.model.base_url})

    def post(self, request: HttpRequest, workspace_id: str, model_id: str) -> HttpResponse:
        typed = _typed(request, ("baseUrl", "apiKey"))
        try:
            values = MODEL_CHANGE_BODY.clean(typed)
            models.change_model(
                self.workspace.id, self.actor, model_id, base_url=values.get("baseUrl"), key=values.get("apiKey")
            )
        except Problem as problem:
            typed.pop("apiKey", None)
            return self.refused("knowledge/model", problem, typed=typed)
        return self.done(_("The model is changed."), "knowledge", self.workspace.id)


class DeleteModel(ModelMixin, Confirmation):
    title = gettext_lazy("Delete a model")
    action = gettext_lazy("Delete")

    def question(self) -> Mapping[str, Any]:
        return {
            "subject": self.model.public_id,
            "losses": [_("Its address and its stored key are forgotten.")],
            "back": reverse("console:knowledge", args=[self.workspace.id]),
        }

    def post(self, request: HttpRequest, workspace_id: str, model_id: str) -> HttpResponse:
        try:
            models.delete_model(self.workspace.id, self.actor, model_id)
        except Problem as problem:
            return self.not_done(problem, "knowledge", self.workspace.id)
        return self.done(_("The model is deleted."), "knowledge", self.workspace.id)


class StoreMixin(AdministratorPage):
    """Pages of the store of the path's id."""

    section = "knowledge"
    store: EmbeddingStore

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        self.store = selectors.store(self.workspace.id, kwargs["store_id"])

    @property
    def place(self) -> tuple[str, str]:
        return (self.workspace.id, self.store.public_id)


class DeleteStore(StoreMixin, Confirmation):
    title = gettext_lazy("Delete a store")
    action = gettext_lazy("Delete")

    def question(self) -> Mapping[str, Any]:
        documents: int = self.store.document_count  # type: ignore[attr-defined]
        return {
            "subject": self.store.public_id,
            "losses": [
                _("Everything in it is deleted. Documents: %(documents)d, passages: %(passages)d.")
                % {"documents": documents, "passages": self.store.passages},
                _("An App that is connected to it finds nothing any more."),
            ],
            "back": reverse("console:store", args=self.place),
        }

    def post(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        stores.delete_store(self.workspace.id, self.actor, self.store.public_id)
        return self.done(_("The store is deleted."), "knowledge", self.workspace.id)


def _typed(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    """The members that were filled in."""
    values = {name: request.POST.get(name, "").strip() for name in names}
    return {name: value for name, value in values.items() if value}
