"""How an answer is shown: to an agent as its Definition says, to a service in specification B's shape."""

import json
from typing import Any

from django.conf import settings

from extensions.definitions import Action
from extensions.registry import Builtin
from searchengines.contract import Result, SearchAnswer, SearchQuery

# Definition members (camelCase, fixed) to the attributes of a result.
MEMBERS = {"url": "url", "title": "title", "snippet": "snippet", "score": "score"}


def for_agent(action: Action, answer: SearchAnswer) -> dict[str, Any]:
    """Exactly the members of the Definition's output schema (spec A 4.2)."""
    members = action.result_members
    results = [{member: getattr(result, MEMBERS[member]) for member in members} for result in answer.results]
    return within_limit({"results": results})


def for_service(builtin: Builtin, query: SearchQuery, answer: SearchAnswer) -> dict[str, Any]:
    """`{provider, query, answer?, results}`; an absent value is an absent key (contract section 1)."""
    shown: dict[str, Any] = {"provider": builtin.engine.slug, "query": query.query}
    if answer.answer is not None:
        shown["answer"] = answer.answer
    shown["results"] = [_service_result(result) for result in answer.results]
    return within_limit(shown)


def _service_result(result: Result) -> dict[str, Any]:
    shown: dict[str, Any] = {"title": result.title, "url": result.url, "snippet": result.snippet}
    if result.score is not None:
        shown["score"] = result.score
    if result.published_date is not None:
        shown["published_date"] = result.published_date
    return shown


def within_limit(shown: dict[str, Any]) -> dict[str, Any]:
    """Drop trailing results until the encoded answer fits `EXTENSION_MAX_RESPONSE_BYTES`."""
    limit = settings.EXTENSION_MAX_RESPONSE_BYTES
    while shown["results"] and len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()) > limit:
        shown["results"].pop()
    return shown
