"""Any sequence of calls on two stores over one folder, compared with a plain dictionary after every step."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from contract import best_by_words, document, identity, matches, vector_of, vectors_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from knowgate.model import EVERYTHING, Filter
from knowgate.store.port import Batch, DocumentWrite, Pending, Space, VectorWrite
from knowgate.store.sqlite import log, retrieve
from knowgate.store.sqlite import store as store_module
from knowgate.store.sqlite.store import SqliteStore

_ids = st.sampled_from("abcdefgh")
_texts = st.lists(st.sampled_from(["apple", "pear apple", "plum plum", "fig pear", "東京都", "!"]), max_size=4)
_which = st.integers(0, 1)
_owners = st.sampled_from(["ann", "bob"])
QUESTION = "apple plum 東京"
_one_filter = st.builds(
    Filter,
    ids=st.none() | st.lists(st.sampled_from("abcdz"), max_size=3).map(tuple),
    names=st.none() | st.lists(st.sampled_from(["*.md", "a.md", "?.md", "/docs/[b-d]*", "*c*"]), max_size=2).map(tuple),
    owners=st.none() | st.just(("ann",)),
)
_filters = st.recursive(_one_filter, lambda inner: st.builds(Filter.within, _one_filter, inner), max_leaves=3)


class TwoStores(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="knowgate-model-"))
        self.patches = [
            patch.object(store_module, "WORD_CODEC", replace(retrieve.WORD_CODEC, tail_rows=3)),
            patch.object(store_module, "VECTOR_CODEC", replace(retrieve.VECTOR_CODEC, tail_rows=3)),
            patch.object(log, "LARGEST_SEGMENT", 12),
            patch.object(log, "_TAIL_PARTS", 2),
        ]
        for each in self.patches:
            each.start()
        self.stores = [SqliteStore(self.folder), SqliteStore(self.folder)]
        self.kept: dict[str, DocumentWrite] = {}
        self.embedded: set[str] = set()
        self.space: Space | None = None
        self.handed_out: list[Pending] = []
        self.where = EVERYTHING

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            for store in self.stores:
                assert store.check(thorough=True) == []
                store.close()
            for each in self.patches:
                each.stop()
            shutil.rmtree(self.folder)

    @rule(which=_which, ids=st.lists(_ids, min_size=1, max_size=3, unique=True), texts=_texts, owner=_owners)
    def put(self, which: int, ids: list[str], texts: list[str], owner: str) -> None:
        writes = [document(id, *texts, owner=owner) for id in ids]
        self.stores[which].apply(Batch(documents=writes))
        before = {id: list(self.kept[id].chunks) for id in ids if id in self.kept}
        self.embedded -= {write.document.id for write in writes if list(write.chunks) != before.get(write.document.id)}
        self.kept |= {write.document.id: write for write in writes}

    @rule(which=_which, ids=st.lists(_ids, max_size=4, unique=True))
    def delete(self, which: int, ids: list[str]) -> None:
        self.stores[which].apply(Batch(delete=ids))
        for id in ids:
            self.kept.pop(id, None)
        self.embedded -= set(ids)

    @rule(which=_which, dimension=st.sampled_from([3, 8]))
    def start_space(self, which: int, dimension: int) -> None:
        self.space = self.stores[which].start_space(identity(dimension))
        self.embedded.clear()

    @precondition(lambda self: self.space is not None)
    @rule(which=_which, limit=st.integers(1, 8))
    def embed(self, which: int, limit: int) -> None:
        waiting = self.stores[which].pending(limit)
        self.handed_out += waiting
        self.write_vectors(which, waiting)
        self.embedded |= {each.document_id for each in waiting}

    @precondition(lambda self: self.space is not None and self.handed_out)
    @rule(which=_which, number=st.integers(0, 9))
    def embed_something_handed_out_earlier(self, which: int, number: int) -> None:
        old = self.handed_out[-1 - number % len(self.handed_out)]
        current = {each.document_id: each.revision for each in self.stores[which].pending(100)}
        self.write_vectors(which, [old])
        if current.get(old.document_id) == old.revision:
            self.embedded.add(old.document_id)

    def write_vectors(self, which: int, waiting: list[Pending]) -> None:
        assert self.space
        dimension, generation = self.space.identity.dimension, self.space.generation
        writes = [
            VectorWrite(each.document_id, each.revision, generation, vectors_of(each.chunks, dimension))
            for each in waiting
        ]
        self.stores[which].apply(Batch(vectors=writes))

    @rule(where=_filters)
    def look_through(self, where: Filter) -> None:
        self.where = where

    @rule(which=_which)
    def maintain(self, which: int) -> None:
        self.stores[which].maintain()

    @rule(which=_which)
    def reopen(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = SqliteStore(self.folder)

    @rule(number=st.integers(0, 5))
    def lose_a_segment(self, number: int) -> None:
        # By place, because their names are drawn by lot.
        with self.stores[0]._database.read() as db:
            names = [name for (name,) in db.execute("SELECT name FROM segment ORDER BY log, first")]
        if names and os.name != "nt":
            (self.folder / "segments" / names[number % len(names)]).unlink(missing_ok=True)

    @invariant()
    def the_stores_hold_what_was_written(self) -> None:
        waiting = {id for id, write in self.kept.items() if write.chunks} - self.embedded
        for store in self.stores:
            assert {found.id: found for found in store.scan_documents()} == {
                id: write.document for id, write in self.kept.items()
            }
            assert {each.document_id for each in store.pending(100)} == waiting
            assert store.stats().vectors == sum(len(self.kept[id].chunks) for id in self.embedded)
            assert store.space() == self.space

    @invariant()
    def searches_find_what_a_plain_loop_finds(self) -> None:
        texts = {chunk.id: chunk.text for write in self.kept.values() for chunk in write.chunks}
        by_words = best_by_words(texts, QUESTION)
        dimension = self.space.identity.dimension if self.space else 8
        query = vector_of("apple", dimension)
        by_vector = {
            chunk.id: float(vector_of(chunk.text, dimension) @ query)
            for id in self.embedded
            for chunk in self.kept[id].chunks
        }
        for where in (EVERYTHING, self.where):
            shown = {id for id, write in self.kept.items() if matches(where, write.document)}
            for store in self.stores:
                for found, expected, exact in (
                    (store.search_text(QUESTION, 100, where), by_words, 1e-4),
                    (store.search_vector(query, 100, where), by_vector, 1e-3),
                ):
                    expected = {id: score for id, score in expected.items() if id.rpartition(":")[0] in shown}
                    assert len(found) == len(expected)
                    assert {hit.chunk_id: hit.score for hit in found} == pytest.approx(expected, abs=exact)
                    scores = [hit.score for hit in found]
                    assert scores == sorted(scores, reverse=True)


TestTwoStores = TwoStores.TestCase
TestTwoStores.settings = settings(
    max_examples=30,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
