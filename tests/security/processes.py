"""Other processes of the same deployment, on the database that the test runs on."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection


def deployment(**more: str) -> dict[str, str]:
    """The environment of another process on this test's database (PostgreSQL only)."""
    assert connection.vendor == "postgresql"
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "PYTHONPATH": str(Path.cwd()),
        "DATABASE_URL": url,
        **more,
    }
