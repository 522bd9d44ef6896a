"""Running a task: list the files, read each into the store, then give the new passages their vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from knowgate.errors import KnowgateError, StorageError
from knowgate.knowledge.embedding import Embedding
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.reading import Reading
from knowgate.knowledge.sources import Source, document_id, is_url, list_files, resolve, vanished
from knowgate.knowledge.tasks import FileRow, Request, Tasks, file_record
from knowgate.model import Task
from knowgate.store.port import Batch, DocumentWrite, Store, scan_all_documents

Outcome = DocumentWrite | Literal["unchanged", "busy"] | KnowgateError
_POLL_SECONDS = 0.2
_MAINTAIN_EVERY = 2_000
"""Documents between two rounds of maintenance in a long run."""


@dataclass(frozen=True, slots=True)
class Progress:
    stage: Literal["listing", "reading", "embedding"]
    done: int
    total: int
    """Files while reading, passages while embedding."""
    name: str = ""


Report = Callable[[Progress], None]


class Ingest:
    def __init__(
        self,
        store: Store,
        leases: Leases,
        tasks: Tasks,
        reading: Reading,
        embedding: Embedding,
        *,
        exclude: tuple[str, ...],
        data: Path,
        workers: int,
    ) -> None:
        self._store = store
        self._leases = leases
        self._tasks = tasks
        self._reading = reading
        self._embedding = embedding
        self._exclude = exclude
        self._data = data
        self._workers = workers

    def run(self, task_id: str, report: Report) -> Task:
        """Do the task, or watch it while another process does it; taken up where it was left."""
        while not (task := self._tasks.get(task_id)).finished:
            with self._leases.waiting(f"task:{task_id}", _POLL_SECONDS) as mine:
                if mine:
                    return self._run(task_id, report)
                report(Progress("reading", task.completed + task.skipped + task.failed, task.total))
        return task

    def _run(self, task_id: str, report: Report) -> Task:
        record = self._tasks.record(task_id)
        try:
            if record.value["kind"] == "reembed":
                self._embedding.restart()
            else:
                if record.value["stage"] == "listing":
                    report(Progress("listing", 0, 0))
                    self._list(task_id)
                self._read(task_id, report)
            self._tasks.update(task_id, stage="embedding", status="running")
            self._embedding.run(
                lambda done, total: report(Progress("embedding", done, total)), lambda: self._tasks.cancelled(task_id)
            )
        except StorageError:
            # Nothing can be written now; the task stays as it is and is taken up again.
            raise
        except KnowgateError as error:
            task = self._tasks.finish(task_id, error.as_dict())
            if not task.total:
                raise
            # The documents are in and found by keyword; only their vectors are missing.
            return task
        return self._tasks.finish(task_id)

    def _list(self, task_id: str) -> None:
        request = self._tasks.request(task_id)
        files: dict[str, Source] = {}
        misnamed: list[str] = []
        gone: list[str] = []
        for source in request.sources:
            if is_url(source) or source in request.names:
                files[source] = Source(source, request.names.get(source, source))
                continue
            root = resolve(source)
            listing = list_files(root, self._exclude, skip=self._data)
            files |= {file.source: file for file in listing.files}
            misnamed += listing.misnamed
            if root.is_dir():
                known = (document.source for document in scan_all_documents(self._store))
                gone += [document_id(source) for source in vanished(known, root, listing)]
        self._tasks.list_files(task_id, list(files.values()), misnamed, gone)

    def _read(self, task_id: str, report: Report) -> None:
        request = self._tasks.request(task_id)
        rows = list(self._tasks.files(task_id))
        waiting = [row for row in rows if row.value["status"] in ("pending", "running")]
        done = len(rows) - len(waiting)
        report(Progress("reading", done, len(rows)))
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="knowgate-read")
        try:
            for row, outcome in self._outcomes(pool, waiting, request, lambda: self._tasks.cancelled(task_id)):
                try:
                    self._store.apply(self._settled(row, outcome))
                finally:
                    self._leases.forget(_lease(row.source))
                done += 1
                report(Progress("reading", done, len(rows), row.source.name))
                if done % _MAINTAIN_EVERY == 0:
                    self._store.maintain()
        finally:
            # Whoever interrupts us does not wait for files being read; closing the sandbox ends them.
            pool.shutdown(wait=False, cancel_futures=True)
        self._store.maintain()

    def _outcomes(
        self, pool: ThreadPoolExecutor, waiting: list[FileRow], request: Request, cancelled: Callable[[], bool]
    ) -> Iterator[tuple[FileRow, Outcome]]:
        """Read a few files ahead; a file that another process is at comes back to the end of the queue."""
        queue = list(reversed(waiting))
        running: dict[Future[Outcome], FileRow] = {}
        try:
            while queue or running:
                if cancelled():
                    queue.clear()
                while queue and len(running) < 2 * self._workers:
                    row = queue.pop()
                    running[pool.submit(self._outcome, row, request)] = row
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    row = running.pop(future)
                    outcome = future.result()
                    if outcome == "busy":
                        time.sleep(_POLL_SECONDS)
                        queue.insert(0, row)
                    else:
                        yield row, outcome
        finally:
            for row in running.values():
                self._leases.forget(_lease(row.source))

    def _outcome(self, row: FileRow, request: Request) -> Outcome:
        if not self._leases.take(_lease(row.source)):
            return "busy"
        try:
            write = self._reading(
                row.source,
                known_as=request.names.get(row.source.source, ""),
                force=request.force,
                owner=request.owner,
                fields=request.fields,
            )
        except KnowgateError as error:
            return error
        return write or "unchanged"

    def _settled(self, row: FileRow, outcome: Outcome) -> Batch:
        """The document, what became of the file and the end of the lease, in one transaction."""
        drop = [("lease", _lease(row.source))]
        if isinstance(outcome, KnowgateError):
            return Batch(records=[file_record(row, "failed", error=outcome.as_dict())], drop=drop)
        if isinstance(outcome, DocumentWrite):
            more = {"chunks": len(outcome.chunks), "warnings": outcome.document.warnings}
            return Batch(documents=[outcome], records=[file_record(row, "completed", **more)], drop=drop)
        return Batch(records=[file_record(row, "skipped")], drop=drop)


def _lease(source: Source) -> str:
    return f"document:{document_id(source.source)}"
