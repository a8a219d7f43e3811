"""Registers every web engine: its own Definition, and an executor bound to its provider (spec A 6)."""

from functools import lru_cache, partial

from django.conf import settings

from apps.marketplace import kept_sockets
from extensions.registry import Executor, register_builtin
from extensions.search_action import web_definition
from searchengines import runtime
from searchengines.contract import CallContext, ConnectionSnapshot, Provider, SearchAnswer, SearchQuery
from searchengines.egress import Egress, EgressSettings
from searchengines.providers import ALL

USER_AGENT = "AgentTeamSearch/1.0"


@lru_cache(maxsize=1)
def egress() -> Egress:
    """The gate of this process; it opens no socket before the first request."""
    return Egress(
        EgressSettings(
            user_agent=USER_AGENT,
            own_ca_file=settings.AGENTTEAM_SEARXNG_CA_FILE or None,
            own_ports=frozenset({settings.AGENTTEAM_PORT}),
        )
    )


def close_sockets(connection_id: str) -> None:
    """Close what this process keeps open for a connection that was changed or removed."""
    if egress.cache_info().currsize:
        egress().drop(connection_id)


def register() -> None:
    kept_sockets.register(close_sockets)
    for provider in ALL:
        register_builtin(provider, web_definition(provider), _executor(provider), provider.revision)


def _executor(provider: Provider) -> Executor:
    return partial(_search, provider)


def _search(provider: Provider, context: CallContext, snapshot: ConnectionSnapshot, query: SearchQuery) -> SearchAnswer:
    return runtime.search(provider, context, snapshot, query, egress())
