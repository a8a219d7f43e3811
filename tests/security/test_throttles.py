"""Our own limits hold across processes and cannot be talked away (abuse 19, contract section 8).

Windows here are a day long, so that none ends while a test runs.
"""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from apps.activity import counters
from apps.activity.limits import spend
from apps.workspaces.errors import Problem
from apps.workspaces.models import User
from tests.road import Road
from tests.security.processes import deployment
from tests.workspaces.conftest import Caller

SPOOFED = [
    {
        "X-Forwarded-For": f"203.0.113.{number}",
        "X-Real-IP": f"203.0.113.{number}",
        "Forwarded": f"for=203.0.113.{number}",
    }
    for number in range(1, 9)
]


def throttled(answer: Any) -> bool:
    if answer.status_code != 429:
        return False
    assert answer.json()["error"]["code"] == "throttled"
    assert 1 <= int(answer.headers["Retry-After"]) <= 86_400
    assert answer.json()["error"]["retryAfter"] == int(answer.headers["Retry-After"])
    return True


def test_an_agents_calls(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "3/day"
    road.connect("brave")
    asked = len(road.upstream.requests)
    answers = [road.agent("POST", "exec/brave/search", {"query": "ferry"}, **headers) for headers in SPOOFED[:5]]
    assert [throttled(answer) for answer in answers] == [False] * 3 + [True] * 2
    assert len(road.upstream.requests) == asked + 3
    # A second token of the same agent is no second allowance; another agent has its own.
    assert throttled(Caller(road.house.agent_token(road.agent_row))("POST", "exec/brave/search", {"query": "ferry"}))
    other = Caller(road.house.agent_token(road.house.agent("other")))
    assert other("POST", "exec/brave/search", {"query": "ferry"}).status_code == 200


def test_tests_of_an_installation(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_TEST_RATE = "2/day"
    brave, exa = road.connect("brave"), road.connect("exa")
    asked = len(road.upstream.requests)
    path = f"{road.connection_path(brave)}:test"
    people = [road.house.admin.api, road.house.owner.api, road.house.admin.api, road.house.owner.api]
    answers = [caller("POST", path, **SPOOFED[number]) for number, caller in enumerate(people)]
    assert [throttled(answer) for answer in answers] == [False, False, True, True]
    assert len(road.upstream.requests) == asked + 2
    assert not throttled(road.test(exa))


def test_nothing_is_limited_at_zero(road: Road, settings: Any) -> None:
    settings.AGENTTEAM_EXEC_RATE = "0"
    road.connect("duckduckgo")
    assert {road.search("duckduckgo").status_code for _ in range(8)} == {200}


def sign_in(email: str, password: str, **headers: str) -> Any:
    return Client().post("/sign-in", {"username": email, "password": password}, headers=headers)


def test_signing_in_from_one_address(db: None, settings: Any) -> None:
    settings.AGENTTEAM_SIGNIN_RATE = "4/day"
    User.objects.create_user("person@x.example", "a long enough password")
    tries = [sign_in(f"nobody{number}@x.example", "wrong", **SPOOFED[number]) for number in range(6)]
    assert [answer.status_code for answer in tries] == [200] * 4 + [429] * 2
    assert sign_in("person@x.example", "a long enough password").status_code == 429


def test_guessing_one_persons_password(db: None, settings: Any) -> None:
    settings.AGENTTEAM_SIGNIN_RATE = "0"
    User.objects.create_user("person@x.example", "a long enough password")
    tries = [sign_in("person@x.example", f"wrong {number}", **SPOOFED[number]) for number in range(6)]
    assert [answer.status_code for answer in tries] == [200] * 4 + [429] * 2
    # The right password, in any spelling of the address, does not open it either.
    assert sign_in("person@x.example", "a long enough password").status_code == 429


def test_guessing_one_persons_password_from_many_addresses(db: None, settings: Any) -> None:
    settings.AGENTTEAM_SIGNIN_RATE = "4/day"
    User.objects.create_user("person@x.example", "a long enough password")
    spellings = ["person@x.example", "Person@X.example", " person@x.example", "PERSON@x.example", "person@x.example"]
    tries = [
        Client(REMOTE_ADDR=f"203.0.113.{number}").post("/sign-in", {"username": email, "password": "wrong"})
        for number, email in enumerate(spellings, 1)
    ]
    assert [answer.status_code for answer in tries] == [200] * 4 + [429]


def test_the_operators_site_has_no_door_of_its_own(db: None, settings: Any) -> None:
    operator = User.objects.create_superuser("operator@x.example", "a long enough password")
    given = {"username": operator.email, "password": "a long enough password"}
    for method in ("get", "post"):
        answer = getattr(Client(), method)("/admin/login/?next=/admin/", given if method == "post" else None)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/sign-in?next=/admin/")
    client = Client()
    entered = client.post("/sign-in", {**given, "next": "/admin/"})
    assert (entered.status_code, entered.headers["Location"]) == (302, "/admin/")
    assert client.get("/admin/").status_code == 200
    # Somebody who is signed in and no operator is told so, and not sent round in a circle.
    person = Client()
    person.force_login(
        User.objects.create_user("person@x.example"), backend="django.contrib.auth.backends.ModelBackend"
    )
    assert person.get("/admin/", follow=True).status_code == 403


def test_an_unknown_person_reads_like_a_wrong_password(db: None) -> None:
    User.objects.create_user("person@x.example", "a long enough password")
    User.objects.create_user("left@x.example", "a long enough password", is_active=False)
    shown = [
        _words(sign_in(email, password).content.decode())
        for email, password in (
            ("person@x.example", "wrong"),
            ("nobody@x.example", "wrong"),
            ("left@x.example", "a long enough password"),
        )
    ]
    assert shown[0] == shown[1] == shown[2]


def _words(page: str) -> list[str]:
    lines = [line.strip() for line in page.splitlines()]
    return [line for line in lines if "@x.example" not in line and "csrf" not in line and "nonce" not in line]


SPENDER = """
import sys
import django
django.setup()
from apps.activity.limits import spend
from apps.workspaces.errors import Problem
print("ready", flush=True)
sys.stdin.readline()
passed = 0
for _ in range(40):
    try:
        spend("25/day", "exec:shared")
        passed += 1
    except Problem:
        pass
print(passed, flush=True)
"""


def spend_in_two_processes(tmp_path: Path, environment: dict[str, str]) -> int:
    script = tmp_path / "spender.py"
    script.write_text(SPENDER)
    processes = [
        subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    outputs = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        outputs.append(int(process.communicate(timeout=60)[0]))
    return sum(outputs)


@pytest.mark.postgres
def test_two_processes_share_one_allowance_in_the_database(
    transactional_db: None, django_db_serialized_rollback: None, tmp_path: Path
) -> None:
    assert spend_in_two_processes(tmp_path, deployment(REDIS_URL="")) == 25


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    server = shutil.which("redis-server") or shutil.which("valkey-server")
    if server is None:
        pytest.skip("no Redis server is installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "Redis did not start"
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)
        counters._client.cache_clear()


@pytest.mark.postgres
def test_two_processes_share_one_allowance_in_redis(
    transactional_db: None, django_db_serialized_rollback: None, tmp_path: Path, redis_url: str
) -> None:
    assert spend_in_two_processes(tmp_path, deployment(REDIS_URL=redis_url)) == 25


@pytest.mark.usefixtures("redis_tried_at_once")
def test_redis_counts_and_rotates(redis_url: str, settings: Any) -> None:
    settings.REDIS_URL = redis_url
    assert [counters.count([counters.Tick("turn:x"), counters.Tick("exec:y", 86_400)]) for _ in range(3)] == [
        [1, 1],
        [2, 2],
        [3, 3],
    ]
    for _ in range(2):
        spend("2/day", "exec:z")
    with pytest.raises(Problem) as refused:
        spend("2/day", "exec:z")
    assert refused.value.code == "throttled"


@pytest.fixture
def redis_tried_at_once() -> Iterator[None]:
    """Whatever other tests did with Redis, the next call tries it."""
    counters.rest.end()
    yield
    counters.rest.end()


@pytest.mark.usefixtures("redis_tried_at_once")
def test_a_lost_redis_opens_no_door(road: Road, settings: Any) -> None:
    """The database counts meanwhile."""
    settings.AGENTTEAM_EXEC_RATE = "3/day"
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    road.connect("brave")
    asked = len(road.upstream.requests)
    assert [throttled(road.search("brave")) for _ in range(5)] == [False] * 3 + [True] * 2
    assert len(road.upstream.requests) == asked + 3
