"""How long a new token may live, as a form offers it."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.console.wording import Words
from apps.workspaces.errors import Problem

EXPIRIES: Mapping[str, Words] = {"": _("Never"), "30": _("In 30 days"), "90": _("In 90 days"), "365": _("In a year")}


def expires_at(days: str) -> datetime | None:
    """The moment a choice of `EXPIRIES` stands for. Raises `Problem` invalid_input for any other text."""
    if days not in EXPIRIES:
        raise Problem.invalid({"expires": "One of the choices."})
    return timezone.now() + timedelta(days=int(days)) if days else None
