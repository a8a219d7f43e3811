"""Where an embedding server may be: global addresses over https, unless the operator lists the origin."""

from urllib.parse import urlsplit

from django.conf import settings

from apps.marketplace.origins import operator_target
from searchengines.contract import Target
from searchengines.egress import canonical_base_url
from searchengines.errors import InvalidValue
from searchengines.knowledge_base import KnowledgeBase

EMBEDDINGS = "/embeddings"
LISTING = "AGENTTEAM_EMBEDDING_ORIGINS"


def clean_base_url(value: object) -> str:
    """The form to store. Raises `InvalidValue`; a trailing `/embeddings`, which people copy along, is dropped."""
    url = canonical_base_url(value).removesuffix(EMBEDDINGS)
    if not _is_listed(url):
        # A key must not travel in the clear, and this machine is nobody's embedding server unless it was said so.
        url = canonical_base_url(url, allow_loopback=False)
        if url.startswith("http:"):
            raise InvalidValue(f"must begin with https:// unless the operator lists its origin in {LISTING}", "scheme")
    return url


def target_of(base_url: str) -> Target:
    label = KnowledgeBase.slug
    return operator_target(base_url, label) if _is_listed(base_url) else Target(base_url, label=label)


def path_of(base_url: str) -> str:
    """What follows the base URL: a bare host gets the version that everyone has."""
    return EMBEDDINGS if urlsplit(base_url).path else f"/v1{EMBEDDINGS}"


def _is_listed(base_url: str) -> bool:
    parts = urlsplit(base_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return any(_origin_of(listed) == origin for listed in settings.AGENTTEAM_EMBEDDING_ORIGINS)


def _origin_of(text: str) -> str | None:
    try:
        parts = urlsplit(canonical_base_url(text))
    except InvalidValue:
        return None
    return f"{parts.scheme}://{parts.netloc}"
