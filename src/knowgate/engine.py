"""The composition root: builds the rooms from the settings and offers one object, Engine."""

from __future__ import annotations

import base64
import shutil
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from knowgate.config.settings import Settings
from knowgate.errors import ConflictError, InputError, NotFoundError
from knowgate.knowledge.sources import is_url, resolve
from knowgate.knowledge.tasks import Request, Tasks
from knowgate.model import Chunk, Document, FieldValue, Filter, SearchMode, SearchResult, Task, TaskFile
from knowgate.store.port import EVERYTHING, Batch, Stats, Store, scan_key

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
        self._closers: list[Callable[[], None]] = []

    # The rooms, each built when it is first needed

    @once
    def store(self) -> Store:
        from knowgate.store.sqlite.store import SqliteStore

        store = SqliteStore(self.settings.data, self.settings.store.sync)
        self._closers.append(store.close)
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
        self._closers.append(embedder.close)
        return embedder

    @once
    def _search(self) -> Search:
        from knowgate.knowledge.search import Search

        return Search(self.store, self.embedder)

    @once
    def _leases(self) -> Leases:
        from knowgate.knowledge.leases import Leases

        leases = Leases(self.store)
        self._closers.append(leases.close)
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
        self._closers.append(sandbox.close)
        rules = ReadRules(
            max_file_bytes=parse.max_file_mb * 1024 * 1024,
            chunk_tokens=self.settings.chunk.tokens,
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
            data=self.settings.data.absolute(),
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
            path = self._keep(text)
            return self.tasks.create("ingest", replace(request, sources=(path,), names={path: filename}))
        chosen = tuple(sources) or self.settings.docs
        if not chosen:
            raise InputError(
                "nothing_to_ingest",
                "No file, folder or address was named.",
                "Name one, or set docs in knowgate.toml.",
            )
        found = tuple(str(source) if is_url(str(source)) else str(resolve(source)) for source in chosen)
        return self.tasks.create("ingest", replace(request, sources=found))

    def submit_reembed(self) -> Task:
        return self.tasks.create("reembed", Request())

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
        """Unfinished tasks that no living process is at, oldest first."""
        return [task for task in self.tasks.unfinished() if not self._leases.held(f"task:{task.id}")]

    def embed_pending(self, report: Callable[[Progress], None] = lambda _: None) -> None:
        """Give vectors to the documents that wait for them, whatever task or import brought them."""
        from knowgate.knowledge.ingest import Progress

        self._embedding.run(lambda done, total: report(Progress("embedding", done, total)), lambda: False)

    def cancel(self, task_id: str) -> Task:
        """Whoever is at the task stops soon; when nobody is, it ends here."""
        self.tasks.cancel(task_id)
        with self._leases.waiting(f"task:{task_id}", poll=0) as mine:
            if mine:
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
        """Documents by name; the query is a part of the name, or a pattern with `*`."""
        if not 1 <= limit <= 1000:
            raise InputError("bad_limit", f"The limit {limit} is out of range.", "Use 1 to 1000.")
        where = Filter(names=(query if "*" in query else f"*{query}*",)) if query else EVERYTHING
        found = self.store.scan_documents(where, _after(cursor), limit + 1)
        return DocumentPage(tuple(found[:limit]), _cursor(found[limit - 1]) if len(found) > limit else "")

    def document(self, name: str) -> Document:
        """By name, source or id; a name that several documents share must be told apart by its source."""
        # A name may itself hold a star: what the pattern finds is compared once more.
        found = [
            document
            for document in self.store.scan_documents(Filter(names=(name,)))
            if name in (document.name, document.source)
        ]
        found = found or list(self.store.documents([name]).values())
        found = found or [
            document
            for document in self.store.scan_documents(Filter(names=(f"*/{name}",)))
            if document.name.endswith(f"/{name}")
        ]
        if not found:
            raise NotFoundError(
                "document_not_found", f"There is no document {name}.", "List them with `knowgate documents`."
            )
        if len(found) > 1:
            listed = "\n".join(f"  {document.source}" for document in found)
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

    def export(self, to: Path, *, overwrite: bool = False, vectors: bool = True) -> ExportReport:
        from knowgate.knowledge.portable import export

        return export(self.store, to, vectors=vectors, overwrite=overwrite)

    def import_(self, source: Path) -> ImportReport:
        from knowgate.knowledge.portable import import_

        report = import_(self.store, source)
        self.store.maintain()
        return report

    def close(self) -> None:
        while self._closers:
            self._closers.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _clear_inbox(self, task_id: str) -> None:
        for source in self.tasks.request(task_id).names:
            shutil.rmtree(Path(source).parent, ignore_errors=True)

    def _keep(self, text: str) -> str:
        folder = self.settings.data / INBOX / uuid.uuid4().hex
        folder.mkdir(parents=True)
        path = folder / "text"
        path.write_text(text, encoding="utf-8")
        return str(path.absolute())


def _cursor(last: Document) -> str:
    return base64.urlsafe_b64encode(scan_key(last).encode()).decode()


def _after(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor).decode()
    except ValueError as error:
        raise InputError(
            "bad_cursor", "The cursor is not one of ours.", "List again without a cursor to start at the beginning."
        ) from error
