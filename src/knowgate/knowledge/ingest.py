"""Running a task: list the files, read each into the store, give the new passages their vectors, and have a model read
them if there is one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from knowgate.errors import ConflictError, DocumentError, ForbiddenError, KnowgateError, StorageError
from knowgate.knowledge.embedding import Embedding
from knowgate.knowledge.filters import admits
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.reading import Reading
from knowgate.knowledge.sources import Source, already_there, document_id, is_url, list_files, resolve, vanished
from knowgate.knowledge.tasks import FileRow, Request, Tasks, file_record
from knowgate.model import EVERYTHING, Filter, ModelUse, Task, TaskFile
from knowgate.store.port import Batch, DocumentWrite, Record, Store, scan_all_documents, scan_key

if TYPE_CHECKING:
    from knowgate.knowledge.extract.llm.stage import ModelExtraction

_POLL_SECONDS = 0.2
_NOTE_SECONDS = 1.0
"""How often a task is told how far its vectors are."""
_NO_DOCUMENT = frozenset({"unsupported_type", "empty_document", "picture"})
"""Nobody meant these to be indexed, unless they were named."""
_TAKEN_OVER = "record_changed"
"""The code of a store's refusal when a lease that the writer holds is another's by now."""
_MAINTAIN_EVERY = 2_000
"""Documents between two rounds of maintenance in a long run."""


@dataclass(frozen=True, slots=True)
class Progress:
    stage: Literal["listing", "reading", "embedding", "extracting"]
    done: int
    total: int
    """Files while reading, passages later."""
    name: str = ""


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that was looked at; no outcome means that it has not changed."""

    row: FileRow
    lease: Record
    outcome: DocumentWrite | KnowgateError | None


