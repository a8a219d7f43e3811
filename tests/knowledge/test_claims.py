"""Workers share the work, lose nothing when they stop, and put nothing in place that is no longer wanted."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from apps.knowledge import claims
from apps.knowledge.models import Document, Passage
from apps.knowledge.services.documents import accept_document, delete_document
from apps.knowledge.work import work_once
from tests.knowledge.library import OPERATOR, Library, work_until_done


def accept(library: Library, name: str, content: str) -> Document:
    return accept_document(library.workspace_id, OPERATOR, "handbook", name, content.encode()).document


def test_a_claimed_document_is_nobody_elses(library: Library) -> None:
    accept(library, "a.md", "Every hour.")
    job = claims.claim()
    assert job is not None
    assert (claims.claim(), claims.claim(document_id=job.document_id), work_once()) == (None, None, None)
    claims.release(job)
    assert work_once().passages == 1


def test_a_claim_runs_out_and_then_the_first_worker_changes_nothing(library: Library) -> None:
    document = accept(library, "a.md", "Every hour.")
    lost = claims.claim()
    Document.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert work_once().passages == 1
    before = Document.objects.values().get(), list(Passage.objects.values_list("pk", flat=True))

    assert not claims.renew(lost)
    claims.fail(lost, "late")
    claims.release(lost)
    assert (Document.objects.values().get(), list(Passage.objects.values_list("pk", flat=True))) == before
    document.refresh_from_db()
    assert document.status == Document.Status.READY


def test_a_worker_that_is_stopped_gives_its_document_back(library: Library) -> None:
    accept(library, "a.md", "\n\n".join("Ferries sail every hour. " * 30 for _ in range(3)))
    answers = iter([False, True])
    worked = work_once(stop=lambda: next(answers))
    assert (worked.left, Passage.objects.count()) == (True, 0)
    # The first batch had one passage: the dimension was not known.
    assert len(library.server.texts) == 1
    assert work_once().passages == 3


def test_new_content_during_the_work_wins(library: Library) -> None:
    document = accept(library, "a.md", "Old.")
    changed = iter([lambda: accept(library, "a.md", "New.")])

    def stop() -> bool:
        next(changed, lambda: None)()
        return False

    assert work_once(stop=stop).left
    assert Passage.objects.count() == 0
    work_until_done()
    assert Passage.objects.values_list("document_id", "text").get() == (document.id, "New.")


def test_a_document_that_is_deleted_during_the_work(library: Library) -> None:
    document = accept(library, "a.md", "Old.")

    def progress(name: str, done: int, total: int) -> None:
        if done == total:
            delete_document(library.workspace_id, OPERATOR, "handbook", document.id)

    assert work_once(progress=progress).left
    assert (Passage.objects.count(), Document.objects.count(), library.store().passages) == (0, 0, 0)


def test_retries_wait_longer_each_time(library: Library) -> None:
    library.server.upstream.reply(500)
    document = accept(library, "a.md", "Every hour.")
    waits = []
    for _ in range(6):
        started = timezone.now()
        assert work_once(document_id=document.id).error
        document.refresh_from_db()
        waits.append(round((document.due_at - started).total_seconds() / 30))
    assert waits == [1, 2, 4, 8, 16, 20]


@pytest.mark.postgres
def test_a_row_that_is_being_claimed_is_skipped(library: Library) -> None:
    first, second = accept(library, "a.md", "One."), accept(library, "b.md", "Two.")
    Document.objects.filter(pk=first.pk).update(due_at=timezone.now() - timedelta(minutes=1))
    claimed: list[str] = []

    def other_worker() -> None:
        job = claims.claim()
        claimed.append(job.document_id)
        connection.close()

    with transaction.atomic():
        Document.objects.select_for_update().get(pk=first.pk)
        thread = threading.Thread(target=other_worker)
        thread.start()
        thread.join(10)
    assert claimed == [second.pk]


@pytest.mark.postgres
def test_many_workers_do_everything_once(library: Library) -> None:
    for number in range(12):
        accept(library, f"{number}.md", f"Rule {number}.")

    def worker() -> None:
        work_until_done()
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(library.server.texts) == sorted(f"Rule {number}." for number in range(12))
    assert (Passage.objects.count(), library.store().passages) == (12, 12)
