"""Having a model read the passages of documents that are in already.

What it says of a passage is kept as soon as it is known, so that an interruption costs nothing and the same passage is
never paid for twice. A document's facts are replaced when all of its passages are read; a mark among them says by whom.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import anyio

from knowgate.errors import ConflictError, KnowgateError
from knowgate.knowledge.chat.providers import Connection
from knowgate.knowledge.extract.llm.ask import Asking, opened
from knowgate.knowledge.extract.llm.found import Found, read_found
from knowgate.knowledge.extract.llm.prompt import PROMPT_VERSION, ask
from knowgate.knowledge.extract.llm.settle import facts_of, unite
from knowgate.knowledge.leases import Leases
from knowgate.model import Chunk, Document, ModelUse, Schema
from knowgate.store.port import Batch, Clue, DocumentWrite, Facts, Record, Store

Progress = Callable[[int, int, ModelUse], None]
Note = Callable[[str, ModelUse, tuple[str, ...]], Sequence[Record]]
_KIND, _MARK = "extraction", "extracted"
_MISSED = "The model did not read "
_CUT = "The model's answer was cut short for "
_NEARBY = 40
"""Most names that a model is told of."""
_GIVE_UP = 5
"""So many passages in a row that could not be read mean that no other will be."""
_LOOK_SECONDS = 0.2
_ASKED_ABOUT = 500
"""How many documents the store is asked about at once."""


@dataclass(slots=True)
class _Run:
    """One round over the documents of a task."""

    task_id: str
    force: bool
    asking: Asking
    progress: Progress
    note: Note
    total: int
    free: anyio.Semaphore
    done: int = 0
    use: ModelUse = field(default_factory=ModelUse)
    failed_in_a_row: int = 0


@dataclass(frozen=True, slots=True)
class _Passage:
    found: Found | None
    """None when it could not be read."""
    use: ModelUse
    error: KnowgateError | None = None


class ModelExtraction:
    def __init__(
        self, store: Store, leases: Leases, connection: Connection, schema: Schema, *, gleaning: int, concurrency: int
    ) -> None:
        self._store = store
        self._leases = leases
        self._connection = connection
        self._schema = schema
        self._gleaning = gleaning
        self._concurrency = concurrency
        made = (
            (connection.provider, connection.model, PROMPT_VERSION, gleaning),
            (schema.entity_types, schema.relation_types),
            (dict(schema.entity_fields), dict(schema.relation_fields)),
        )
        self.fingerprint = hashlib.sha256(repr(made).encode()).hexdigest()[:12]
        """What was found with another one is found anew."""

    def run_for(
        self,
        ids: Sequence[str],
        task_id: str,
        *,
        force: bool,
        progress: Progress,
        cancelled: Callable[[], bool],
        note: Note,
    ) -> None:
        """Read what has not been read; with `force`, also what another task has read before.

        `note` gives the records that are written with a document: of what the model cost, and what it missed.
        """
        waiting = self._waiting(ids)
        if waiting:
            try:
                anyio.run(self._all, waiting, task_id, force, progress, cancelled, note)
            except BaseExceptionGroup as group:
                # Whatever fails ends all the others, and is told as if there had been no others.
                raise _first(group) from None

    def _waiting(self, ids: Sequence[str]) -> list[Document]:
        done = {clue.key for clue in self._store.clues([_MARK], [self.fingerprint])}
        left = sorted(set(ids) - done)
        parts = (left[first : first + _ASKED_ABOUT] for first in range(0, len(left), _ASKED_ABOUT))
        return [document for part in parts for document in self._store.documents(part).values()]

    async def _all(
        self,
        waiting: Sequence[Document],
        task_id: str,
        force: bool,
        progress: Progress,
        cancelled: Callable[[], bool],
        note: Note,
    ) -> None:
        total = sum(document.chunks for document in waiting)
        # More documents than passages are open at once, so that one that waits for another process holds up nobody.
        room = anyio.Semaphore(2 * self._concurrency)
        async with opened(self._connection, self._schema, self._gleaning) as asking:
            run = _Run(task_id, force, asking, progress, note, total, anyio.Semaphore(self._concurrency))
            async with anyio.create_task_group() as all_of_it:
                all_of_it.start_soon(_look, run, cancelled, all_of_it.cancel_scope)
                async with anyio.create_task_group() as documents:
                    for document in waiting:
                        await room.acquire()
                        documents.start_soon(self._document, run, document, room)
                all_of_it.cancel_scope.cancel()

    async def _document(self, run: _Run, document: Document, room: anyio.Semaphore) -> None:
        mine = True
        try:
            while (lease := self._leases.take(f"extraction:{document.id}")) is None:
                mine = False
                await anyio.sleep(_LOOK_SECONDS)
            try:
                if mine or self._waiting([document.id]):
                    await self._read(run, document)
            finally:
                self._leases.release(lease)
        finally:
            room.release()

    async def _read(self, run: _Run, document: Document) -> None:
        chunks = self._store.document_chunks(document.id)
        rules = self._store.facts(document.id)
        passages: dict[int, _Passage] = {}

        async def read(chunk: Chunk) -> None:
            passages[chunk.ordinal] = await self._passage(run, chunk, rules)

        async with anyio.create_task_group() as group:
            for chunk in chunks:
                group.start_soon(read, chunk)
        await self._settle(run, document, chunks, rules, passages)

    async def _passage(self, run: _Run, chunk: Chunk, rules: Facts) -> _Passage:
        id = hashlib.sha256(f"{self.fingerprint}\n{_shown(chunk)}".encode()).hexdigest()[:32]
        async with run.free:
            kept = self._store.record(_KIND, id)
            if kept and (not run.force or kept.value["task"] == run.task_id):
                # What this task paid for before it was interrupted is part of its cost.
                own = kept.value["task"] == run.task_id
                passage = _Passage(read_found(kept.value), ModelUse(**kept.value["use"]) if own else ModelUse(cached=1))
            else:
                answer = await run.asking(ask(chunk, _nearby(rules, chunk.ordinal)))
                passage = _Passage(None if answer.error else answer.found, answer.use, answer.error)
                run.failed_in_a_row = run.failed_in_a_row + 1 if answer.error else 0
                if answer.error and (answer.hopeless or run.failed_in_a_row >= _GIVE_UP):
                    raise answer.error
                if not answer.error:
                    value = {**asdict(answer.found), "use": asdict(answer.use), "task": run.task_id}
                    self._store.apply(Batch(records=[Record(_KIND, id, value)]))
        run.done += 1
        run.use += passage.use
        run.progress(run.done, run.total, run.use)
        return passage

    async def _settle(
        self,
        run: _Run,
        document: Document,
        chunks: Sequence[Chunk],
        rules: Facts,
        passages: Mapping[int, _Passage],
    ) -> None:
        """The facts, what it cost and what is missing, in one transaction; nothing when the document has changed."""
        found = {ordinal: each.found for ordinal, each in passages.items() if each.found}
        missed = [each.error for each in passages.values() if each.error]
        facts = unite(_unmarked(rules), facts_of(found, chunks, self._schema))
        if not missed:
            facts = replace(facts, clues=[*facts.clues, Clue(_MARK, self.fingerprint, document.id)])
        warnings = tuple(_warnings(missed, sum(each.cut for each in found.values()), len(chunks)))
        kept = [each for each in document.warnings if not each.startswith((_MISSED, _CUT))]
        write = DocumentWrite(replace(document, warnings=(*kept, *warnings)), chunks, facts)
        use = sum((each.use for each in passages.values()), ModelUse())
        while (lease := self._leases.take(f"document:{document.id}")) is None:
            await anyio.sleep(_LOOK_SECONDS)
        try:
            if self._store.documents([document.id]).get(document.id) == document:
                records = run.note(document.id, use, warnings)
                drop = [("lease", lease.id)]
                self._store.apply(Batch(documents=[write], records=records, drop=drop, holds=[lease]))
        except ConflictError:
            pass  # We slept so long that another process took the document over; it sees to the rest.
        finally:
            self._leases.release(lease)


def _shown(chunk: Chunk) -> str:
    """All of a passage that a model is shown."""
    return "\n".join((*chunk.headings, chunk.text))


async def _look(run: _Run, cancelled: Callable[[], bool], scope: anyio.CancelScope) -> None:
    """Now and then, whether to stop: also while the model is silent."""
    while not cancelled():
        run.progress(run.done, run.total, run.use)
        await anyio.sleep(_LOOK_SECONDS)
    scope.cancel()


def _nearby(rules: Facts, ordinal: int) -> list[str]:
    """Names that the rules found in the passage and its neighbours, the surest first."""
    near = [each for each in rules.mentions if abs(each.ordinal - ordinal) <= 1]
    by_key = {each.key: each.name for each in sorted(near, key=lambda each: each.confidence)}
    return list(reversed(by_key.values()))[:_NEARBY]


def _unmarked(facts: Facts) -> Facts:
    return replace(facts, clues=[each for each in facts.clues if each.kind != _MARK])


def _warnings(missed: Sequence[KnowgateError], cut: int, of: int) -> Iterable[str]:
    if missed:
        yield (
            f"{_MISSED}{len(missed)} of {of} passages; what the rules found in them is kept. {missed[0].message} "
            "Ingest again to ask it once more."
        )
    if cut:
        yield f"{_CUT}{cut} of {of} passages; what it had found until then is kept."


def _first(error: BaseException) -> BaseException:
    inner = getattr(error, "exceptions", None)
    return _first(inner[0]) if inner else error