class Ingest:
    def __init__(
        self,
        store: Store,
        leases: Leases,
        tasks: Tasks,
        reading: Reading,
        embedding: Embedding,
        extraction: ModelExtraction | None = None,
        *,
        exclude: tuple[str, ...],
        data: Path,
        workers: int,
        bound: Callable[[str], Filter],
    ) -> None:
        """`bound` is what a saved filter lets through."""
        self._store = store
        self._leases = leases
        self._tasks = tasks
        self._reading = reading
        self._embedding = embedding
        self._extraction = extraction
        self._exclude = exclude
        self._data = data
        self._workers = workers
        self._bound = bound
        self._up_to_date_until = ""

    def run(self, task_id: str, report: Report) -> Task:
        """Do the task, or watch it while another process does it; taken up where it was left."""
        while not (task := self._tasks.get(task_id)).finished:
            with self._leases.waiting(f"task:{task_id}", _POLL_SECONDS) as lease:
                if lease is None:
                    report(Progress("reading", task.processed, task.total))
                elif not self._tasks.get(task_id).finished:
                    try:
                        return self._run(task_id, lease, report)
                    except ConflictError as error:
                        # We slept so long that another process took over. It is at it, or we begin where it was left.
                        if error.code != _TAKEN_OVER:
                            raise
        return task

    def _run(self, task_id: str, lease: Record, report: Report) -> Task:
        holds = [lease]
        request = self._tasks.request(task_id)
        if request.embedder:
            # Not our task to fail: a process that is configured for it takes it up.
            self._embedding.check(request.embedder)
        try:
            if request.embedder:
                self._embedding.restart()
            else:
                self.bring_in(task_id, report, holds)
            self._tasks.update(task_id, Batch(holds=holds), stage="embedding", status="running")
            self._embed(task_id, request, report, holds)
            if self._extraction and not request.embedder:
                self._tasks.update(task_id, Batch(holds=holds), stage="extracting")
                self._extract(self._extraction, task_id, request, report)
        except KnowgateError as error:
            if isinstance(error, StorageError) or error.code == _TAKEN_OVER:
                # Nothing can be written now, or by us; the task stays as it is and is taken up again.
                raise
            task = self._tasks.finish(task_id, error.as_dict(), holds)
            if not task.total:
                raise
            # The documents are in and found by keyword; only vectors, or what a model would find, are missing.
            return task
        return self._tasks.finish(task_id, holds=holds)

    def _embed(self, task_id: str, request: Request, report: Report, holds: Sequence[Record]) -> None:
        noted = time.monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal noted
            # For whoever only sees the task; the last number stays in it.
            if done == total or time.monotonic() >= noted + _NOTE_SECONDS:
                self._tasks.update(task_id, Batch(holds=holds), embedded=done, passages=total)
                noted = time.monotonic()
            report(Progress("embedding", done, total))

        def cancelled() -> bool:
            return self._tasks.cancelled(task_id)

        if request.embedder:
            self._embedding.run(progress, cancelled)
            return
        # What others brought in is theirs to wait for.
        self._embedding.run_for(list(self._own(task_id, request)), progress, cancelled)

    def _extract(self, extraction: ModelExtraction, task_id: str, request: Request, report: Report) -> None:
        rows = self._own(task_id, request)
        before = self._tasks.get(task_id).model_use or ModelUse()

        def progress(done: int, total: int, use: ModelUse) -> None:
            report(Progress("extracting", done, total, str(before + use)))

        extraction.run_for(
            list(rows),
            task_id,
            force=request.force,
            progress=progress,
            cancelled=lambda: self._tasks.cancelled(task_id),
            note=lambda document, use, warnings: self._tasks.note_model(task_id, rows[document], use, warnings),
        )

    def _own(self, task_id: str, request: Request) -> dict[str, FileRow]:
        """The documents of a task that are in, by id."""
        rows = self._tasks.files(task_id)
        return {_document(row.source, request): row for row in rows if row.value["status"] in ("completed", "skipped")}

    def bring_in(self, task_id: str, report: Report, holds: Sequence[Record] = ()) -> None:
        """List and read the files: from now on keywords find them, and their passages wait for vectors."""
        request = self._tasks.request(task_id)
        self._list(task_id, request, report, holds)
        self._read(task_id, request, report, holds)

    def is_up_to_date(self) -> bool:
        """Whether no document keeps what an older schema or model found; the next look starts at one that does."""
        for document in scan_all_documents(self._store, after=self._up_to_date_until):
            if self._reading.has_other_types(document):
                return False
            self._up_to_date_until = scan_key(document)
        return True

    def _list(self, task_id: str, request: Request, report: Report, holds: Sequence[Record]) -> None:
        if self._tasks.record(task_id).value["stage"] != "listing":
            return
        report(Progress("listing", 0, 0))
        # Before looking at the folders: what another process adds meanwhile is not taken for vanished.
        known = [document.source for document in scan_all_documents(self._store)]
        files: dict[str, Source] = {}
        problems: dict[str, TaskFile] = {}
        gone: set[str] = set()
        for source in request.sources:
            if is_url(source) or source in request.names:
                files[source] = Source(source, request.names.get(source, source))
                continue
            root = resolve(source)
            listing = list_files(root, self._exclude, skip=self._data)
            files |= {file.source: file for file in listing.files}
            problems |= {each.source: each for each in listing.problems()}
            if root.is_dir():
                gone.update(vanished(known, root, listing))
        # A link that leads out of one folder may lie well within another.
        others = [each for each in problems.values() if each.source not in files]
        removed = [document_id(source) for source in sorted(gone - files.keys())]
        self._tasks.list_files(task_id, list(files.values()), others, removed, holds)

    def _read(self, task_id: str, request: Request, report: Report, holds: Sequence[Record]) -> None:
        rows = list(self._tasks.files(task_id))
        waiting = [row for row in rows if row.value["status"] == "pending"]
        done = len(rows) - len(waiting)
        report(Progress("reading", done, len(rows)))
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="knowgate-read")
        try:
            for read in self._readings(pool, waiting, request, lambda: self._tasks.cancelled(task_id)):
                self._settle(read, request, holds)
                done += 1
                report(Progress("reading", done, len(rows), read.row.source.name))
                if done % _MAINTAIN_EVERY == 0:
                    self._store.maintain()
        finally:
            # Whoever interrupts us does not wait for files being read; closing the sandbox ends them.
            pool.shutdown(wait=False, cancel_futures=True)
        self._store.maintain()

    def _readings(
        self, pool: ThreadPoolExecutor, waiting: list[FileRow], request: Request, cancelled: Callable[[], bool]
    ) -> Iterator[_Read]:
        """Read a few files ahead; a file that another process is at comes back to the end of the queue."""
        queue = deque(waiting)
        running: dict[Future[_Read | None], FileRow] = {}
        try:
            while queue or running:
                if cancelled():
                    queue.clear()
                while queue and len(running) < 2 * self._workers:
                    row = queue.popleft()
                    running[pool.submit(self._read_one, row, request)] = row
                finished = {future: future.result() for future in wait(running, return_when=FIRST_COMPLETED).done}
                for future, read in finished.items():
                    row = running.pop(future)
                    if read is None:
                        queue.append(row)
                    else:
                        yield read
                if finished and not any(finished.values()):
                    time.sleep(_POLL_SECONDS)
        finally:
            for future in running:
                future.cancel()
                future.add_done_callback(self._leave)

    def _leave(self, unwanted: Future[_Read | None]) -> None:
        if not unwanted.cancelled() and not unwanted.exception() and (read := unwanted.result()):
            self._leases.leave(read.lease)

    def _read_one(self, row: FileRow, request: Request) -> _Read | None:
        """What became of the file; None while another process is at it."""
        id = _document(row.source, request)
        lease = self._leases.take(f"document:{id}")
        if lease is None:
            return None
        try:
            outcome = self._reading(
                row.source,
                known_as=request.names.get(row.source.source, ""),
                force=request.force,
                owner=request.owner,
                fields=request.fields,
            )
            self._check(id, outcome, request)
        except StorageError:
            self._leases.leave(lease)
            raise
        except KnowgateError as error:
            outcome = error
        except Exception as error:  # noqa: BLE001 - one odd file must not end the run, now and at every resumption
            kind = type(error).__name__
            fix = "Please report it with the file, if you can share it."
            outcome = DocumentError("read_failed", f"{row.source.name} could not be read ({kind}).", fix)
        return _Read(row, lease, outcome)

    def _check(self, id: str, new: DocumentWrite | None, request: Request) -> None:
        """Only now it is known what type the document has, and what others have brought in since it was asked for."""
        if request.replacing and request.filter_id is None:
            return
        stored = self._store.documents([id]).get(id)
        bound = self._bound(request.filter_id) if request.filter_id is not None else EVERYTHING
        for document in (stored, new and new.document):
            if document and not admits(bound, document):
                raise ForbiddenError(
                    "outside_filter",
                    f"{document.name} is outside of this key's filter.",
                    "Use another name or type, or another key.",
                )
        if stored and new and not request.replacing:
            raise already_there(stored.name)

    def _settle(self, read: _Read, request: Request, holds: Sequence[Record]) -> None:
        """The document, what became of the file and the end of the lease, in one transaction."""
        documents: list[DocumentWrite] = []
        if isinstance(read.outcome, KnowgateError):
            found = read.row.source.source not in request.sources and read.outcome.code in _NO_DOCUMENT
            record = file_record(read.row, "ignored" if found else "failed", error=read.outcome.as_dict())
        elif read.outcome:
            documents = [read.outcome]
            more = {"chunks": len(read.outcome.chunks), "warnings": read.outcome.document.warnings}
            record = file_record(read.row, "completed", **more)
        else:
            record = file_record(read.row, "skipped")
        end = Batch(records=[record], drop=[("lease", read.lease.id)], holds=[read.lease, *holds])
        try:
            try:
                self._store.apply(replace(end, documents=documents))
            except (ConflictError, DocumentError) as error:
                if error.code == _TAKEN_OVER:
                    raise
                # The store will never take it, or its source is taken; say so and go on.
                self._store.apply(replace(end, records=[file_record(read.row, "failed", error=error.as_dict())]))
        except BaseException:
            self._leases.leave(read.lease)
            raise
        self._leases.forget(read.lease.id)


def _document(source: Source, request: Request) -> str:
    name = request.names.get(source.source)
    return document_id(f"text:{name}" if name else source.source)
