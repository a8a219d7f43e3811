"""System checks of what is served: Definitions, pins, limits and keys. Each names what is wrong and how to mend it."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from apps.activity.limits import parse_rate
from apps.marketplace import envelope, keyring, origins, vault

RATES = ("AGENTTEAM_EXEC_RATE", "AGENTTEAM_TEST_RATE", "AGENTTEAM_SIGNIN_RATE")


@register(Tags.security)
def check_master_key(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """A missing key is allowed while developing; a malformed one never is (contract section 8)."""
    try:
        keyring.keyring()
    except envelope.MissingKey:
        return []
    except envelope.MalformedKey:
        return [Error(f"{_malformed_variable()} is not base64 of 32 bytes.", id="agentteam.E001")]
    return []


def _malformed_variable() -> str:
    try:
        envelope.MasterKey.parse(getattr(settings, keyring.PRIMARY))
    except envelope.MalformedKey:
        return keyring.PRIMARY
    return keyring.PREVIOUS


@register()
def check_rates(app_configs: Any, **options: Any) -> list[CheckMessage]:
    wrong = []
    for name in RATES:
        try:
            parse_rate(getattr(settings, name))
        except ValueError as error:
            wrong.append(Error(f"{name}: {error}.", id="agentteam.E002"))
    return wrong


@register(Tags.security)
def check_origins(app_configs: Any, **options: Any) -> list[CheckMessage]:
    problems = {slug: origins.origin_problem(origin) for slug, origin in settings.AGENTTEAM_SEARCH_ORIGINS.items()}
    return [
        Error(f"AGENTTEAM_SEARCH_ORIGIN_{slug.upper()} {problem}.", id="agentteam.E003")
        for slug, problem in problems.items()
        if problem is not None
    ]


@register(Tags.security)
def check_vault_backends(app_configs: Any, **options: Any) -> list[CheckMessage]:
    problem = vault.backends_problem()
    return [] if problem is None else [Error(f"AGENTTEAM_VAULT_BACKENDS {problem}.", id="agentteam.E004")]
