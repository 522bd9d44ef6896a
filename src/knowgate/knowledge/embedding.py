"""Vectors for the documents that wait for them. What waits is known to the store, so an interruption costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from knowgate.errors import InputError
from knowgate.knowledge.chunk import passage
from knowgate.knowledge.embed.port import Embedder
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.search import check_identity
from knowgate.model import EmbedderIdentity
from knowgate.store.port import Batch, Pending, Space, Store, VectorWrite

_DOCUMENTS = 16
_PASSAGES = 32
"""How many passages are embedded between two looks at the clock and at the wish to stop."""

_NAMED = 500
"""How many documents the store is asked about at once."""
_STRETCH = 512
"""How many passages of a document are embedded before it is another's turn."""

LEASE = "embedding"


class Embedding:
    def __init__(self, store: Store, leases: Leases, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._leases = leases
        self._embedder = embedder

    def space(self) -> Space:
        """The index's vector space, begun if there is none yet; another embedder than its own is refused."""
        identity = self._embedder().identity
        space = self._store.space()
        if space is None:
            return self._store.start_space(identity)
        check_identity(space.identity, identity)
        return space

    def check(self, wanted: EmbedderIdentity) -> None:
        check_identity(wanted, self._embedder().identity)

    def restart(self) -> Space:
        """Begin anew with the configured embedder, unless that is what the vectors are made with already."""
        embedder = self._embedder()
        space = self._store.space()
        if space and space.identity == embedder.identity:
            return space
        # A model that does not answer must not cost the vectors that are there.
        embedder.embed_query("Does it answer?")
        return self._store.start_space(embedder.identity)

    def run(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embed until nothing waits. One process does it at a time; the others watch and step in when it dies."""
        self.space()
        while self._store.pending(1) and not cancelled():
            with self._leases.waiting(LEASE) as mine:
                if mine:
                    self._embed_all(progress, cancelled)
                else:
                    self._report(progress)
        self._store.maintain()

    def run_for(self, ids: Sequence[str], progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embed these documents, whatever else waits. Who else is at one of them does it twice, and harms nobody."""
        self.space()
        parts = [sorted(ids)[first : first + _NAMED] for first in range(0, len(ids), _NAMED)]
        total = sum(document.chunks for part in parts for document in self._store.documents(part).values())
        done = total - sum(len(each.chunks) for part in parts for each in self._waiting(part))
        for part in parts:
            while self._store.pending(1, among=part) and not cancelled():
                done = self._round(progress, cancelled, done, total, part)
        self._store.maintain()

    def _embed_all(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        stats = self._store.stats()
        self._round(progress, cancelled, stats.vectors, stats.chunks, None)

    def _waiting(self, among: Sequence[str] | None) -> Iterator[Pending]:
        after = ""
        while waiting := self._store.pending(_DOCUMENTS, after, among):
            yield from waiting
            after = waiting[-1].document_id

    def _round(
        self,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
        done: int,
        total: int,
        among: Sequence[str] | None,
    ) -> int:
        """One round over all that wait, a stretch of each: neither a long document nor one whose text the model refuses
        keeps the others waiting, and an interruption costs a stretch at most.
        """
        refused: InputError | None = None
        for document in self._waiting(among):
            # Another process may have begun a new space; vectors for the old one would be dropped.
            space = self.space()
            rows: list[np.ndarray] = []
            try:
                for vectors in self._vectors(document):
                    if cancelled():
                        return done
                    rows.append(vectors)
                    done += len(vectors)
                    progress(done, max(total, done))
            except InputError as error:
                refused = error
                continue
            write = VectorWrite(
                document.document_id,
                document.revision,
                space.generation,
                np.concatenate(rows),
                first=document.chunks[0].ordinal,
            )
            self._store.apply(Batch(vectors=[write]))
        if refused:
            raise refused
        return done

    def _vectors(self, document: Pending) -> Iterator[np.ndarray]:
        texts = [passage(chunk) for chunk in document.chunks[:_STRETCH]]
        for first in range(0, len(texts), _PASSAGES):
            yield self._embedder().embed_passages(texts[first : first + _PASSAGES])

    def _report(self, progress: Callable[[int, int], None]) -> None:
        stats = self._store.stats()
        progress(stats.vectors, stats.chunks)
