"""What the server does when a worker ends: its levels no longer count in `/metrics`, its totals go on counting."""

import os
from typing import Any

from prometheus_client.multiprocess import mark_process_dead


def child_exit(server: Any, worker: Any) -> None:
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
