"""Durable tasks: what was asked, how far it is, and what became of each file. All of it is records in the store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from knowgate.errors import ConflictError, NotFoundError
from knowgate.knowledge.sources import Source, storable
from knowgate.model import EmbedderIdentity, FieldValue, FileStatus, ModelUse, Task, TaskFile, TaskKind
from knowgate.store.port import Batch, Record, Store, new_id, scan_all_records

KEPT_SECONDS = 7 * 86_400.0
KEPT = 10_000
"""How long finished tasks are remembered, and how many."""
_PRUNE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """What a task is to do."""

    sources: tuple[str, ...] = ()
    """Absolute paths of files and folders, addresses, or what lies in the inbox."""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """For a source that is not to be known by its path: what it is called. It becomes the document `text:NAME`."""
    force: bool = False
    """Read again what has not changed."""
    owner: str = "local"
    fields: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    embedder: EmbedderIdentity | None = None
    """For new vectors: whose. A process with another configuration must not take the task up."""
    by: str = "local"
    """Who asked: a principal's id."""
    home: str = ""
    """Where the paths are meant: a machine and its data folder. Another may do the task if it has these files, too."""
    filter_id: str | None = None
    """Whoever sees a part of the house brings nothing in outside of this saved filter."""
    replacing: bool = True
    """Whether a document of a name may be replaced."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a task with the record it is kept in."""

    id: str
    source: Source
    value: Mapping[str, Any]


