"""Documents in: durable tasks, written down here and done by whoever runs them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from knowgate.engine.gated import Gated, gated
from knowgate.errors import ConflictError, ForbiddenError, InputError, KnowgateError, NotFoundError
from knowgate.knowledge.filters import may_admit
from knowgate.knowledge.inbox import check_names, is_upload, plain_name
from knowgate.knowledge.sources import already_there, document_id, is_url, resolve
from knowgate.knowledge.tasks import Request
from knowgate.model import LOCAL, FieldValue, Filter, Task, TaskFile, TaskKind
from knowgate.store.port import scan_all_documents

if TYPE_CHECKING:
    from knowgate.knowledge.embed.port import Embedder
    from knowgate.knowledge.ingest import Progress

Report = Callable[["Progress"], None]
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)


def _silent(_: Progress) -> None:
    pass


def _handed(_: object, contents: Sequence[tuple[str, object]], **_rest: object) -> list[str]:
    return [plain_name(name) for name, _ in contents]


def _asked_for(
    engine: Work, sources: Sequence[str | Path] = (), *, filename: str = "", **_rest: object
) -> Sequence[str]:
    return [plain_name(filename)] if filename else [str(each) for each in sources or engine.settings.docs]


class Work(Gated):
    def embedder(self) -> Embedder:
        return self.rooms.embedder()

    @gated("ingest", "write", changes=True, documents=_asked_for)
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
        if text is not None:
            if sources or not filename.strip():
                raise InputError("bad_text", "A text needs a filename, and no other source.", "Give text and filename.")
            content = text.encode("utf-8", "replace")
            return self.submit_contents([(filename, content)], force=force, owner=owner, fields=fields)
        self.may("write")
        chosen = tuple(sources) or self.settings.docs
        if not chosen:
            raise InputError(
                "nothing_to_ingest",
                "No file, folder or address was named.",
                "Name one, or set docs in knowgate.toml.",
            )
        if not all(_ADDRESS.match(str(each)) for each in chosen):
            # What lies on this machine is no business of whoever calls from elsewhere.
            self.may_rule()
        found = tuple(_source(str(each)) for each in chosen)
        request = replace(self._request(force, owner, fields), sources=found)
        self._may_write(request)
        for task in self.interrupted():
            left = self.rooms.tasks.request(task.id)
            # Begun, left and asked for again: what is left of it is part of the new task.
            if task.status == "running" and set(left.sources) <= set(found) and replace(left, sources=found) == request:
                # It may end by itself at this moment, which is as good.
                with suppress(ConflictError, NotFoundError):
                    self.cancel(task.id)
        return self._create(request)

    @gated("ingest", "write", changes=True)
    def index(self, force: bool = False) -> Task:
        """Write down that the configured folders are to be brought up to date."""
        self.may("write")
        if not self.settings.docs:
            raise InputError(
                "no_docs",
                "No docs path configured.",
                "Set docs in knowgate.toml or flowrag.config.json, or start with --docs FOLDER.",
            )
        return self.submit(self.settings.docs, force=force)

    @gated("ingest", "write", changes=True, documents=_handed)
    def submit_contents(
        self,
        contents: Sequence[tuple[str, bytes | BinaryIO]],
        *,
        force: bool = False,
        owner: str = "",
        fields: Mapping[str, FieldValue] | None = None,
        replacing: bool = True,
    ) -> Task:
        """Contents with the names they shall have, kept until their task is done. One name is one document."""
        self.may("write")
        called = [plain_name(name) for name, _ in contents]
        check_names(called)
        if not contents:
            raise InputError("nothing_to_ingest", "No file was handed over.", "Give at least one.")
        named = {f"text:{name}": name for name in called}
        request = replace(self._request(force, owner, fields), replacing=replacing)
        self._may_write(replace(request, sources=tuple(named), names=named))
        if not replacing:
            self._refuse_known(called)
        names: dict[str, str] = {}
        try:
            for name, (_, content) in zip(called, contents, strict=True):
                names[self.rooms.inbox.keep(content)] = name
            return self._create(replace(request, sources=tuple(names), names=names))
        except BaseException:
            self.rooms.inbox.discard(names)
            raise

    @gated("reembed", "admin", changes=True)
    def submit_reembed(self) -> Task:
        self.may_rule()
        return self._create(Request(embedder=self.embedder().identity, by=self.principal.id), "reembed")

    def run(self, task_id: str, report: Report = _silent) -> Task:
        """Do the task in this process, or watch another process do it."""
        self.may("write", "run_task")
        self._own(task_id)
        task = self.rooms.ingest.run(task_id, report)
        if task.status == "completed" and task.error is None and self._is_all(task):
            self.rooms.note_indexed()
        self.rooms.inbox.clear(task_id)
        return task

    def _is_all(self, task: Task) -> bool:
        """Whether all documents are as the configuration wants them after this task."""
        if not self.settings.docs:
            return not self.rooms.config_changes() or self.rooms.ingest.is_up_to_date()
        try:
            return {str(resolve(path)) for path in self.settings.docs} <= set(task.sources)
        except InputError:
            # One that is not there was not part of it.
            return False

    def ingest(
        self,
        sources: Sequence[str | Path] = (),
        *,
        text: str | None = None,
        filename: str = "",
        force: bool = False,
        report: Report = _silent,
    ) -> Task:
        return self.run(self.submit(sources, text=text, filename=filename, force=force).id, report)

    def reembed(self, report: Report = _silent) -> Task:
        return self.run(self.submit_reembed().id, report)

    def embed_pending(self, report: Report = _silent) -> None:
        """Give vectors to the documents that wait for them, whatever task or import brought them."""
        from knowgate.knowledge.ingest import Progress

        self.may_rule("embed_pending")
        self.rooms.embedding.run(lambda done, total: report(Progress("embedding", done, total)), lambda: False)

    def _request(self, force: bool, owner: str, fields: Mapping[str, FieldValue] | None) -> Request:
        local = self.principal is LOCAL
        return Request(
            force=force,
            owner=owner or (self.settings.ingest.owner if local else self.principal.name),
            fields=fields or {},
            by=self.principal.id,
            home=self.rooms.home,
            filter_id=self.principal.filter_id,
        )

    def _create(self, request: Request, kind: TaskKind = "ingest", read: Sequence[TaskFile] = ()) -> Task:
        task = self.rooms.tasks.create(kind, request, read)
        with self.rooms.submitted:
            self.rooms.submissions += 1
            self.rooms.submitted.notify_all()
        return task

    def _may_write(self, request: Request) -> None:
        """Who sees a part of the house writes nothing outside of it.

        What the filter tells by names is refused whether it is there or not, so that nobody learns of it by trying.
        """
        bound = self._bound()
        if bound is None:
            return
        names = {source: request.names.get(source) or _last_part(source) for source in request.sources}
        known = self.store.documents([document_id(source) for source in names])
        seen = {document.id for document in scan_all_documents(self.store, bound.within(Filter(ids=tuple(known))))}
        admitted = all(may_admit(bound, name, source, request.owner) for source, name in names.items())
        if not admitted or seen != set(known):
            raise ForbiddenError(
                "outside_filter",
                "One of these documents would lie, or lies, outside of this key's filter.",
                "Use a name that the filter lets through and that is not taken.",
            )

    def _refuse_known(self, names: Sequence[str]) -> None:
        wanted = [document_id(f"text:{name}") for name in names]
        for document in self.store.documents(wanted).values():
            raise already_there(document.name)

    # Tasks

    @gated("task", written=False)
    def task(self, task_id: str) -> Task:
        self.may("read")
        return self._own(task_id)

    @gated("task", written=False)
    def tasks(self, limit: int | None = None) -> list[Task]:
        """Newest first."""
        self.may("read")
        return list(islice((task for task in self.rooms.tasks.all() if self._is_own(task)), limit))

    @gated("task", written=False)
    def task_files(self, task_id: str) -> list[TaskFile]:
        self.task(task_id)
        return self.rooms.tasks.results(task_id)

    def interrupted(self) -> list[Task]:
        """Unfinished tasks that no living process is at and that are ours to do, oldest first."""
        self.may("write", "interrupted_tasks")
        return [task for task in self.rooms.tasks.unfinished() if self._is_own(task) and self._may_do(task)]

    @gated("cancel_task", "write", changes=True)
    def cancel(self, task_id: str) -> Task:
        """Whoever is at the task stops soon; when nobody is, it ends here."""
        self.may("write")
        self._own(task_id)
        tasks = self.rooms.tasks
        tasks.cancel(task_id)
        with self.rooms.leases.waiting(f"task:{task_id}", poll=0) as mine:
            if mine and not tasks.get(task_id).finished:
                tasks.finish(task_id)
                self.rooms.inbox.clear(task_id)
        return tasks.get(task_id)

    def fail(self, task_id: str, error: KnowgateError) -> Task:
        """End a task that could not be done, unless it has ended or somebody is at it."""
        self.may("write", "fail_task")
        task = self._own(task_id)
        with self.rooms.leases.waiting(f"task:{task_id}", poll=0) as mine:
            if mine and not task.finished:
                self.rooms.tasks.finish(task_id, error.as_dict())
                self.rooms.inbox.clear(task_id)
        return self.rooms.tasks.get(task_id)

    def _asked_before(self, task_id: str) -> Sequence[str]:
        """What a task was asked to ingest; one that is not there is told of later."""
        try:
            self._own(task_id)
            request = self.rooms.tasks.request(task_id)
        except NotFoundError:
            return ()
        return [request.names.get(source, source) for source in request.sources]

    @gated("ingest", "write", changes=True, documents=_asked_before)
    def retry(self, task_id: str) -> Task:
        """A new task for what a finished one was asked to do; what has not changed since is skipped."""
        self.may("write")
        if not self._own(task_id).finished:
            raise ConflictError("task_unfinished", f"Task {task_id} has not finished.", "Wait for it, or cancel it.")
        request = self.rooms.tasks.request(task_id)
        files = self.rooms.tasks.results(task_id) if request.names else []
        if request.names and not self._are_in(files):
            raise ConflictError(
                "content_gone", "The files of this task were handed over and are not kept.", "Hand them over again."
            )
        self._may_write(request)
        return self._create(
            replace(request, by=self.principal.id, home=self.rooms.home, filter_id=self.principal.filter_id),
            self.rooms.tasks.get(task_id).kind,
            # Nothing can be read again, and nothing has to be: only vectors may be missing.
            files,
        )

    def _are_in(self, handed: Sequence[TaskFile]) -> bool:
        """Whether files that were handed over have become documents, all of which are still there."""
        ids = [document_id(f"text:{file.name}") for file in handed if file.status in ("completed", "skipped")]
        return bool(ids) and len(ids) == len(handed) == len(self.store.documents(ids))

    @gated("task", written=False)
    def wait(self, task_id: str, seconds: float) -> Task:
        """The task when it is finished, or as it is after some seconds."""
        deadline = time.monotonic() + seconds
        while not (task := self.task(task_id)).finished and time.monotonic() < deadline:
            time.sleep(0.05)
        return task

    @gated("cancel_task", "write", changes=True)
    def forget(self, task_id: str) -> None:
        """Drop what is written down about a finished task."""
        self.may("write")
        self._own(task_id)
        self.rooms.tasks.forget(task_id)

    def _own(self, task_id: str) -> Task:
        task = self.rooms.tasks.get(task_id)
        if not self._is_own(task):
            raise NotFoundError("task_not_found", f"There is no task {task_id}.", "List them with `knowgate tasks`.")
        return task

    def _is_own(self, task: Task) -> bool:
        rules = self.principal.has("admin") and self.principal.filter_id is None
        return rules or task.owner == self.principal.id

    def _may_do(self, task: Task) -> bool:
        if self.rooms.leases.held(f"task:{task.id}"):
            return False
        request = self.rooms.tasks.request(task.id)
        # A path means a file of the machine on which it was named. Who has none there leaves it to that machine.
        paths = [source for source in request.sources if not is_url(source) and not is_upload(source)]
        if request.home not in ("", self.rooms.home) and not all(Path(path).exists() for path in paths):
            return False
        # New vectors are made by a process that is configured for the embedder they were asked of.
        return request.embedder is None or request.embedder == self.embedder().identity


def _last_part(address: str) -> str:
    """What a document from an address is called, unless its server has another name for it."""
    return unquote(PurePosixPath(urlsplit(address).path).name)


def _source(given: str) -> str:
    """A path made absolute, or an address in its plain form."""
    if not given.strip():
        raise InputError("empty_source", "One of the sources is an empty text.", "Name a file, a folder or an address.")
    if not _ADDRESS.match(given):
        return str(resolve(given))
    from knowgate.net.client import read_url

    return str(read_url(given).copy_with(fragment=None))
