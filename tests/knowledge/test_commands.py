"""The command that ingests, and the worker, as processes and in this one."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from apps.knowledge.models import Document, Passage
from apps.knowledge.services.documents import accept_document
from tests.knowledge.embedding_server import answer
from tests.knowledge.files import encrypted_pdf, pdf
from tests.knowledge.library import OPERATOR, Library, state
from tests.security.logs import everything_logged


def ingest(library: Library, *paths: Path, workspace: str = "harbour", store: str = "handbook") -> tuple[str, str]:
    """What went to standard output and to standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command("knowledge_ingest", store, *map(str, paths), workspace=workspace, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "deep" / ".hidden").mkdir(parents=True)
    (root / "a.md").write_text("# Ferries\n\nEvery hour.")
    (root / "deep" / "b.html").write_text("<h1>Nights</h1><p>Twice.")
    (root / "c.pdf").write_bytes(pdf("By rail."))
    (root / "picture.png").write_bytes(b"\x89PNG")
    (root / "deep" / ".hidden" / "d.md").write_text("No.")
    (root / "link.md").symlink_to(root / "a.md")
    return root


def titles() -> list[str]:
    return list(Passage.objects.order_by("title").values_list("title", flat=True))


def test_a_folder_and_again(library: Library, folder: Path) -> None:
    out, err = ingest(library, folder)
    assert titles() == ["docs/a.md#1", "docs/c.pdf#1", "docs/deep/b.html#1"]
    assert out == "3 of 3 documents are in; the store has 3 passages.\n"
    assert err.splitlines() == [
        "[1/3] docs/a.md: added, 1 passages",
        "[2/3] docs/c.pdf: added, 1 passages",
        "[3/3] docs/deep/b.html: added, 1 passages",
    ]
    before, asked = state(), len(library.server.texts)
    out, err = ingest(library, folder, workspace=library.workspace_id)
    assert [line.rpartition(" ")[2] for line in err.splitlines()] == ["unchanged"] * 3
    assert (state(), len(library.server.texts)) == (before, asked)


def test_a_changed_file_and_a_file_by_itself(library: Library, folder: Path) -> None:
    ingest(library, folder / "a.md")
    (folder / "a.md").write_text("Twice a day.")
    _, err = ingest(library, folder / "a.md")
    assert err == "[1/1] a.md: changed, 1 passages\n"
    assert Passage.objects.values_list("title", "text").get() == ("a.md#1", "Twice a day.")


def test_broken_files_are_reported_and_the_rest_goes_on(library: Library, folder: Path, settings: Any) -> None:
    settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = 1
    (folder / "aa.md").write_bytes(b"\x00\x01")
    (folder / "bb.pdf").write_bytes(encrypted_pdf("x", "password"))
    (folder / "cc.md").write_text("")
    (folder / "dd.txt").write_bytes(b"x" * (50 << 20))
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="4 of 7 documents failed.") as failed:
        call_command("knowledge_ingest", "handbook", str(folder), workspace="harbour", stdout=out, stderr=err)
    assert failed.value.returncode == 1
    assert titles() == ["docs/a.md#1", "docs/c.pdf#1", "docs/deep/b.html#1"]
    assert Document.objects.count() == 3
    reported = [line.partition(": ")[2] for line in err.getvalue().splitlines() if line.startswith(str(folder))]
    assert reported == [
        "The file is not text: it has control characters.",
        "The PDF is encrypted. Save it without a password.",
        "The file is empty.",
        "The file is larger than 1 MiB.",
    ]


def test_an_interrupted_run_goes_on_where_it_was(library: Library, folder: Path) -> None:
    library.server.upstream.reply(500, match=lambda request: "By rail." in request.json["input"])
    with pytest.raises(CommandError, match="1 of 3 documents failed."):
        ingest(library, folder)
    assert titles() == ["docs/a.md#1", "docs/deep/b.html#1"]
    library.server.upstream._rules.clear()
    asked = len(library.server.texts)
    ingest(library, folder)
    assert titles() == ["docs/a.md#1", "docs/c.pdf#1", "docs/deep/b.html#1"]
    assert library.server.texts[asked:] == ["By rail."]


def test_what_does_not_exist(library: Library, folder: Path, tmp_path: Path) -> None:
    before = state()
    (tmp_path / "a.md").write_text("Another.")
    (tmp_path / "none").mkdir()
    for words, arguments in (
        ("no workspace nowhere", {"workspace": "nowhere"}),
        ("no embedding store none", {"store": "none"}),
    ):
        with pytest.raises(CommandError, match=words):
            ingest(library, folder, **arguments)
    for words, paths in (
        ("no file or folder", [folder / "none.md"]),
        ("no Markdown, text, HTML or PDF", [tmp_path / "none"]),
        ("Two files would be the document a.md", [folder / "a.md", tmp_path / "a.md"]),
    ):
        with pytest.raises(CommandError, match=words):
            ingest(library, *paths)
    assert state() == before


def test_the_worker_does_what_is_due(library: Library) -> None:
    accept_document(library.workspace_id, OPERATOR, "handbook", "a.md", b"Every hour.")
    accept_document(library.workspace_id, OPERATOR, "handbook", "b.md", b"Twice.")
    ids = dict(Document.objects.values_list("name", "id"))
    out = io.StringIO()
    with everything_logged() as written:
        call_command("knowledge_worker", once=True, stdout=out)
    assert out.getvalue() == ""
    lines = [json.loads(line) for line in written.getvalue().splitlines() if "embedded a document" in line]
    assert {line["document"]: line["passages"] for line in lines} == {ids["a.md"]: 1, ids["b.md"]: 1}
    assert "a.md" not in written.getvalue()
    assert titles() == ["a.md#1", "b.md#1"]


@pytest.mark.postgres
def test_a_worker_process_that_is_told_to_stop_gives_its_document_back(library: Library) -> None:
    """A real process; the server holds its first answer until the signal has been sent."""
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    document = accept_document(
        library.workspace_id, OPERATOR, "handbook", "a.md", "\n\n".join(["Every hour. " * 60] * 3).encode()
    ).document
    library.server.upstream.reply(json=answer([[1, 0, 0]]), delay=10, match="/v1/embeddings")
    environment = {
        **os.environ,
        "DATABASE_URL": address,
        "AGENTTEAM_EMBEDDING_ORIGINS": library.server.upstream.url,
        "DJANGO_SETTINGS_MODULE": "agentteam.settings",
        "AGENTTEAM_LOG_LEVEL": "INFO",
    }
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "knowledge_worker"],
        cwd=Path(__file__).parents[2],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        library.server.upstream.wait_for_requests(1, timeout=30)
        worker.send_signal(signal.SIGTERM)
        library.server.upstream.release()
        out, lines = worker.communicate(timeout=20)
    finally:
        worker.kill()
    assert (worker.returncode, out) == (0, "")
    last = json.loads(lines.splitlines()[-1])
    assert (last["event"], last["document"]) == ("gave a document back", document.id)
    assert "a.md" not in lines
    document.refresh_from_db()
    assert (document.status, document.claim, Passage.objects.count()) == ("pending", "", 0)
