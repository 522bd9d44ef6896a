"""The composition root: builds the rooms from the settings and offers one object, Engine."""

from __future__ import annotations

import base64
import re
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from knowgate.config.settings import Settings
from knowgate.errors import ConflictError, InputError, NotFoundError, StorageError
from knowgate.knowledge.sources import is_text, resolve
from knowgate.knowledge.tasks import Request, Tasks
from knowgate.model import Chunk, Document, FieldValue, Filter, SearchMode, SearchResult, Task, TaskFile
from knowgate.store.port import EVERYTHING, Batch, Stats, Store, scan_all_documents, scan_key

if TYPE_CHECKING:
    from knowgate.knowledge.embed.port import Embedder
    from knowgate.knowledge.embedding import Embedding
    from knowgate.knowledge.ingest import Ingest, Progress
    from knowgate.knowledge.leases import Leases
    from knowgate.knowledge.portable import ExportReport, ImportReport
    from knowgate.knowledge.search import Search

Room = TypeVar("Room")

INBOX = "inbox"
"""Where texts handed to us wait for their task."""
_FORGOTTEN_SECONDS = 3600.0
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    documents: tuple[Document, ...]
    cursor: str = ""


class once(Generic[Room]):  # noqa: N801
    """A property that is built on first use, by one thread."""

    def __init__(self, build: Callable[[Any], Room]) -> None:
        self._build = build

    def __get__(self, engine: Any, _: type) -> Room:
        with engine._lock:
            if self not in engine._rooms:
                engine._rooms[self] = self._build(engine)
            return engine._rooms[self]


