"""Requests made from the OpenAPI document, with a token of each kind: never a 5xx (schemathesis)."""

import os
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentteam.wsgi import application
from tests.security.world import World, build_world

# Each request is undone by a transaction, and on PostgreSQL a served request ends its connection.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite, pytest.mark.django_db]

EXAMPLES = int(os.environ.get("AGENTTEAM_FUZZ_EXAMPLES", "10"))
# They give the database back while they wait, which a test's transaction does not allow.
WAITING = (":test", "/search", "/exec/{name}/{action}", "/documents")


@pytest.fixture
def world(db: None) -> World:
    return build_world("harbour")


def test_no_request_from_the_document_breaks_the_server(world: World) -> None:
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema", application)
    tokens = {
        "person": world.house.owner.api.token,
        "agent": world.agent.token,
        "service": world.service.token,
    }
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) > 50
    answered: set[int] = set()
    for operation in operations:
        if operation.path.endswith(WAITING):
            continue
        for token in tokens.values():
            _fuzz(operation, world, str(token), answered)
    assert {200, 400, 403, 404} <= answered
    assert 401 not in answered


def _fuzz(operation: Any, world: World, token: str, answered: set[int]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), known=st.booleans())
    def send(case: Any, known: bool) -> None:
        ids = {name: value for name, value in world.ids.items() if name in (case.path_parameters or {})}
        if known:
            case.path_parameters = {**case.path_parameters, **ids}
        # Undone each time: one deletion must not leave the rest without a token or an object.
        with transaction.atomic():
            answer = case.call(
                app=application,
                headers={"Authorization": f"Bearer {token}", "Host": "localhost"},
                base_url="http://localhost",
            )
            transaction.set_rollback(True)
        assert answer.status_code < 500, (case.method, case.formatted_path, answer.status_code)
        answered.add(answer.status_code)

    send()
