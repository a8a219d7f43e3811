"""The main road: from a caller and an input to an answer (spec A 3 to 6).

Agents, services, the administrator's test and the playground all come through here.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.conf import settings

from apps.activity.counters import Tick
from apps.activity.executed import Executed
from apps.activity.limits import spend
from apps.activity.writer import writer
from apps.marketplace import rotation
from apps.marketplace.connections import StoredConnection, snapshot
from apps.workspaces.errors import Problem
from apps.workspaces.models import AgentToken, ServiceToken
from extensions import answers, catalog
from extensions.definitions import Action
from extensions.in_flight import calls_in_flight
from extensions.registry import Builtin
from extensions.release import release_database
from extensions.search_action import DEFAULT_LIMIT
from searchengines.contract import CallContext, ConnectionSnapshot, Engine, SearchAnswer, SearchQuery
from searchengines.errors import Code, SearchFailure

TOKEN_MODELS: dict[str, type[AgentToken] | type[ServiceToken]] = {"agent": AgentToken, "service": ServiceToken}


@dataclass(frozen=True, slots=True)
class Call:
    """Who calls what. ``limit_key`` and ``rate`` say which of our own limits the call counts against.

    ``started`` is when the call came to us (`time.perf_counter`): what we do ourselves before a provider is asked is
    part of its time.
    """

    caller: catalog.Caller
    name: str
    installation_id: str
    builtin: Builtin
    action: str
    rate: str
    limit_key: str
    started: float = field(default_factory=time.perf_counter)


def execute(
    digest: str,
    name: str,
    action: str,
    payload: Callable[[], object],
    repair: Callable[[Action, object], object] | None = None,
) -> dict[str, Any]:
    """An agent's call. ``digest`` is of its token; ``payload`` reads the input, once the call is allowed.

    ``repair`` may put right what a kind of caller is known to send before the input is validated.

    Raises `Problem`, in the order of contract section 3: token, catalog, input, connection.
    """
    started = time.perf_counter()
    resolved = catalog.resolve_agent(digest, name)
    found = resolved.builtin.definition.action(action)
    if found is None:
        raise Problem("extension_not_found")
    given = found.validate(payload() if repair is None else repair(found, payload()))
    query = SearchQuery(given["query"], limit=given.get("limit", DEFAULT_LIMIT))
    call = _call(resolved, action, started)
    return answers.for_agent(found, _run_for_caller(call, resolved.connection(), query))


def execute_for_service(digest: str, name: str, read_query: Callable[[Engine], SearchQuery]) -> dict[str, Any]:
    """A service's call; ``read_query`` validates its input, once the call is allowed. Raises `Problem` as `execute`."""
    started = time.perf_counter()
    resolved = catalog.resolve_service(digest, name)
    query = read_query(resolved.builtin.engine)
    call = _call(resolved, "search", started)
    return answers.for_service(resolved.builtin, query, _run_for_caller(call, resolved.connection(), query))


def _call(resolved: catalog.Resolved, action: str, started: float) -> Call:
    return Call(
        resolved.caller,
        resolved.name,
        resolved.installation_id,
        resolved.builtin,
        action,
        rate=settings.AGENTTEAM_EXEC_RATE,
        limit_key=f"exec:{resolved.caller.id}",
        started=started,
    )


def _run_for_caller(call: Call, stored: StoredConnection, query: SearchQuery) -> SearchAnswer:
    """As `run`, with the code alone: why a provider failed is for administrators (contract section 5)."""
    try:
        return run(call, stored, query)
    except SearchFailure as failure:
        raise Problem(failure.code, retry_after=failure.retry_after) from None


def run(call: Call, stored: StoredConnection, query: SearchQuery) -> SearchAnswer:
    """Limits, snapshot, one upstream request, record. Raises `Problem` for our own limits, else `SearchFailure`.

    No database connection is held while the engine is waited for, so this refuses to run in a transaction.
    """
    with calls_in_flight(call.caller.workspace_id, call.builtin.engine.slug):
        turn = _count(call, stored)
        used: ConnectionSnapshot | None = None
        try:
            used = snapshot(call.builtin.engine, stored, turn)
            release_database()
            answer = call.builtin.executor(_context(call), used, query)
        except SearchFailure as failure:
            _let_key_rest(stored, used, failure)
            _record(call, used, failure=failure)
            raise
        _record(call, used, answer=answer)
        return answer


def _count(call: Call, stored: StoredConnection) -> int:
    """At most one statement for our limit and the rotation's turn, none when neither is on."""
    turns = [Tick(f"turn:{stored.connection_id}")] if stored.takes_turns else []
    values = spend(call.rate, call.limit_key, also=turns)
    return values[-1] if stored.takes_turns else 0


def _context(call: Call) -> CallContext:
    caller = call.caller
    agent_id = caller.id if caller.kind == "agent" else None
    return CallContext(caller.workspace_id, call.installation_id, agent_id, caller.member_id)


def _let_key_rest(stored: StoredConnection, used: ConnectionSnapshot | None, failure: SearchFailure) -> None:
    if used is None or used.key_ordinal is None:
        return
    if failure.key_refused:
        rotation.cool(stored.connection_id, stored.revision, used.key_ordinal, rotation.REFUSED_SECONDS)
    elif failure.code == Code.RATE_LIMITED:
        seconds = failure.retry_after or rotation.RATE_LIMITED_SECONDS
        rotation.cool(stored.connection_id, stored.revision, used.key_ordinal, seconds)


def _record(
    call: Call,
    used: ConnectionSnapshot | None,
    *,
    answer: SearchAnswer | None = None,
    failure: SearchFailure | None = None,
) -> None:
    elapsed = (time.perf_counter() - call.started) * 1000
    ended = answer if answer is not None else failure
    model = TOKEN_MODELS.get(call.caller.kind)
    writer.record(
        Executed(
            workspace_id=call.caller.workspace_id,
            caller=call.caller.kind,
            caller_id=call.caller.id,
            caller_member_id=call.caller.member_id or "",
            installation_id=call.installation_id,
            extension=call.name,
            action=call.action,
            code="ok" if failure is None else failure.code.value,
            reason="" if failure is None or failure.reason is None else failure.reason.value,
            results=0 if answer is None else len(answer.results),
            milliseconds=round(elapsed, 2),
            upstream_milliseconds=0 if ended is None else round(ended.upstream_seconds * 1000, 2),
            key_ordinal=None if used is None else used.key_ordinal,
            request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
        ),
        None if model is None else (model, call.caller.token_id),
    )
