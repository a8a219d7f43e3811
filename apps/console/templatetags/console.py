"""Small pieces that templates share."""

import json
import shlex
from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def code_spans(text: object) -> SafeString:
    """Text with what stands between backticks as code; everything else is escaped."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return mark_safe("`".join(parts))  # noqa: S308 - escaped above
    marked = [f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts)]
    return mark_safe("".join(marked))  # noqa: S308 - escaped above


@register.simple_tag
def exec_command(name: str) -> str:
    """A first call of an Extension for the command line."""
    body = json.dumps({"query": "harbour ferry timetable", "limit": 5}, separators=(",", ":"))
    return f"agentteam exec {shlex.quote(name)} search '{body}'"


@register.filter
def plain(value: object) -> str:
    """A value of an audit row's details as it is read."""
    return ", ".join(map(str, value)) if isinstance(value, list) else "–" if value in (None, "") else str(value)


@register.filter
def percent(part: float, whole: float) -> str:
    """``part`` of ``whole``, in per cent with at most one digit after the point."""
    return f"{100 * part / whole:.1f}".removesuffix(".0") + " %" if whole else "–"


@register.filter
def milliseconds(value: float | None) -> str:
    """Milliseconds below a second, else seconds."""
    if value is None:
        return "–"
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.2f} s"


@register.filter
def ago(moment: datetime) -> str:
    """How long ago, in words."""
    if timezone.now() - moment < timedelta(minutes=1):
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(moment).split(",")[0]}
