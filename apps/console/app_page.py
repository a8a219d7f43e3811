"""Base views of the pages of one App."""

from typing import Any, ClassVar

from django.http import HttpRequest

from apps.console.base import AdministratorPage, WorkspacePage
from apps.console.cards import Card, card
from apps.marketplace import selectors
from apps.marketplace.api.shapes import definition_shape
from apps.marketplace.models import ExtensionSelection, Installation
from apps.marketplace.selectors import ListedApp
from apps.workspaces.errors import Problem
from searchengines.contract import Engine


class AppPage(WorkspacePage):
    """A page of the App of the path's slug, with what every page of an App shows beside its own subject."""

    section = "marketplace"
    tab: ClassVar[str] = ""
    listed: ListedApp

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        self.listed = selectors.listed_app(self.workspace.id, kwargs["slug"])

    @property
    def place(self) -> tuple[str, str]:
        """The arguments of this App's routes."""
        return (self.workspace.id, self.listed.app.slug)

    @property
    def card(self) -> Card:
        return card(self.workspace.id, self.listed, self.manages)

    @property
    def selection(self) -> ExtensionSelection | None:
        return selectors.selection_of(self.listed.installation) if self.listed.installation is not None else None

    def context(self) -> dict[str, Any]:
        listed, selection = self.listed, self.selection
        return {
            **super().context(),
            "card": self.card,
            "engine": listed.engine,
            "installation": listed.installation,
            "tab": self.tab,
            "selection": selection,
            "extension_name": selection.name if selection is not None else listed.app.slug,
            "definition": definition_shape(listed.app.id) if listed.engine is not None else None,
            "connected": listed.installation is not None and selectors.connection_of(listed.installation) is not None,
        }


class InstalledAppPage(AppPage, AdministratorPage):
    """For administrators, of an installed Product App; any other App has no such page."""

    installation: Installation
    engine: Engine

    def prepare(self, request: HttpRequest, **kwargs: str) -> None:
        super().prepare(request, **kwargs)
        if self.listed.installation is None or self.listed.engine is None:
            raise Problem.not_found()
        self.installation, self.engine = self.listed.installation, self.listed.engine
