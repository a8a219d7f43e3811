"""Every engine there is: an explicit list, so that no stray file becomes a trusted App."""

from searchengines.contract import Engine, Provider
from searchengines.knowledge_base import KnowledgeBase
from searchengines.providers.brave.provider import Brave
from searchengines.providers.duckduckgo.provider import DuckDuckGo
from searchengines.providers.exa.provider import Exa
from searchengines.providers.google.provider import Google
from searchengines.providers.searchapi.provider import SearchApi
from searchengines.providers.searxng.provider import SearXNG
from searchengines.providers.serper.provider import Serper
from searchengines.providers.staan.provider import Staan
from searchengines.providers.tavily.provider import Tavily

ALL: tuple[Provider, ...] = (
    SearXNG(),
    Brave(),
    Tavily(),
    Serper(),
    Staan(),
    Google(),
    SearchApi(),
    DuckDuckGo(),
    Exa(),
)

ENGINES: tuple[Engine, ...] = (*ALL, KnowledgeBase())

__all__ = ["ALL", "ENGINES"]