class Engine:
    """Everything Knowgate can do, in process. Close it, or use it as a context manager."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._lock = threading.RLock()
        self._rooms: dict[object, object] = {}
        self._closers = ExitStack()

    # The rooms, each built when it is first needed

    @once
    def store(self) -> Store:
        from knowgate.store.sqlite.store import SqliteStore

        store = SqliteStore(self.settings.data, self.settings.store.sync)
        self._closers.callback(store.close)
        return store

    @once
    def tasks(self) -> Tasks:
        return Tasks(self.store)

    def embedder(self) -> Embedder:
        return self._embedder

    @once
    def _embedder(self) -> Embedder:
        from knowgate.knowledge.embed import create_embedder

        chosen = self.settings.embedder
        values = chosen.model_dump(exclude={"api_key"})
        embedder = create_embedder(**values, api_key=chosen.api_key.get_secret_value() if chosen.api_key else None)
        self._closers.callback(embedder.close)
        return embedder

    @once
    def _search(self) -> Search:
        from knowgate.knowledge.search import Search

        return Search(self.store, self.embedder)

    @once
    def _leases(self) -> Leases:
        from knowgate.knowledge.leases import Leases

        leases = Leases(self.store)
        self._closers.callback(leases.close)
        return leases

    @once
    def _embedding(self) -> Embedding:
        from knowgate.knowledge.embedding import Embedding

        return Embedding(self.store, self._leases, self.embedder)

    @once
    def _ingest(self) -> Ingest:
        from knowgate.knowledge.ingest import Ingest
        from knowgate.knowledge.parse.reader import ParseOptions
        from knowgate.knowledge.parse.sandbox import Sandbox
        from knowgate.knowledge.reading import Reading, ReadRules
        from knowgate.net import NetRules

        parse, fetch = self.settings.parse, self.settings.fetch
        sandbox = Sandbox(parse.timeout_seconds, parse.memory_mb * 1024 * 1024, parse.workers)
        leases = self._leases
        self._closers.callback(sandbox.close)
        rules = ReadRules(
            max_file_bytes=parse.max_file_mb * 1024 * 1024,
            # What is longer than the embedder reads would be cut off when it is embedded.
            chunk_tokens=min(self.settings.chunk.tokens, self.embedder().max_tokens),
            options=ParseOptions(ocr=parse.ocr),
            net=NetRules(fetch.allow_private, fetch.allow_hosts, fetch.max_mb * 1024 * 1024, fetch.timeout_seconds),
        )
        return Ingest(
            self.store,
            leases,
            self.tasks,
            Reading(self.store, sandbox, rules, lambda text: self.embedder().count(text)),
            self._embedding,
            exclude=self.settings.ingest.exclude,
            data=self.settings.data.resolve(),
            workers=parse.workers,
        )

    # Documents in

    def submit(
        self,
        sources: Sequence[str | Path] = (),
        *,
        text: str | None = None,
        filename: str = "",
        force: bool = False,
        owner: str = "",
        fields: Mapping[str, FieldValue] | None = None,
    ) -> Task:
        """Write down that these files, folders, addresses or this text are to be ingested. `run` does it."""
        request = Request(force=force, owner=owner or self.settings.ingest.owner, fields=fields or {})
        if text is not None:
            if sources or not filename.strip():
                raise InputError("bad_text", "A text needs a filename, and no other source.", "Give text and filename.")
            if not is_text(filename):
                raise InputError("bad_name", "The filename is not valid text.", "Use letters, digits and punctuation.")
            path = self._keep(text)
            return self.tasks.create("ingest", replace(request, sources=(path,), names={path: filename}))
        chosen = tuple(sources) or self.settings.docs
        if not chosen:
            raise InputError(
                "nothing_to_ingest",
                "No file, folder or address was named.",
                "Name one, or set docs in knowgate.toml.",
            )
        found = tuple(_source(str(each)) for each in chosen)
        request = replace(request, sources=found)
        for task in self.interrupted():
            left = self.tasks.request(task.id)
            # Begun, left and asked for again: what is left of it is part of the new task.
            if task.status == "running" and set(left.sources) <= set(found) and replace(left, sources=found) == request:
                self.cancel(task.id)
        return self.tasks.create("ingest", request)

    def submit_reembed(self) -> Task:
        return self.tasks.create("reembed", Request(embedder=self.embedder().identity))

    def run(self, task_id: str, report: Callable[[Progress], None] = lambda _: None) -> Task:
        """Do the task in this process, or watch another process do it."""
        task = self._ingest.run(task_id, report)
        self._clear_inbox(task_id)
        return task

    def ingest(
        self,
        sources: Sequence[str | Path] = (),
        *,
        text: str | None = None,
        filename: str = "",
        force: bool = False,
        report: Callable[[Progress], None] = lambda _: None,
    ) -> Task:
        return self.run(self.submit(sources, text=text, filename=filename, force=force).id, report)

    def reembed(self, report: Callable[[Progress], None] = lambda _: None) -> Task:
        return self.run(self.submit_reembed().id, report)

    def task(self, task_id: str) -> Task:
        return self.tasks.get(task_id)

    def task_files(self, task_id: str) -> list[TaskFile]:
        return self.tasks.results(task_id)

    def interrupted(self) -> list[Task]:
        """Unfinished tasks that no living process is at and that are ours to do, oldest first."""
        return [task for task in self.tasks.unfinished() if self._may_do(task)]

    def _may_do(self, task: Task) -> bool:
        if self._leases.held(f"task:{task.id}"):
            return False
        # New vectors are made by a process that is configured for the embedder they were asked of.
        wanted = self.tasks.request(task.id).embedder
        return wanted is None or wanted == self.embedder().identity

    def embed_pending(self, report: Callable[[Progress], None] = lambda _: None) -> None:
        """Give vectors to the documents that wait for them, whatever task or import brought them."""
        from knowgate.knowledge.ingest import Progress

        self._embedding.run(lambda done, total: report(Progress("embedding", done, total)), lambda: False)

    def cancel(self, task_id: str) -> Task:
        """Whoever is at the task stops soon; when nobody is, it ends here."""
        self.tasks.cancel(task_id)
        with self._leases.waiting(f"task:{task_id}", poll=0) as mine:
            if mine and not self.tasks.get(task_id).finished:
                self.tasks.finish(task_id)
                self._clear_inbox(task_id)
        return self.tasks.get(task_id)

    def forget(self, task_id: str) -> None:
        """Drop what is written down about a finished task."""
        self.tasks.forget(task_id)

    # What is there

    def search(
        self,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        limit: int | None = None,
        threshold: float = 0.0,
        where: Filter = EVERYTHING,
        cursor: str = "",
    ) -> SearchResult:
        from knowgate.knowledge.search import Query

        limit = self.settings.search.limit if limit is None else limit
        return self._search(Query(query, mode, limit, threshold, where, cursor))

    def documents(self, query: str = "", *, limit: int = 100, cursor: str = "") -> DocumentPage:
        """Documents by name; the query is a part of the name in any case, or a pattern with `*`."""
        if not 1 <= limit <= 1000:
            raise InputError("bad_limit", f"The limit {limit} is out of range.", "Use 1 to 1000.")
        pattern = query.casefold() if "*" in query else f"*{escape(query.casefold())}*"
        everything = scan_all_documents(self.store, after=_after(cursor))
        named = (document for document in everything if fnmatchcase(document.name.casefold(), pattern))
        found = list(islice(named, limit + 1))
        return DocumentPage(tuple(found[:limit]), _cursor(found[limit - 1]) if len(found) > limit else "")

    def document(self, name: str) -> Document:
        """By name, source or id; a name that several documents share must be told apart by its source."""
        found = list(self.store.documents([name]).values())
        found = found or [each for each in scan_all_documents(self.store) if name in (each.name, each.source)]
        found = found or [each for each in scan_all_documents(self.store) if each.name.endswith(f"/{name}")]
        if not found:
            raise NotFoundError(
                "document_not_found", f"There is no document {name}.", "List them with `knowgate documents`."
            )
        if len(found) > 1:
            listed = "\n".join(f"  {each.source}" for each in found[:20])
            raise ConflictError(
                "ambiguous_name", f"{len(found)} documents are called {name}:\n{listed}\n", "Name one by its source."
            )
        return found[0]

    def passages(self, document: Document) -> list[Chunk]:
        return self.store.document_chunks(document.id)

    def waiting(self, documents: Sequence[Document]) -> set[str]:
        """Ids of those whose vectors are missing."""
        if not self.store.stats().pending:
            return set()
        return {document.id for document in documents if self.store.document_vectors(document.id) is None}

    def delete(self, name: str) -> Document:
        document = self.document(name)
        self.store.apply(Batch(delete=[document.id]))
        return document

    def stats(self) -> Stats:
        return self.store.stats()

    # Moving house

    def export(
        self,
        to: Path,
        *,
        overwrite: bool = False,
        vectors: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> ExportReport:
        from knowgate.knowledge.portable import export

        return export(self.store, to, vectors=vectors, overwrite=overwrite, progress=progress)

    def import_(self, source: Path, *, progress: Callable[[int, int], None] | None = None) -> ImportReport:
        from knowgate.knowledge.portable import import_

        report = import_(self.store, source, progress=progress)
        self.store.maintain()
        return report

    def close(self) -> None:
        self._closers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _clear_inbox(self, task_id: str) -> None:
        for source in self.tasks.request(task_id).names:
            shutil.rmtree(Path(source).parent, ignore_errors=True)

    def _keep(self, text: str) -> str:
        """Put a text where its task finds it; what a killed process left there is cleared away on this occasion."""
        waiting = {Path(each).parent for task in self.tasks.unfinished() for each in self.tasks.request(task.id).names}
        inbox = self.settings.data.absolute() / INBOX
        try:
            for left in inbox.iterdir() if inbox.is_dir() else ():
                if left not in waiting and left.stat().st_mtime < time.time() - _FORGOTTEN_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)
            path = inbox / uuid.uuid4().hex / "text"
            path.parent.mkdir(parents=True)
            path.write_bytes(text.encode("utf-8", "replace"))
        except OSError as error:
            raise StorageError(
                "cannot_write",
                f"The data folder cannot be written: {error.strerror}.",
                "Check its space and permissions.",
            ) from error
        return str(path)


def _source(given: str) -> str:
    """A path made absolute, or an address in its plain form."""
    if not given.strip():
        raise InputError("empty_source", "One of the sources is an empty text.", "Name a file, a folder or an address.")
    if not _ADDRESS.match(given):
        return str(resolve(given))
    from knowgate.net.client import read_url

    return str(read_url(given).copy_with(fragment=None))


def _cursor(last: Document) -> str:
    return base64.urlsafe_b64encode(scan_key(last).encode()).decode()


def _after(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor).decode()
    except ValueError as error:
        raise InputError(
            "bad_cursor", "The cursor is not one of ours.", "List again without a cursor to start at the beginning."
        ) from error
