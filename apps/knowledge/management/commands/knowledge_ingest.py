"""`manage.py knowledge_ingest`: files and folders into an embedding store (contract section 8)."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q

from apps.knowledge import selectors
from apps.knowledge.folders import MAX_NAME, FoundFile, found_files
from apps.knowledge.models import Document
from apps.knowledge.progress import ProgressBar
from apps.knowledge.reading.documents import check_size
from apps.knowledge.reading.refusals import Unreadable
from apps.knowledge.services.documents import accept_document
from apps.knowledge.work import work_once
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Workspace

ACTOR = Actor.operator("knowledge_ingest")


class Command(BaseCommand):
    help = (
        "Puts files and folders (Markdown, text, HTML, PDF) into an embedding store. What is there already and has "
        "not changed is left alone, so a run that was interrupted is simply started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("store", metavar="STORE", help="id of the embedding store")
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="file or folder")
        parser.add_argument("--workspace", required=True, metavar="WS", help="id or name of the workspace")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace_id = _workspace(options["workspace"]).id
        store_id = options["store"]
        if selectors.find_store(workspace_id, store_id) is None:
            raise CommandError(f"There is no embedding store {store_id} in this workspace.")
        files = _files(options["paths"])
        bar = ProgressBar(self.stderr, len(files))
        failed = 0
        for file in files:
            try:
                bar.finished(file.name, _ingest(workspace_id, store_id, file, bar))
            except Unreadable as refused:
                failed += 1
                bar.note(f"{file.path}: {refused.message}")
                bar.finished(file.name, "failed")
        store = selectors.store(workspace_id, store_id)
        self.stdout.write(
            f"{len(files) - failed} of {len(files)} documents are in; the store has {store.passages} passages."
        )
        if failed:
            raise CommandError(f"{failed} of {len(files)} documents failed.", returncode=1)


def _ingest(workspace_id: str, store_id: str, file: FoundFile, bar: ProgressBar) -> str:
    """What became of it. Raises `Unreadable`."""
    if len(file.name) > MAX_NAME:
        raise Unreadable(f"The name is longer than {MAX_NAME} characters.")
    try:
        check_size(file.path.stat().st_size)
        data = file.path.read_bytes()
    except OSError:
        raise Unreadable("The file cannot be opened.") from None
    try:
        accepted = accept_document(workspace_id, ACTOR, store_id, file.name, data)
    except Problem as problem:
        raise Unreadable(problem.message) from None
    document = accepted.document
    if document.status == Document.Status.READY:
        return accepted.outcome.value
    worked = work_once(document.store_id, document.id, progress=bar.passages)
    if worked is None or worked.left:
        return f"{accepted.outcome.value}, being embedded by another process"
    if worked.error:
        raise Unreadable(worked.error)
    return f"{accepted.outcome.value}, {worked.passages} passages"


def _workspace(text: str) -> Workspace:
    found = list(Workspace.objects.filter(Q(pk=text) | Q(name=text))[:2])
    if not found:
        raise CommandError(f"There is no workspace {text}.")
    if len(found) > 1:
        raise CommandError(f"Several workspaces are called {text}; give the id.")
    return found[0]


def _files(paths: list[Path]) -> list[FoundFile]:
    try:
        files = found_files(paths)
    except FileNotFoundError as missing:
        raise CommandError(f"There is no file or folder {missing}.") from None
    except ValueError as twice:
        raise CommandError(f"Two files would be the document {twice}; ingest their folder instead.") from None
    if not files:
        raise CommandError("There is no Markdown, text, HTML or PDF file in these folders.")
    return files
