"""The App mutation lock (spec A 5): every write to Apps of a workspace happens under it, and briefly."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from apps.workspaces.errors import Problem
from apps.workspaces.models import Workspace


@contextmanager
def app_mutation_lock(workspace_id: str) -> Iterator[Workspace]:
    """A transaction that holds the workspace's row: one change to its Apps at a time, on every process.

    On SQLite the transaction itself is exclusive. Raises `Problem` not_found when the workspace is gone.
    """
    with transaction.atomic():
        # NO KEY: rows that refer to the workspace can still be written meanwhile.
        workspace = Workspace.objects.select_for_update(no_key=True).filter(pk=workspace_id).first()
        if workspace is None:
            raise Problem.not_found()
        yield workspace
