"""Who may use which Extension now: the one reading query of a call, and what its row means.

The query is built by the ORM once per process and run by a cursor: building it costs more than running it.
Nothing it answers is kept, because a revocation must hold at once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from apps.marketplace.connections import StoredConnection, StoredCredential
from apps.marketplace.models import AgentAuthorization, ExtensionSelection, Installation
from apps.workspaces.errors import Problem
from apps.workspaces.models import AgentToken, ServiceToken
from extensions.registry import Builtin, builtin_of

# Stand-ins for the two parameters of the compiled statements.
DIGEST = "\x00digest"
NAME = "\x00name"

ROAD_COLUMNS = (
    "road_selection__name",
    "road_selection__enabled",
    "road_selection__agent_access",
    "road_selection__installation__status",
    "road_selection__installation_id",
    "road_selection__installation__app_id",
    "road_selection__installation__app__slug",
    "road_selection__installation__app__enabled",
    "road_selection__installation__app__available",
    "road_selection__installation__app_version__definition_domain",
    "road_selection__installation__app_version__definition_version",
    "road_selection__installation__app_version__definition_digest",
    "road_selection__installation__engine_options__options",
    "road_connection__id",
    "road_connection__revision",
    "road_connection__config",
    "road_connection__cooling",
    "road_credential__field",
    "road_credential__kind",
    "road_credential__envelope",
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an agent with its member, or a service token."""

    kind: str
    id: str
    member_id: str | None
    workspace_id: str
    token_id: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """One caller and one Extension it may use, with its connections as stored (at most two are read)."""

    caller: Caller
    name: str
    installation_id: str
    builtin: Builtin
    connections: tuple[StoredConnection, ...]

    def connection(self) -> StoredConnection:
        """The one active connection. Raises `Problem` connection_ambiguous when there are several."""
        if len(self.connections) > 1:
            raise Problem("connection_ambiguous")
        return self.connections[0]


def resolve_agent(digest: str, name: str) -> Resolved:
    """Raises `Problem`: unauthenticated (no such token now), extension_not_found (for whatever reason)."""
    rows = _run(agent_statement(), digest, name)
    token_id, agent_id, workspace_id, member_id, allowed, *_ = rows[0]
    caller = Caller("agent", agent_id, member_id, workspace_id, token_id)
    road = [row[5:] for row in rows]
    if not _agent_may(allowed, road[0]):
        raise Problem("extension_not_found")
    return _resolve(caller, road)


def resolve_service(digest: str, name: str) -> Resolved:
    """As `resolve_agent`; an Extension that the token does not name is extension_not_found."""
    rows = _run(service_statement(), digest, name)
    token_id, workspace_id, extensions, *_ = rows[0]
    if name not in json.loads(extensions):
        raise Problem("extension_not_found")
    return _resolve(Caller("service", token_id, None, workspace_id, token_id), [row[3:] for row in rows])


def _run(statement: "Statement", digest: str, name: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.parameters(digest, name))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    if not rows:
        raise Problem.unauthenticated()
    return rows


def _agent_may(allowed: object, road: Sequence[Any]) -> bool:
    return bool(allowed) if allowed is not None else road[2] == ExtensionSelection.AgentAccess.ALL


def _resolve(caller: Caller, road: Sequence[Sequence[Any]]) -> Resolved:
    name, enabled, _, status, installation_id, app_id, slug, app_enabled, available, *pin = road[0][:12]
    builtin = builtin_of(app_id, slug) if name is not None else None
    in_catalog = (
        builtin is not None
        and enabled
        and status == Installation.Status.ACTIVE
        and app_enabled
        and available
        and builtin.capability.is_pinned(*pin)
        and road[0][13] is not None
    )
    if not in_catalog or builtin is None:
        raise Problem("extension_not_found")
    connections = {row[13]: _stored(caller.workspace_id, installation_id, row) for row in road}
    return Resolved(caller, name, installation_id, builtin, tuple(connections.values()))


def _stored(workspace_id: str, installation_id: str, row: Sequence[Any]) -> StoredConnection:
    options, connection_id, revision, config, cooling, field, kind, envelope = row[12:20]
    return StoredConnection(
        workspace_id=workspace_id,
        installation_id=installation_id,
        connection_id=connection_id,
        revision=revision,
        config=json.loads(config),
        options=json.loads(options) if options is not None else {},
        cooling=json.loads(cooling),
        credential=None if field is None else StoredCredential(field, kind, bytes(envelope)),
    )


@dataclass(frozen=True, slots=True)
class Statement:
    """A compiled query whose parameters have two stand-ins."""

    sql: str
    template: tuple[Any, ...]

    @classmethod
    def compile(cls, query: "QuerySet[Any, Any]") -> "Statement":
        sql, parameters = query.query.sql_with_params()
        return cls(sql, tuple(parameters))

    def parameters(self, digest: str, name: str) -> tuple[Any, ...]:
        given = {DIGEST: digest, NAME: name}
        return tuple(given.get(item, item) if isinstance(item, str) else item for item in self.template)


def agent_query(digest: str, name: str) -> "QuerySet[AgentToken, tuple[Any, ...]]":
    """Token, agent, member, the agent's own authorization, then the road."""
    own = AgentAuthorization.objects.filter(selection=OuterRef("road_selection"), agent=OuterRef("agent"))
    tokens = _road(AgentToken.objects.filter(digest=digest), "agent__workspace__selections", name)
    rows: QuerySet[AgentToken, tuple[Any, ...]] = tokens.annotate(
        allowed=Subquery(own.values("allowed")[:1])
    ).values_list("id", "agent_id", "agent__workspace_id", "agent__membership__id", "allowed", *ROAD_COLUMNS)
    return rows[:2]


def service_query(digest: str, name: str) -> "QuerySet[ServiceToken, tuple[Any, ...]]":
    tokens = _road(ServiceToken.objects.filter(digest=digest), "workspace__selections", name)
    rows: QuerySet[ServiceToken, tuple[Any, ...]] = tokens.values_list(
        "id", "workspace_id", "extensions", *ROAD_COLUMNS
    )
    return rows[:2]


def _road(tokens: "QuerySet[Any]", selections: str, name: str) -> "QuerySet[Any]":
    """A usable token, left-joined with everything a call of `name` needs; two rows when it is ambiguous."""
    usable: QuerySet[Any] = tokens.filter(Q(revoked_at=None), Q(expires_at=None) | Q(expires_at__gt=Now())).annotate(
        road_selection=FilteredRelation(
            selections, condition=Q(**{f"{selections}__name": name, f"{selections}__active": True})
        ),
        road_connection=FilteredRelation(
            "road_selection__installation__connections",
            condition=Q(road_selection__installation__connections__active=True),
        ),
        road_credential=FilteredRelation(
            "road_connection__credentials", condition=Q(road_connection__credentials__field__isnull=False)
        ),
    )
    return usable


@lru_cache(maxsize=2)
def _compiled(vendor: str, query: Any) -> Statement:
    return Statement.compile(query(DIGEST, NAME))


def agent_statement() -> Statement:
    return _compiled(connection.vendor, agent_query)


def service_statement() -> Statement:
    return _compiled(connection.vendor, service_query)
