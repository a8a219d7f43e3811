"""One call through the gate, as short as tests want it."""

from searchengines.contract import Incoming, Outgoing, Reach, Target
from searchengines.egress import Egress
from searchengines.errors import Code, Reason, SearchFailure

GET = Outgoing("GET", "/search", params=(("q", "ferry"),))


def local(url: str, *, own_ca: bool = False) -> Target:
    """A target that may be on this machine, like a SearXNG beside us."""
    return Target(url, Reach.LOOPBACK, own_ca)


def send(
    gate: Egress,
    target: Target,
    outgoing: Outgoing = GET,
    pool: tuple[str, int] = ("conn_1", 1),
    timeout: float = 5.0,
) -> Incoming:
    return gate.send(outgoing, target, pool=pool, timeout=timeout)


def reason_of(
    gate: Egress,
    target: Target,
    outgoing: Outgoing = GET,
    pool: tuple[str, int] = ("conn_1", 1),
    timeout: float = 5.0,
) -> Reason | None:
    """Why the call failed; it must fail as an upstream_failure that carries nothing of the cause."""
    try:
        incoming = gate.send(outgoing, target, pool=pool, timeout=timeout)
    except SearchFailure as failure:
        assert failure.code is Code.UPSTREAM_FAILURE
        assert failure.__cause__ is None
        assert failure.__context__ is None
        return failure.reason
    raise AssertionError(f"the call succeeded: {incoming}")
