"""Master keys for tests, and running a deployment with one or another."""

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

from apps.marketplace.envelope import MasterKey

PRIMARY = "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY"
PREVIOUS = "AGENTTEAM_APP_CREDENTIALS_MASTER_KEY_PREVIOUS"


def key_text(name: str) -> str:
    """A master key as the environment has it, the same for the same name."""
    return base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()


def key_id(name: str) -> str:
    return MasterKey.parse(key_text(name)).id


def run_with(settings: Any, primary: str | None, previous: Sequence[str] = ()) -> None:
    """As after a restart with these keys, by their names; None: no key is configured."""
    setattr(settings, PRIMARY, "" if primary is None else key_text(primary))
    setattr(settings, PREVIOUS, [key_text(name) for name in previous])
