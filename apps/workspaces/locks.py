"""The lock under which membership changes, so that concurrent changes cannot leave a workspace without an owner."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from apps.workspaces.errors import Problem
from apps.workspaces.models import Workspace


@contextmanager
def membership_lock(workspace_id: str) -> Iterator[Workspace]:
    """A transaction that holds the workspace's row. Problem `not_found`: there is no such workspace.

    SQLite has no row locks; there the transaction itself begins as the only writer (`transaction_mode`).
    """
    with transaction.atomic():
        # NO KEY: rows that refer to the workspace may be written meanwhile.
        workspace = Workspace.objects.select_for_update(no_key=True).filter(pk=workspace_id).first()
        if workspace is None:
            raise Problem.not_found()
        yield workspace