class Tasks:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._pruned = -_PRUNE_SECONDS

    def create(self, kind: TaskKind, request: Request, read: Sequence[TaskFile] = ()) -> Task:
        """`read` are its files when another task has read them."""
        id = new_id()
        now = time.time()
        value = {
            "kind": kind,
            "status": "pending",
            "stage": "reading" if read else "listing",
            "request": asdict(replace(request, fields=storable(request.fields))),
            "created_at": now,
            "updated_at": now,
        }
        done = [replace(file, status="skipped" if file.status == "completed" else file.status) for file in read]
        # Those that are not finished are written down apart: finding them costs nothing, however many there were.
        records = [Record("task", id, value), Record("task_open", id, {}), *_rows(id, done)]
        self._store.apply(Batch(records=records))
        return self.get(id)

    def get(self, id: str) -> Task:
        return self._task(self.record(id))

    def _task(self, record: Record) -> Task:
        id, value = record.id, record.value
        counts = value.get("counts")
        if counts is None:
            counts = Counter(row.value["status"] for row in self.files(id))
        return Task(
            id=id,
            kind=value["kind"],
            status=value["status"],
            stage=value["stage"],
            sources=tuple(value["request"]["names"].get(source, source) for source in value["request"]["sources"]),
            created_at=value["created_at"],
            updated_at=value["updated_at"],
            total=sum(counts.values()),
            completed=counts.get("completed", 0),
            skipped=counts.get("skipped", 0),
            ignored=counts.get("ignored", 0),
            failed=counts.get("failed", 0),
            removed=value.get("removed", 0),
            error=value.get("error"),
            owner=value["request"].get("by", "local"),
            model_use=ModelUse(**value["model_use"]) if "model_use" in value else None,
            passages=value.get("passages", 0),
            embedded=value.get("embedded", 0),
        )

    def record(self, id: str) -> Record:
        record = self._store.record("task", id)
        if record is None:
            raise NotFoundError("task_not_found", f"There is no task {id}.", "List them with `knowgate tasks`.")
        return record

    def request(self, id: str) -> Request:
        value: dict[str, Any] = dict(self.record(id).value["request"])
        value["sources"] = tuple(value["sources"])
        value["embedder"] = value["embedder"] and EmbedderIdentity(**value["embedder"])
        return Request(**value)

    def all(self) -> list[Task]:
        """Newest first."""
        return [self._task(record) for record in reversed(list(scan_all_records(self._store, "task")))]

    def unfinished(self) -> list[Task]:
        """Oldest first: the order in which they are taken up again."""
        records = (self._store.record("task", each.id) for each in scan_all_records(self._store, "task_open"))
        return [self._task(record) for record in records if record and record.value["stage"] != "done"]

    def files(self, id: str) -> Iterator[FileRow]:
        for record in scan_all_records(self._store, "task_file", f"{id}/"):
            yield FileRow(record.id, Source(record.value["source"], record.value["name"]), record.value)

    def results(self, id: str) -> list[TaskFile]:
        self.record(id)
        return [
            TaskFile(
                row.source.source,
                row.source.name,
                row.value["status"],
                row.value.get("chunks", 0),
                row.value.get("error"),
                tuple(row.value.get("warnings", ())),
            )
            for row in self.files(id)
        ]

    def update(self, id: str, also: Batch | None = None, **changes: Any) -> None:
        """Change the task, and write `also` in the same breath. Whoever is at a task holds its lease there."""
        value = {**self.record(id).value, **changes, "updated_at": time.time()}
        also = also or Batch()
        self._store.apply(replace(also, records=[*also.records, Record("task", id, value)]))

    def note_model(self, id: str, row: FileRow, use: ModelUse, warnings: Sequence[str]) -> list[Record]:
        """What is to be written when a model has read a file: what that cost, and what it missed."""
        task = self.record(id)
        so_far = ModelUse(**task.value.get("model_use", {})) + use
        value = {**task.value, "model_use": asdict(so_far), "updated_at": time.time()}
        told = [*row.value.get("warnings", ()), *warnings]
        return [Record("task", id, value), Record("task_file", row.id, {**row.value, "warnings": told})]

    def list_files(
        self,
        id: str,
        files: Sequence[Source],
        problems: Sequence[TaskFile],
        gone: Sequence[str],
        holds: Sequence[Record] = (),
    ) -> None:
        """From now on the task knows its files; documents that are gone are deleted with it."""
        rows = _rows(id, [*(TaskFile(file.source, file.name, "pending") for file in files), *problems])
        listing = Batch(records=rows, delete=gone, holds=holds)
        self.update(id, listing, stage="reading", status="running", removed=len(gone))

    def cancel(self, id: str) -> None:
        record = self.record(id)
        if record.value["stage"] == "done":
            raise ConflictError("task_finished", f"Task {id} has already finished.", "There is nothing to cancel.")
        self._store.apply(Batch(records=[Record("task_cancel", id, {})]))

    def cancelled(self, id: str) -> bool:
        return self._store.record("task_cancel", id) is not None

    def finish(self, id: str, error: Mapping[str, str] | None = None, holds: Sequence[Record] = ()) -> Task:
        """Settle the status from what became of the files."""
        counts = Counter(row.value["status"] for row in self.files(id))
        if self.cancelled(id):
            status = "cancelled"
            counts["cancelled"] += counts.pop("pending", 0) + counts.pop("running", 0)
        elif counts and counts["failed"] == counts.total():
            status = "failed"
        else:
            status = "failed" if error and not counts else "completed"
        drop = Batch(drop=[("task_cancel", id), ("task_open", id)], holds=holds)
        self.update(id, drop, status=status, stage="done", counts=dict(counts), error=error)
        task = self.get(id)
        self._prune(keep=id)
        return task

    def forget(self, id: str) -> None:
        """Drop what is written down about a finished task."""
        if self.record(id).value["stage"] != "done":
            raise ConflictError("task_unfinished", f"Task {id} has not finished.", "Cancel it first.")
        self._drop(id)

    def _drop(self, id: str) -> None:
        files = [("task_file", row.id) for row in self.files(id)]
        self._store.apply(Batch(drop=[*files, ("task", id)]))

    def _prune(self, keep: str) -> None:
        now = time.monotonic()
        if now < self._pruned + _PRUNE_SECONDS:
            return
        self._pruned = now
        long_ago = time.time() - KEPT_SECONDS
        finished = [record for record in scan_all_records(self._store, "task") if record.value["stage"] == "done"]
        for n, record in enumerate(finished):
            if record.id != keep and (record.value["updated_at"] < long_ago or n < len(finished) - KEPT):
                self._drop(record.id)


def _rows(id: str, files: Sequence[TaskFile]) -> list[Record]:
    """The files of a task as they are known before they are read."""
    return [
        Record(
            "task_file",
            f"{id}/{n:08d}",
            {"source": file.source, "name": file.name, "status": file.status, "error": file.error},
        )
        for n, file in enumerate(files)
    ]


def file_record(row: FileRow, status: FileStatus, **more: Any) -> Record:
    return Record("task_file", row.id, {"source": row.source.source, "name": row.source.name, "status": status, **more})
