"""Gives the database connection back before a provider is waited for."""

from django.db import connection


def release_database() -> None:
    """On PostgreSQL the connection returns to its pool; SQLite's belongs to its thread and holds no lock.

    Raises `RuntimeError` inside a transaction, which would be held open for as long as the provider takes.
    """
    if connection.in_atomic_block:
        raise RuntimeError("a provider is never waited for inside a transaction")
    if connection.vendor == "postgresql":
        connection.close()
