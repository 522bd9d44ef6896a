"""Vectors for the documents that wait for them. What waits is known to the store, so an interruption costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from knowgate.knowledge.chunk import passage
from knowgate.knowledge.embed.port import Embedder
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.search import check_identity
from knowgate.store.port import Batch, Space, Store, VectorWrite

_DOCUMENTS = 16
_PASSAGES = 32
"""How many passages are embedded between two looks at the clock and at the wish to stop."""

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

    def restart(self) -> Space:
        """Begin anew with the configured embedder, unless that is what the vectors are made with already."""
        identity = self._embedder().identity
        space = self._store.space()
        if space and space.identity == identity:
            return space
        return self._store.start_space(identity)

    def run(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        """Embed until nothing waits. One process does it at a time; the others watch and step in when it dies."""
        space = self.space()
        while self._store.pending(1) and not cancelled():
            with self._leases.waiting(LEASE) as mine:
                if mine:
                    self._embed_all(space, progress, cancelled)
                else:
                    self._report(progress)
        self._store.maintain()

    def _embed_all(self, space: Space, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> None:
        embedder = self._embedder()
        stats = self._store.stats()
        done, total = stats.vectors, stats.chunks
        after = ""
        while waiting := self._store.pending(_DOCUMENTS, after):
            after = waiting[-1].document_id
            for document in waiting:
                texts = [passage(chunk) for chunk in document.chunks]
                rows: list[np.ndarray] = []
                for first in range(0, len(texts), _PASSAGES):
                    if cancelled():
                        return
                    rows.append(embedder.embed_passages(texts[first : first + _PASSAGES]))
                    done += len(rows[-1])
                    progress(done, max(total, done))
                write = VectorWrite(document.document_id, document.revision, space.generation, np.concatenate(rows))
                self._store.apply(Batch(vectors=[write]))

    def _report(self, progress: Callable[[int, int], None]) -> None:
        stats = self._store.stats()
        progress(stats.vectors, stats.chunks)
