"""What the processes stand on: database pool, Redis, logs, and booleans that can be read."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from redis.connection import parse_url

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
FORMS = ("json", "console")


@register()
def check_redis(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Without this, the first call would fail, and only then."""
    if settings.REDIS_URL:
        try:
            parse_url(settings.REDIS_URL)  # type: ignore[no-untyped-call]
        except ValueError:
            return [Error("REDIS_URL is not redis://, rediss:// or unix:// with an address.", id="agentteam.E007")]
    return []


@register()
def check_pool(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """PostgreSQL alone has a pool."""
    pool = settings.DATABASES["default"].get("OPTIONS", {}).get("pool")
    if not isinstance(pool, dict):
        return []
    least = {
        "AGENTTEAM_DB_POOL_MIN": (pool["min_size"], 0, "0"),
        "AGENTTEAM_DB_POOL_MAX": (pool["max_size"], max(1, pool["min_size"]), "1 and AGENTTEAM_DB_POOL_MIN"),
        "AGENTTEAM_DB_POOL_TIMEOUT": (pool["timeout"], 1, "1"),
    }
    return [
        Error(f"{name} must be at least {words}.", id="agentteam.E008")
        for name, (value, smallest, words) in least.items()
        if value < smallest
    ]


@register()
def check_logs(app_configs: Any, **options: Any) -> list[CheckMessage]:
    allowed = {"AGENTTEAM_LOG_LEVEL": LEVELS, "AGENTTEAM_LOG_FORMAT": FORMS}
    return [
        Error(f"{name} is none of {', '.join(words)}.", id="agentteam.E009")
        for name, words in allowed.items()
        if getattr(settings, name) not in words
    ]


@register(Tags.security)
def check_booleans(app_configs: Any, **options: Any) -> list[CheckMessage]:
    return [Error(f"{name} is neither 1 nor 0.", id="agentteam.E030") for name in settings.AGENTTEAM_UNCLEAR_BOOLEANS]
