#!/usr/bin/env python
"""Django's command line for operators."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentteam.settings")
    # Only the server's workers count in files. The library decides when it is imported: before `.env` is read.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    import prometheus_client  # noqa: F401
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
