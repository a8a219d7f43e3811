"""Sockets kept open for a connection end with it: the room that keeps them says how to close them."""

from collections.abc import Callable

from django.db import transaction

_closers: list[Callable[[str], None]] = []


def register(close: Callable[[str], None]) -> None:
    """``close`` takes a connection's id and closes what is idle; calls in flight finish unpooled."""
    if close not in _closers:
        _closers.append(close)


def close_after_commit(connection_id: str) -> None:
    """Other processes close theirs when they see the new revision, or when their idle time is over."""
    for close in _closers:
        transaction.on_commit(lambda close=close: close(connection_id))  # type: ignore[misc]
