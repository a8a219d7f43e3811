"""One search through one provider: checked snapshot, one request, one answer or one stable failure (spec A 6)."""

import json
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn, cast

from searchengines.contract import (
    CallContext,
    ConnectionSnapshot,
    Engine,
    Field,
    Incoming,
    Json,
    Option,
    Provider,
    SearchAnswer,
    SearchQuery,
    Transport,
)
from searchengines.credentials import is_key
from searchengines.domains import DomainRules
from searchengines.errors import Code, InvalidValue, Reason, SearchFailure
from searchengines.normalise import answer_text, normalise
from searchengines.options import MAX_TIMEOUT_MS
from searchengines.queries import shortened

MAX_RETRY_AFTER = 24 * 60 * 60
_NO_JSON = object()


def search(
    provider: Provider, context: CallContext, snapshot: ConnectionSnapshot, query: SearchQuery, transport: Transport
) -> SearchAnswer:
    """Search once. Sends at most one request and repeats nothing.

    Raises `SearchFailure`: provider_auth_unavailable when a declared secret is missing or unusable; rate_limited;
    upstream_failure with a reason for everything else, also for a stored configuration that no longer passes its
    own checks. The failure carries the time waited. ``context`` says on whose behalf; no engine's request depends
    on it.
    """
    _check(provider, snapshot)
    count = requested_count(provider, snapshot.options, query)
    text = shortened(query.query, provider.max_query_characters, provider.max_query_words)
    outgoing = provider.request(snapshot, text, count)
    if outgoing is None:
        return SearchAnswer(())
    timeout = cast(int, snapshot.options.get("timeoutMs", MAX_TIMEOUT_MS)) / 1000
    started = time.monotonic()
    incoming = transport.send(outgoing, snapshot.target, pool=snapshot.pool, timeout=timeout)
    waited = time.monotonic() - started
    limit = count if query.limit is None else min(query.limit, count)
    # An agent is not shown dates (spec A 4.2).
    dated = query.limit is None
    try:
        parsed = provider.parse(_payload(provider, incoming), snapshot)
        results, dropped = normalise(parsed.results, limit, _domain_rules(snapshot.options), dated=dated)
    except SearchFailure as failure:
        # What fails while it is under way carries its time already: the transport alone knows whether it was sent.
        failure.upstream_seconds = waited
        raise
    return SearchAnswer(results, answer_text(parsed.answer), dropped, waited)


def requested_count(provider: Engine, options: Mapping[str, Json], query: SearchQuery) -> int:
    """How many results the provider is asked for (contract section 1), within the provider's own range."""
    stored = options.get(provider.count_option) if provider.count_option else None
    if query.max_results is not None:
        wanted = query.max_results
    elif stored is not None:
        wanted = cast(int, stored)
    elif query.limit is not None:
        wanted = query.limit
    else:
        wanted = provider.default_count
    lowest, highest = provider.count_range
    return max(lowest, min(wanted, highest))


def retry_after(value: str | None) -> int | None:
    """A `Retry-After` header, seconds or HTTP date, as whole seconds from 1 to a day; None when it is unreadable."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        seconds = int(text[:9])
    else:
        try:
            moment = parsedate_to_datetime(text)
        except (TypeError, ValueError, OverflowError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = round((moment - datetime.now(UTC)).total_seconds())
    return max(1, min(seconds, MAX_RETRY_AFTER))


def _check(provider: Provider, snapshot: ConnectionSnapshot) -> None:
    """What was valid when it was saved is checked again before it is used."""
    for field in provider.secret_fields:
        secret = snapshot.secrets.get(field.name)
        if secret is None or not is_key(secret.reveal()):
            raise SearchFailure(Code.AUTH_UNAVAILABLE)
    _check_members(provider.config_fields, snapshot.config)
    _check_members(provider.options, snapshot.options)
    if any(field.required and field.name not in snapshot.config for field in provider.config_fields):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)


def _check_members(declared: Iterable[Field | Option], stored: Mapping[str, Json] | Mapping[str, str]) -> None:
    """Raises unless every stored member is declared and in the form that its declaration stores."""
    if not stored:
        return
    known = {member.name: member for member in declared}
    for name, value in stored.items():
        member = known.get(name)
        try:
            if member is None or member.clean(value) != value:
                raise SearchFailure.upstream(Reason.BAD_SHAPE)
        except InvalidValue:
            raise SearchFailure.upstream(Reason.BAD_SHAPE) from None


def _payload(provider: Provider, incoming: Incoming) -> Any:
    """The decoded body of a normal answer. Raises `SearchFailure` for every other answer."""
    if not provider.accepts(incoming.status):
        raise _status_failure(provider, incoming)
    payload = _decoded(incoming.body)
    if payload is _NO_JSON:
        raise provider.failure(incoming.status, None) or SearchFailure.upstream(Reason.NOT_JSON)
    return payload


def _status_failure(provider: Provider, incoming: Incoming) -> SearchFailure:
    status = incoming.status
    if status == 429:
        return SearchFailure(Code.RATE_LIMITED, retry_after=retry_after(incoming.headers.get("retry-after")))
    if 300 <= status < 400:
        return SearchFailure.upstream(Reason.REDIRECTED)
    payload = _decoded(incoming.body)
    failure = provider.failure(status, None if payload is _NO_JSON else payload)
    if failure is not None:
        return failure
    if status in (401, 403) and provider.secret_fields:
        return SearchFailure.credentials_rejected()
    return SearchFailure.upstream(Reason.BAD_STATUS)


def _decoded(body: bytes) -> Any:
    """`body` as strict JSON in UTF-8, with or without byte-order mark; `_NO_JSON` when it is not.

    Not an exception: that would quote the body, and hang on the failure that is raised instead.
    """
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return _NO_JSON


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _domain_rules(options: Mapping[str, Json]) -> DomainRules:
    allow = cast(list[str], options.get("allowDomains") or [])
    deny = cast(list[str], options.get("denyDomains") or [])
    return DomainRules.of(allow, deny)
