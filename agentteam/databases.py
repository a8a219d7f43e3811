"""One database from `DATABASE_URL`: SQLite for one machine, PostgreSQL for several processes."""

from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from agentteam.variables import whole_number

# secure_delete overwrites what is deleted: a destroyed credential is gone from the file too. Every thread has a
# connection of its own, so what each may cache is small: the system's page cache serves them all.
SQLITE_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA cache_size=-256;"


def database_settings(env: environ.Env, base_dir: Path) -> dict[str, Any]:
    settings: dict[str, Any] = env.db_url("DATABASE_URL", default=f"sqlite:///{base_dir / 'db.sqlite3'}")
    engine = settings.get("ENGINE", "")
    if not engine.endswith(("sqlite3", "postgresql")):
        raise ImproperlyConfigured("DATABASE_URL is neither sqlite:///… nor postgres://….")
    options = settings.setdefault("OPTIONS", {})
    if engine.endswith("sqlite3"):
        options.update(timeout=20, transaction_mode="IMMEDIATE", init_command=SQLITE_PRAGMAS)
        # A thread keeps its connection: opening one costs more than a whole call's queries.
        settings["CONN_MAX_AGE"] = None
    else:
        # A connection goes back to the pool whenever a request waits for a provider, so the pool can be
        # far smaller than the number of threads.
        options["pool"] = {
            "min_size": whole_number(env, "AGENTTEAM_DB_POOL_MIN", 2),
            "max_size": whole_number(env, "AGENTTEAM_DB_POOL_MAX", 20),
            "timeout": whole_number(env, "AGENTTEAM_DB_POOL_TIMEOUT", 10),
            # Waits between tries double: begin again soon, so that a database which is back is noticed.
            "reconnect_timeout": 5,
        }
        options["server_side_binding"] = True
        options["prepare_threshold"] = 1
        settings["CONN_MAX_AGE"] = 0
    return settings


def drop_dead_connections() -> None:
    """After the database was lost: the pool tests what it keeps, so that no later request meets a dead connection."""
    pool = getattr(connection, "pool", None)
    if pool is not None:
        pool.check()
