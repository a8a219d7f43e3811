"""The process that reads one hostile format: bytes in, UTF-8 text out, an exit code that says what was wrong."""

import contextlib
import importlib
import resource
import sys
from pathlib import Path

CPU_SECONDS = 30
MEMORY_BYTES = 1 << 30


def main(reader: str) -> int:
    """``reader`` is a module beside this one whose `read` takes bytes and returns text, or an exit code."""
    for limit, value in ((resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_AS, MEMORY_BYTES)):
        # A platform without one of them still has the other, and the time that the parent waits.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
    sys.path.insert(0, str(Path(__file__).parent))
    read = importlib.import_module(reader).read
    outcome: str | int = read(sys.stdin.buffer.read())
    if isinstance(outcome, int):
        return outcome
    sys.stdout.buffer.write(outcome.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
