"""The administrator's test of a saved connection: the same road as a call, without showing results (spec A 5)."""

from django.conf import settings

from apps.marketplace import selectors
from apps.marketplace.connections import StoredConnection, stored_connections
from apps.marketplace.models import Installation
from apps.marketplace.services.connections import record_test
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from extensions.catalog import Caller
from extensions.execution import Call, run
from extensions.registry import Builtin, builtin_of
from searchengines.contract import SearchAnswer, SearchQuery
from searchengines.errors import SearchFailure

TEST_QUERY = SearchQuery("connection test", limit=1)


def test_connection(workspace_id: str, installation_id: str, actor: Actor) -> None:
    """Returns when the provider gave a well-formed answer, also an empty one.

    Raises `Problem`: not_found, conflict (no connection), connection_ambiguous, throttled, or the failure with its
    reason. The outcome is remembered with the installation.
    """
    installation, builtin = tested_installation(workspace_id, installation_id)
    call = administrator_call("test", actor, installation, builtin, settings.AGENTTEAM_TEST_RATE)
    try:
        run(call, stored_connection(installation), TEST_QUERY)
    except SearchFailure as failure:
        reason = failure.reason.value if failure.reason is not None else None
        record_test(installation.id, failure.code.value, reason or "")
        raise Problem(failure.code, retry_after=failure.retry_after, reason=reason) from None
    record_test(installation.id, "ok", "")


def search_as_administrator(workspace_id: str, installation_id: str, query: SearchQuery, actor: Actor) -> SearchAnswer:
    """One query on one named engine for the playground. Raises as `test_connection`, but `SearchFailure` as it is."""
    installation, builtin = tested_installation(workspace_id, installation_id)
    call = administrator_call("playground", actor, installation, builtin, settings.AGENTTEAM_EXEC_RATE)
    return run(call, stored_connection(installation), query)


def tested_installation(workspace_id: str, installation_id: str) -> tuple[Installation, Builtin]:
    installation = selectors.installation(workspace_id, installation_id)
    builtin = builtin_of(installation.app_id, installation.app.slug)
    if builtin is None:
        raise Problem.not_found()
    if selectors.state_of(installation) is selectors.State.UNAVAILABLE:
        raise Problem.conflict("This App is not available now.")
    return installation, builtin


def administrator_call(kind: str, actor: Actor, installation: Installation, builtin: Builtin, rate: str) -> Call:
    selection = selectors.selection_of(installation)
    name = selection.name if selection is not None else installation.app.slug
    caller = Caller(kind, actor.id, actor.member_id, installation.workspace_id, token_id="")
    return Call(caller, name, installation.id, builtin, "search", rate=rate, limit_key=f"{kind}:{installation.id}")


def stored_connection(installation: Installation) -> StoredConnection:
    """Raises `Problem`: conflict (none), connection_ambiguous (several)."""
    connections = stored_connections(installation)
    if not connections:
        raise Problem.conflict("There is no connection to test. Save one first.")
    if len(connections) > 1:
        raise Problem("connection_ambiguous")
    return connections[0]
