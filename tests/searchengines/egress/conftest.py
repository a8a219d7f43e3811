"""Gates, and addresses that do not answer."""

import socket
from collections.abc import Iterator

import pytest

from searchengines.egress import Egress, EgressSettings, connector


@pytest.fixture
def gate() -> Iterator[Egress]:
    """A gate with the deployment's defaults."""
    made = Egress(EgressSettings())
    yield made
    made.close()


@pytest.fixture
def seen_as_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback counts as a global address, which no test machine has: for the reasons that only those may show."""
    monkeypatch.setattr(connector, "is_global", lambda address: True)


@pytest.fixture
def dead_addresses() -> Iterator[list[tuple[str, int]]]:
    """Ten loopback addresses, one port: connecting hangs, because nobody accepts and the queues are full."""
    listeners: list[socket.socket] = []
    fillers: list[socket.socket] = []
    port = 0
    for number in range(2, 12):
        listener = socket.socket()
        listener.bind((f"127.0.0.{number}", port))
        listener.listen(0)
        port = listener.getsockname()[1]
        listeners.append(listener)
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
            fillers.append(filler)
    yield [listener.getsockname() for listener in listeners]
    for sock in listeners + fillers:
        sock.close()
