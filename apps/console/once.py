"""A form that makes something new does so once, however often it is sent."""

import secrets

from django.utils.translation import gettext as _

from apps.activity.counters import Tick, count
from apps.workspaces.errors import Problem
from apps.workspaces.models import User

HOUR = 3600
LARGEST = 2**40


def new_number() -> int:
    """For a hidden field `once` of a form."""
    return secrets.randbelow(LARGEST) + 1


def require_first(person: User, text: str) -> None:
    """Raises `Problem` conflict when this person's last form of this kind had the same number.

    Counted like a limit whose window is the form's number: one row a person, exact across processes.
    """
    if not (text.isascii() and text.isdigit() and 0 < int(text[:14]) <= LARGEST):
        raise Problem.invalid(message=_("This form is incomplete. Load the page again."))
    if count([Tick(f"form:{person.id}", HOUR)], now=int(text[:14]) * HOUR)[0] > 1:
        raise Problem.conflict(_("This form was sent already, and did its work once. Look at the list below."))
