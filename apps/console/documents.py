"""One embedding store: its documents with their progress, its model, and a query to try."""

import time
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from rest_framework.request import Request

from apps.console.base import Confirmation
from apps.console.knowledge import StoreMixin
from apps.console.wording import advice, problem_words
from apps.knowledge import executor, selectors
from apps.knowledge.api.bodies import DOCUMENT_BODY, STORE_CHANGE_BODY, clean_upload
from apps.knowledge.inline import embed_inline
from apps.knowledge.models import Document
from apps.knowledge.reading.documents import max_file_bytes
from apps.knowledge.reading.refusals import Unreadable
from apps.knowledge.services import documents, stores
from apps.marketplace import selectors as marketplace
from apps.marketplace.models import Installation
from apps.workspaces.api.pagination import paginate
from apps.workspaces.errors import Problem
from extensions.administrator import search_as_administrator
from searchengines.contract import SearchQuery
from searchengines.errors import SearchFailure
from searchengines.knowledge_base import KnowledgeBase

FILES_AT_ONCE = 50
TRIED_PASSAGES = 10
QUERY_CHARACTERS = 512


class StorePage(StoreMixin):
    def context(self) -> dict[str, Any]:
        return {
            **super().context(),
            "store": self.store,
            "notice": selectors.notice_of(self.store),
            "moving": selectors.reembedding_of(self.store),
            "models": selectors.models(self.workspace.id).order_by("public_id"),
            "connected": self.connected() is not None,
            "app_slug": KnowledgeBase.slug,
            "largest": max_file_bytes() // 2**20,
            **self.listed(),
        }

    def listed(self) -> dict[str, Any]:
        """One page of documents; ``waiting`` says that some are still being read."""
        rows = selectors.documents(self.workspace.id, self.store.public_id)
        page = paginate(rows, Request(self.request), lambda row: {"row": row}, newest_first=True)
        total: int = self.store.document_count  # type: ignore[attr-defined]
        waiting: int = self.store.pending_count  # type: ignore[attr-defined]
        return {
            "documents": [item["row"] for item in page["items"]],
            "next": page["next"],
            "waiting": waiting,
            "read": total - waiting,
        }

    def connected(self) -> Installation | None:
        """The installation whose connection names this store."""
        for installation in marketplace.installations(self.workspace.id).filter(app_id=KnowledgeBase.app_id):
            connection = marketplace.connection_of(installation)
            if connection is not None and connection.config.get("embeddingStore") == self.store.public_id:
                return installation
        return None


class Store(StorePage):
    def get(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        return self.page("knowledge/store")


class Documents(StorePage):
    """Reads files or a text into the store; GET is the list alone, asked for while documents are being read."""

    def get(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        if not request.headers.get("HX-Request"):
            return HttpResponseRedirect(reverse("console:store", args=self.place))
        return render(request, "console/knowledge/documents.html", self.context())

    def post(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        files = request.FILES.getlist("files")[:FILES_AT_ONCE]
        content = request.POST.get("content", "")
        try:
            if content.strip():
                self.accept_text(request.POST.get("name", ""), content)
            elif not files:
                raise Problem.invalid({"files": _("Choose a file, or enter a name and a text.")})
        except Problem as problem:
            typed = {"name": request.POST.get("name", ""), "content": content}
            return self.refused("knowledge/store", problem, typed=typed)
        for file in files:
            self.accept_file(file)
        # One share of time for all of them; what is left over goes on being read later.
        embed_inline(self.store.id)
        return HttpResponseRedirect(reverse("console:store", args=self.place))

    def accept_text(self, name: str, content: str) -> None:
        upload = clean_upload({"name": name, "content": content})
        try:
            documents.accept_document(
                self.workspace.id, self.actor, self.store.public_id, upload.name, upload.data, upload.media_type
            )
        except Unreadable as refused:
            raise Problem.invalid({"content": refused.message}) from None
        messages.success(self.request, _("%(name)s is being read.") % {"name": upload.name})

    def accept_file(self, file: "UploadedFile[Any]") -> None:
        """What is wrong with one file does not keep the others out."""
        shown = (file.name or "")[:200]
        try:
            name = DOCUMENT_BODY.clean({"name": shown})["name"]
            if (file.size or 0) > max_file_bytes():
                raise Problem.payload_too_large()
            accepted = documents.accept_document(self.workspace.id, self.actor, self.store.public_id, name, file.read())
        except Unreadable as refused:
            messages.error(self.request, f"{shown}: {refused.message}")
        except Problem as problem:
            messages.error(self.request, f"{shown}: {problem_words(problem)}")
        else:
            unchanged = accepted.outcome is documents.Outcome.UNCHANGED
            message = _("%(name)s is there already, unchanged.") if unchanged else _("%(name)s is being read.")
            messages.success(self.request, message % {"name": name})


class DeleteDocument(StorePage, Confirmation):
    title = gettext_lazy("Delete a document")
    action = gettext_lazy("Delete")

    def question(self) -> Mapping[str, Any]:
        found: Document = selectors.document(self.workspace.id, self.store.public_id, self.kwargs["document_id"])
        return {
            "subject": found.name,
            "losses": [
                ngettext(
                    "Its one passage is no longer found.", "Its %d passages are no longer found.", found.passages
                ).replace("%d", str(found.passages))
            ],
            "back": reverse("console:store", args=self.place),
        }

    def post(self, request: HttpRequest, workspace_id: str, store_id: str, document_id: str) -> HttpResponse:
        try:
            documents.delete_document(self.workspace.id, self.actor, self.store.public_id, document_id)
        except Problem as problem:
            return self.not_done(problem, "store", *self.place)
        return self.done(_("The document is deleted."), "store", *self.place)


class MoveStore(StorePage):
    """Has the store's passages embedded with another model."""

    def post(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        try:
            wanted = STORE_CHANGE_BODY.clean({"embeddingModel": request.POST.get("embeddingModel", "")})
            stores.change_store_model(self.workspace.id, self.actor, self.store.public_id, wanted["embeddingModel"])
        except Problem as problem:
            return self.not_done(problem, "store", *self.place)
        return self.done(_("The store's model is set."), "store", *self.place)


class TryStore(StorePage):
    """A query with the scores of what is found, also below the similarity that agents are given."""

    def post(self, request: HttpRequest, workspace_id: str, store_id: str) -> HttpResponse:
        text = " ".join(request.POST.get("query", "").split())
        tried: dict[str, Any] = {"query": text}
        installation = self.connected()
        started = time.monotonic()
        try:
            if installation is None:
                raise Problem.conflict(_("Connect the App to this store first."))
            if not 1 <= len(text) <= QUERY_CHARACTERS:
                raise Problem.invalid({"query": _("Text of 1 to %d characters.") % QUERY_CHARACTERS})
            query = SearchQuery(text, max_results=TRIED_PASSAGES, min_score=0.0)
            tried["answer"] = search_as_administrator(self.workspace.id, installation.id, query, self.actor)
            tried["lowest"] = executor.min_score(marketplace.options_of(installation), SearchQuery(text))  # type: ignore[arg-type]
        except SearchFailure as failure:
            tried["advice"] = advice(failure.code.value, failure.reason.value if failure.reason is not None else "")
        except Problem as problem:
            return self.refused("knowledge/store", problem, tried=tried)
        tried["seconds"] = time.monotonic() - started
        if request.headers.get("HX-Request"):
            return render(request, "console/knowledge/tried.html", {"tried": tried})
        return self.page("knowledge/store", tried=tried)
