"""An App as the pages show it: its state, what it needs and the one next step, in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from apps.console.wording import NEEDS, STATES, Words
from apps.marketplace.api.shapes import icon_of
from apps.marketplace.selectors import ListedApp, State
from searchengines.contract import Needs

INSTALLED = frozenset({State.NEEDS_SETUP, State.CONNECTED, State.ATTENTION})
# What is waiting to be done stands out; what could be done is offered.
NEXT, OFFERED = "next", "tonal"
STARTERS = (Needs.NOTHING, Needs.SELF_HOSTED, Needs.API_KEY)


@dataclass(frozen=True, slots=True)
class Step:
    """The one button of a card. ``posts``: it changes something, so it is a form. ``weight`` is a class."""

    label: Words
    url: str
    posts: bool = False
    weight: str = "quiet"


@dataclass(frozen=True, slots=True)
class Card:
    listed: ListedApp
    step: Step

    @property
    def name(self) -> str:
        return self.listed.app.display_name

    @property
    def slug(self) -> str:
        return self.listed.app.slug

    @property
    def description(self) -> str:
        return self.listed.app.description

    @property
    def icon(self) -> str:
        return icon_of(self.listed.app)

    @property
    def is_custom(self) -> bool:
        return self.listed.engine is None

    @property
    def state(self) -> str:
        return self.listed.state.value

    @property
    def state_words(self) -> Words:
        # A custom App has nothing to connect.
        if self.is_custom and self.listed.installation is not None and self.listed.state is State.NEEDS_SETUP:
            return _("Installed")
        return STATES[self.listed.state]

    @property
    def needs_words(self) -> Words:
        return _("Custom App") if self.is_custom else NEEDS[Needs(self.listed.needs)]


def card(workspace_id: str, listed: ListedApp, manages: bool) -> Card:
    return Card(listed, _step(workspace_id, listed, manages))


def starters(cards: Iterable[Card]) -> list[Card]:
    """One App for each way to start: without a key, with an instance of one's own, with a key."""
    ready = [item for item in cards if item.listed.state is State.NOT_INSTALLED and not item.is_custom]
    first = (next((item for item in ready if item.listed.needs == needs), None) for needs in STARTERS)
    return [item for item in first if item is not None]


def _step(workspace_id: str, listed: ListedApp, manages: bool) -> Step:
    place = [workspace_id, listed.app.slug]
    app_url = reverse("console:app", args=place)
    if listed.state is State.NOT_INSTALLED or (listed.state is State.REQUESTED and manages):
        if manages:
            return Step(_("Install"), reverse("console:install", args=place), posts=True, weight=OFFERED)
        return Step(_("Request"), reverse("console:request", args=place), weight=OFFERED)
    if not manages or listed.state in (State.REQUESTED, State.UNAVAILABLE):
        return Step(_("View"), app_url)
    if listed.state is State.NEEDS_SETUP and listed.engine is not None:
        return Step(_("Set up"), app_url, weight=NEXT)
    return Step(_("Manage"), app_url)
