"""Limits of our own (contract section 8)."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from apps.activity.limits import parse_rate

RATES = ("AGENTTEAM_EXEC_RATE", "AGENTTEAM_TEST_RATE", "AGENTTEAM_SIGNIN_RATE")
# The smallest value that still leaves room for an answer without results.
SMALLEST = {
    "EXTENSION_MAX_RESPONSE_BYTES": 1024,
    "AGENTTEAM_CALLS_IN_FLIGHT": 0,
    "AGENTTEAM_KNOWLEDGE_MEMORY_MIB": 1,
    "AGENTTEAM_KNOWLEDGE_UPLOAD_MIB": 1,
}


@register()
def check_rates(app_configs: Any, **options: Any) -> list[CheckMessage]:
    wrong: list[CheckMessage] = []
    for name in RATES:
        try:
            parse_rate(getattr(settings, name))
        except ValueError as error:
            wrong.append(Error(f"{name}: {error}.", id="agentteam.E002"))
    return wrong


@register()
def check_sizes(app_configs: Any, **options: Any) -> list[CheckMessage]:
    return [
        Error(f"{name} must be at least {smallest}.", id="agentteam.E006")
        for name, smallest in SMALLEST.items()
        if getattr(settings, name) < smallest
    ]
