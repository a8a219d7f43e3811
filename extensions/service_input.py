"""The service route's input (contract section 6), as strict as an agent's."""

from collections.abc import Mapping
from typing import Any

from apps.marketplace.members import unknown_members
from apps.workspaces.errors import Problem
from extensions.search_action import QUERY_CHARACTERS
from extensions.text_input import clean_text
from searchengines.contract import Engine, SearchQuery

MAX_RESULTS = 100
MEMBERS = ("query", "max_results")
SCORED_MEMBERS = (*MEMBERS, "min_score")


def validate(payload: object, engine: Engine) -> SearchQuery:
    """Raises `Problem` invalid_input. ``max_results`` is bounded further by each provider's own range.

    ``min_score`` is a member of engines that compare scores, and unknown to the others.
    """
    if not isinstance(payload, dict):
        raise Problem.invalid(message="The input must be a JSON object.")
    problems = unknown_members(payload, SCORED_MEMBERS if engine.takes_min_score else MEMBERS)
    query = _query(payload, problems)
    max_results = _max_results(payload, problems)
    min_score = _min_score(payload, problems) if engine.takes_min_score else None
    if problems:
        raise Problem.invalid(problems)
    return SearchQuery(query, max_results=max_results, min_score=min_score)


def _query(payload: Mapping[str, Any], problems: dict[str, str]) -> str:
    text = clean_text("query", payload.get("query"), problems)
    if not isinstance(text, str) or not 1 <= len(text) <= QUERY_CHARACTERS:
        required = "" if "query" in payload else "Required. "
        problems["query"] = f"{required}Text of 1 to {QUERY_CHARACTERS} characters."
        return ""
    return text


def _max_results(payload: Mapping[str, Any], problems: dict[str, str]) -> int | None:
    if "max_results" not in payload:
        return None
    value = payload["max_results"]
    # The range first: it also excludes what has no whole part, NaN and the infinities.
    if not _is_number(value) or not 0 <= value <= MAX_RESULTS or value != int(value):
        problems["max_results"] = f"A whole number from 0 to {MAX_RESULTS}."
        return None
    return int(value)


def _min_score(payload: Mapping[str, Any], problems: dict[str, str]) -> float | None:
    if "min_score" not in payload:
        return None
    value = payload["min_score"]
    if not _is_number(value) or not 0 <= value <= 1:
        problems["min_score"] = "A number from 0 to 1."
        return None
    return float(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
