"""What processes tell each other about their calls in flight, and the limit that rests on it."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.activity import calls_in_flight as told
from apps.activity.models import CallsInFlight as Row
from apps.workspaces.errors import Problem
from extensions.in_flight import CallsInFlight


def other_process(workspace: str, calls: int, seconds_ago: float = 0, name: str = "other") -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    Row.objects.create(process=name, workspace_id=workspace, calls=calls, at=at)


def told_by_this_process() -> dict[str, int]:
    return dict(Row.objects.filter(process=told.process_name()).values_list("workspace_id", "calls"))


@pytest.fixture
def in_flight(db: None, settings: Any) -> Iterator[CallsInFlight]:
    settings.AGENTTEAM_CALLS_IN_FLIGHT = 3
    yield CallsInFlight()


def test_telling_replaces_what_was_told(db: None) -> None:
    told.tell({"ws_1": 2, "ws_2": 1})
    assert told_by_this_process() == {"ws_1": 2, "ws_2": 1}
    told.tell({"ws_2": 5})
    assert told_by_this_process() == {"ws_2": 5}
    told.tell({})
    assert Row.objects.count() == 0


def test_others_are_summed_their_old_figures_not_believed_and_soon_removed(db: None) -> None:
    other_process("ws_1", 2, name="one")
    other_process("ws_1", 3, seconds_ago=4, name="two")
    other_process("ws_1", 50, seconds_ago=6, name="stalled")
    other_process("ws_1", 500, seconds_ago=61, name="dead")
    told.tell({"ws_1": 7, "ws_2": 1})
    assert told.of_other_processes(["ws_1", "ws_2"]) == {"ws_1": 5}
    assert sorted(Row.objects.values_list("process", flat=True).distinct()) == sorted(
        ["one", "two", "stalled", told.process_name()]
    )


def test_own_calls_count_at_once_and_those_of_others_once_heard(in_flight: CallsInFlight) -> None:
    other_process("ws_1", 2)
    in_flight.enter("ws_1", "brave")
    in_flight.exchange()
    assert told_by_this_process() == {"ws_1": 1}
    with pytest.raises(Problem) as refused:
        in_flight.enter("ws_1", "brave")
    assert (refused.value.code, refused.value.retry_after) == ("throttled", 1)
    assert in_flight.own == {"ws_1": 1}
    for _ in range(3):
        in_flight.enter("ws_2", "tavily")
    with pytest.raises(Problem):
        in_flight.enter("ws_2", "tavily")
    assert in_flight.by_engine() == {"brave": 1, "tavily": 3}


def test_a_call_that_ends_makes_room(in_flight: CallsInFlight) -> None:
    for _ in range(3):
        in_flight.enter("ws_1", "brave")
    in_flight.leave("ws_1", "brave")
    in_flight.enter("ws_1", "brave")
    for _ in range(3):
        in_flight.leave("ws_1", "brave")
    assert in_flight.own == {}


def test_an_idle_process_asks_nothing(in_flight: CallsInFlight, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        in_flight.exchange()
    in_flight.enter("ws_1", "brave")
    in_flight.exchange()
    in_flight.leave("ws_1", "brave")
    in_flight.exchange()
    assert told_by_this_process() == {}
    with django_assert_num_queries(0):
        in_flight.exchange()


def test_a_stopping_process_takes_back_what_it_told(in_flight: CallsInFlight) -> None:
    in_flight.enter("ws_1", "brave")
    in_flight.exchange()
    in_flight.on_tick(stopping=True)
    assert told_by_this_process() == {}


def test_without_a_limit_nothing_is_told(in_flight: CallsInFlight, settings: Any) -> None:
    settings.AGENTTEAM_CALLS_IN_FLIGHT = 0
    for _ in range(10):
        in_flight.enter("ws_1", "brave")
    in_flight.exchange()
    assert Row.objects.count() == 0
