"""How an answer is shown: to an agent as its Definition says, to a service in specification B's shape."""

from typing import Any

from django.conf import settings

from apps.workspaces.api.rendering import to_json_bytes
from extensions.definitions import Action
from extensions.registry import Builtin
from searchengines.contract import Result, SearchAnswer, SearchQuery

# Definition members (camelCase, fixed) to the attributes of a result.
MEMBERS = {"url": "url", "title": "title", "snippet": "snippet", "score": "score"}

# What an answer or a result takes at most besides its texts, and what a character takes ("\\u0007").
FRAME_BYTES = 200
MAX_BYTES_PER_CHARACTER = 6


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
    results = shown["results"]
    if (1 + len(results)) * FRAME_BYTES + MAX_BYTES_PER_CHARACTER * _characters(shown) <= limit:
        return shown
    size = _encoded_size(shown)
    while results and size > limit:
        size -= _encoded_size(results.pop()) + len(",")
    return shown


def _characters(shown: dict[str, Any]) -> int:
    """Of all texts: most answers are far too small to be measured exactly."""
    texts = [value for value in shown.values() if isinstance(value, str)]
    texts += [value for result in shown["results"] for value in result.values() if isinstance(value, str)]
    return sum(map(len, texts))


def _encoded_size(value: object) -> int:
    return len(to_json_bytes(value))
