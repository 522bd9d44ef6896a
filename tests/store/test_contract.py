"""The promises of the port, kept by every store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from contract import (
    DIMENSION,
    best_by_words,
    by_vector,
    by_words,
    delete,
    document,
    embed,
    identity,
    ids,
    matches,
    put,
    vector_of,
    vectors_of,
)

from knowgate.model import Chunk, Filter
from knowgate.store.port import Batch, DocumentWrite, Record, Store, VectorWrite, scan_all_documents, scan_key

ODD = "Zoë's [draft] 100% – 東京\n\"quoted\" \\ 'n\u0000ul' 🦉"


# Documents and their passages


def test_a_document_is_kept_as_it_is(store: Store) -> None:
    write = document(
        "a", "first", ODD, name=ODD.replace("\0", ""), source=f"text:{ODD}", type="pdf", mime="application/pdf",
        title=ODD, sha256="ab" * 32, recipe="7", size=2**40, owner="zoë", modified_at=1.5, indexed_at=1e9 + 0.25,
        fields={"year": 2024, "ratio": 0.1, "final": True, "dept": "R&D", ODD: ODD}, warnings=("one", ODD),
    )  # fmt: skip
    chunks = [
        replace(write.chunks[0], headings=("Top", ODD), start=3, end=8, page=2, tokens=4),
        replace(write.chunks[1], headings=(), page=None),
    ]
    put(store, DocumentWrite(write.document, chunks))
    assert store.documents(["a"]) == {"a": write.document}
    assert store.document_chunks("a") == chunks
    assert store.chunks(["a:1", "a:0"]) == {chunk.id: chunk for chunk in chunks}
    assert type(store.documents(["a"])["a"].fields["final"]) is bool


def test_what_is_not_there_is_left_out(store: Store) -> None:
    put(store, document("a", "text"))
    assert store.documents(["b"]) == {}
    assert store.documents([]) == {}
    assert store.chunks(["b:0", "a:1", "a", "a:", ":0", "a:x", "a:00", "a:-1", "", "a:0:0"]) == {}
    assert store.document_chunks("b") == []
    assert store.document_vectors("b") is None
    assert store.record("task", "b") is None
    assert store.space() is None
    assert store.search_text("text", 10, Filter(ids=("b",))) == []


def test_ids_may_hold_colons_and_quotes(store: Store) -> None:
    put(store, document("text:it's:1", "words"))
    assert ids(store.search_text("words", 5)) == ["text:it's:1:0"]
    assert store.chunks(["text:it's:1:0"])["text:it's:1:0"].text == "words"


def test_replacing_leaves_nothing_of_the_old_one(store: Store) -> None:
    put(store, document("a", "amber one", "amber two", "amber three", type="pdf", fields={"old": 1}))
    embed(store)
    put(store, document("a", "blue one", type="html"))
    assert store.documents(["a"])["a"].type == "html"
    assert store.documents(["a"])["a"].chunks == 1
    assert [chunk.text for chunk in store.document_chunks("a")] == ["blue one"]
    assert by_words(store, "amber") == set()
    assert by_words(store, "blue") == {"a:0"}
    assert by_vector(store, "amber one") == set()
    assert store.document_vectors("a") is None
    assert store.scan_documents(Filter(fields={"old": (1,)})) == []
    assert store.stats().documents == 1


def test_deleting_takes_everything_with_it(store: Store) -> None:
    put(store, document("a", "amber"), document("b", "amber"))
    embed(store)
    delete(store, "a", "never there")
    assert store.documents(["a", "b"]).keys() == {"b"}
    assert store.document_chunks("a") == []
    assert store.chunks(["a:0"]) == {}
    assert by_words(store, "amber") == {"b:0"}
    assert by_vector(store, "amber") == {"b:0"}
    assert store.document_vectors("a") is None
    assert store.pending(10) == []


def test_deleting_and_writing_in_one_batch_leaves_the_new_one(store: Store) -> None:
    put(store, document("a", "amber"))
    store.apply(Batch(delete=["a"], documents=[document("a", "blue")]))
    store.refresh()
    assert by_words(store, "amber blue") == {"a:0"}
    assert store.document_chunks("a")[0].text == "blue"


def test_a_batch_written_twice_is_harmless(store: Store) -> None:
    put(store, document("gone", "grey"))
    batch = Batch(
        documents=[document("a", "amber", "blue"), document("b")],
        delete=["gone"],
        records=[Record("task", "1", {"state": "done"})],
        drop=[("task", "0")],
    )
    for _ in range(2):
        store.apply(batch)
        store.refresh()
        assert [found.id for found in store.scan_documents()] == ["a", "b"]
        assert by_words(store, "amber blue grey") == {"a:0", "a:1"}
        assert store.scan_records("task")[0].value == {"state": "done"}
        assert store.stats().chunks == 2
    waiting = store.pending(10)[0]
    vectors = [VectorWrite("a", waiting.revision, store.start_space(identity()).generation, vectors_of(waiting.chunks))]
    for _ in range(2):
        store.apply(Batch(vectors=vectors))
        store.refresh()
        assert store.stats().vectors == 2
        assert by_vector(store, "amber") == {"a:0", "a:1"}


def test_an_empty_batch_does_nothing(store: Store) -> None:
    store.apply(Batch())
    assert store.scan_documents() == []


def test_documents_appear_and_vanish_whole(open_store: Callable[[], Store]) -> None:
    writer, reader = open_store(), open_store()
    amber, blue = document("a", *["amber"] * 3), document("a", *["blue"] * 5)
    put(writer, amber)
    stop = threading.Event()

    def read() -> int:
        seen = 0
        while not stop.is_set():
            texts = [chunk.text for chunk in reader.document_chunks("a")]
            assert texts in ([], ["amber"] * 3, ["blue"] * 5)
            reader.refresh()
            assert len(reader.search_text("amber blue", 10)) in (0, 3, 5)
            seen += 1
        return seen

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for _ in range(30):
                put(writer, blue)
                delete(writer, "a")
                put(writer, amber)
        finally:
            stop.set()
        assert all(each.result() for each in readers)


# Order and paging


def test_documents_are_scanned_by_name_then_id(store: Store) -> None:
    names = ["b", "a", "B", "é", "z", "a/b", "a b", "東", "😀", "ﬁ"]
    put(store, *(document(f"{i:02}", name=name) for i, name in enumerate(names)))
    put(store, *(document(f"x{i}", name="a") for i in range(5)))
    found = [(each.name, each.id) for each in store.scan_documents()]
    assert found == sorted(found)
    assert len(found) == 15
    for size in (1, 2, 4, 15, 16):
        assert [(each.name, each.id) for each in scan_all_documents(store, page=size)] == found
    assert [(each.name, each.id) for each in store.scan_documents(limit=3)] == found[:3]


def test_a_scan_goes_on_where_it_was_whatever_happened_meanwhile(store: Store) -> None:
    put(store, *(document(id) for id in "bdf"))
    after = scan_key(store.scan_documents(limit=2)[-1])
    delete(store, "d")
    put(store, document("a"), document("e"))
    assert [found.id for found in store.scan_documents(after=after)] == ["e", "f"]


def test_chunks_are_scanned_by_document_then_place(store: Store) -> None:
    put(store, document("1", "b0", "b1", name="b"), document("2", "a0", name="a"), document("3", "b2", name="b"))
    texts = ["a0", "b0", "b1", "b2"]
    assert [chunk.text for chunk in store.scan_chunks()] == texts
    assert [chunk.text for i in range(5) for chunk in store.scan_chunks(offset=i, limit=1)] == texts
    assert [chunk.text for chunk in store.scan_chunks(Filter(names=("b",)), offset=1, limit=9)] == ["b1", "b2"]


# Filters

SHELF = [
    document("1", "common", name="guide/intro.md", owner="ann", modified_at=10.0, fields={"year": 2023, "tag": "x"}),
    document("2", "common", name="guide/[draft].md", owner="bob", modified_at=20.0, fields={"year": "2023"}),
    document("3", "common", name="notes.pdf", type="pdf", mime="application/pdf", modified_at=30.0),
    document("4", "common", name="a*b?.txt", type="text", mime="text/plain", fields={"final": True, "n": 1.5}),
    document("5", "common", name="axbx.txt", type="text", mime="text/plain", fields={"final": False}),
    document("6", "common", name="übung.md", source="https://example.com/übung", owner="Ann", fields={"year": 2024}),
    document("7", "common", name="d.md", fields={"a.b": "dot", '"': "quote", "$": "root", "": "empty", "é['x']": 1}),
]

FILTERS: list[tuple[Filter, str]] = [
    (Filter(), "1234567"),
    (Filter(ids=("1", "3", "nobody")), "13"),
    (Filter(ids=()), ""),
    (Filter(names=("notes.pdf",)), "3"),
    (Filter(names=("/docs/3.md", "https://example.com/übung")), "36"),
    (Filter(names=("NOTES.pdf",)), ""),
    (Filter(names=("guide/*",)), "12"),
    (Filter(names=("*.md",)), "1267345"),
    (Filter(names=("?bung.md",)), "6"),
    (Filter(names=("https://*",)), "6"),
    (Filter(names=("guide/[draft].md",)), "2"),
    (Filter(names=("*[draft]*",)), "2"),
    (Filter(names=("*[a-z]*",)), ""),
    (Filter(names=("*]*",)), "2"),
    (Filter(names=("a*b?.txt",)), "45"),
    (Filter(names=("",)), ""),
    (Filter(names=()), ""),
    (Filter(names=("%", "_", "' OR 1 --")), ""),
    (Filter(types=("pdf", "text/plain")), "345"),
    (Filter(types=()), ""),
    (Filter(owners=("ann",)), "1"),
    (Filter(owners=("",)), "3457"),
    (Filter(owners=()), ""),
    (Filter(modified_from=20.0), "23"),
    (Filter(modified_until=20.0), "14567"),
    (Filter(modified_from=10.0, modified_until=30.0), "12"),
    (Filter(modified_from=30.0, modified_until=10.0), ""),
    (Filter(fields={"year": (2023,)}), "1"),
    (Filter(fields={"year": ("2023",)}), "2"),
    (Filter(fields={"year": (2023, 2024.0)}), "16"),
    (Filter(fields={"year": ()}), ""),
    (Filter(fields={"final": (True,)}), "4"),
    (Filter(fields={"final": (False,)}), "5"),
    (Filter(fields={"n": (1.5,)}), "4"),
    (Filter(fields={"year": (2023,), "tag": ("x",)}), "1"),
    (Filter(fields={"year": (2023,), "tag": ("y",)}), ""),
    (Filter(fields={"a.b": ("dot",)}), "7"),
    (Filter(fields={'"': ("quote",), "$": ("root",), "": ("empty",), "é['x']": (1,)}), "7"),
    (Filter(fields={"a": ("dot",)}), ""),
    (Filter(names=("*.md",), owners=("ann", "bob"), modified_from=15.0), "2"),
]


def test_filters_hold_inside_every_search_and_scan(store: Store) -> None:
    put(store, *SHELF)
    embed(store)
    for where, expected in FILTERS:
        wanted = set(expected)
        assert {write.document.id for write in SHELF if matches(where, write.document)} == wanted, where
        assert {found.id for found in store.scan_documents(where)} == wanted, where
        assert {chunk.document_id for chunk in store.scan_chunks(where)} == wanted, where
        assert by_words(store, "common", where) == {f"{id}:0" for id in wanted}, where
        assert by_vector(store, "common", where) == {f"{id}:0" for id in wanted}, where
        assert store.stats(where).documents == len(wanted), where


def test_a_filter_is_applied_before_the_best_are_chosen(store: Store) -> None:
    put(store, *(document(f"near{i}", "amber amber", owner="ann") for i in range(20)))
    put(store, document("far", "amber and many other words besides", owner="bob"))
    embed(store)
    assert ids(store.search_text("amber", 1, Filter(owners=("bob",)))) == ["far:0"]
    assert ids(store.search_vector(vector_of("amber amber"), 1, Filter(owners=("bob",)))) == ["far:0"]


# Search


def test_word_scores_are_shares_that_fall(store: Store) -> None:
    texts = {f"{i}:0": f"apple {'pear ' * (i % 3)}{'plum ' * (i % 5)}filler number {i}" for i in range(30)}
    put(store, *(document(id.removesuffix(":0"), text) for id, text in texts.items()))
    hits = store.search_text("apple pear plum", 30)
    assert len(hits) == 30
    assert all(0 < hit.score <= 1 for hit in hits)
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-4) for hit in hits} == best_by_words(texts, "apple pear plum")
    assert store.search_text("apple pear plum", 4) == hits[:4]


def test_headings_count_as_words_of_the_passage(store: Store) -> None:
    write = document("a", "text")
    put(store, DocumentWrite(write.document, [replace(write.chunks[0], headings=("Refund policy",))]))
    assert by_words(store, "refunds") == {"a:0"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京は日本の首都です", "首都"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
        ("यह भारत।", "भारत"),
        ("class AuthService extends Base", "auth service"),
        ("Crème brûlée", "creme brulee"),
        ("to be or not to be", "to be"),
    ],
)
def test_words_are_found_in_many_languages(store: Store, text: str, query: str) -> None:
    put(store, document("a", text), document("b", "something else"))
    assert by_words(store, query) == {"a:0"}


@pytest.mark.parametrize("query", ["", "   ", "!?", "absent", "\x00", "\ud800", "' OR 1 --", "*"])
def test_a_query_without_known_words_finds_nothing(store: Store, query: str) -> None:
    put(store, document("a", "some text"))
    assert store.search_text(query, 10) == []


def test_vector_scores_are_cosines_that_fall(store: Store) -> None:
    put(store, *(document(str(i), f"text {i}") for i in range(50)))
    embed(store)
    query = vector_of("text 7")
    hits = store.search_vector(query, 50)
    expected = {f"{i}:0": float(vector_of(f"text {i}") @ query) for i in range(50)}
    assert {hit.chunk_id: pytest.approx(hit.score, abs=1e-2) for hit in hits} == expected
    assert hits[0].chunk_id == "7:0"
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert ids(store.search_vector(query, 3)) == ids(hits)[:3]


def test_asking_for_none_or_for_more_than_there_is(store: Store) -> None:
    assert store.search_text("amber", 5) == []
    assert store.search_vector(vector_of("amber"), 5) == []
    put(store, document("a", "amber"))
    embed(store)
    for k, expected in ((0, []), (1, ["a:0"]), (10**6, ["a:0"])):
        assert ids(store.search_text("amber", k)) == expected
        assert ids(store.search_vector(vector_of("amber"), k)) == expected


def test_maintenance_changes_no_answer(store: Store) -> None:
    put(store, *(document(str(i), f"apple {i}", f"pear {i % 7}") for i in range(40)))
    embed(store)
    delete(store, *map(str, range(0, 40, 3)))

    def answers() -> Any:
        return [store.search_text(f"apple pear {i}", 9) for i in range(7)], store.search_vector(vector_of("apple 1"), 9)

    before = answers()
    for _ in range(2):
        store.maintain()
        assert answers() == before
    assert store.check() == store.check(thorough=True) == []


# Vectors


def test_vectors_come_back_in_chunk_order(store: Store) -> None:
    write = document("a", "one", "two", "three")
    put(store, write)
    assert store.document_vectors("a") is None
    embed(store)
    found = store.document_vectors("a")
    assert found is not None
    assert found.shape == (3, DIMENSION)
    np.testing.assert_allclose(found, vectors_of(write.chunks), atol=1e-3)


def test_documents_wait_for_vectors_in_order_of_id(store: Store) -> None:
    put(store, *(document(id, f"text of {id}", "more") for id in "cadb"), document("empty"))
    assert [each.document_id for each in store.pending(10)] == list("abcd")
    assert [each.document_id for each in store.pending(2, after="a")] == ["b", "c"]
    assert [chunk.text for chunk in store.pending(1)[0].chunks] == ["text of a", "more"]
    embed(store)
    assert store.pending(10) == []
    put(store, document("b", "new"))
    assert [each.document_id for each in store.pending(10)] == ["b"]


def test_vectors_of_an_older_text_are_dropped(store: Store) -> None:
    space = store.start_space(identity())
    put(store, document("a", "old"), document("b", "other"))
    old = store.pending(1)[0]
    put(store, document("a", "new"))
    new = store.pending(1)[0]
    assert new.revision != old.revision
    store.apply(Batch(vectors=[VectorWrite("a", old.revision, space.generation, vectors_of(old.chunks))]))
    assert store.document_vectors("a") is None
    assert store.pending(1) == [new]
    # Deleted and written again with the same text is another text, too.
    delete(store, "a")
    store.apply(Batch(vectors=[VectorWrite("a", new.revision, space.generation, vectors_of(new.chunks))]))
    put(store, document("a", "new"))
    store.apply(Batch(vectors=[VectorWrite("a", new.revision, space.generation, vectors_of(new.chunks))]))
    store.refresh()
    assert store.document_vectors("a") is None
    assert by_vector(store, "new") == set()


def test_vectors_of_an_older_space_are_dropped(store: Store) -> None:
    put(store, document("a", "text"))
    before = store.start_space(identity())
    waiting = store.pending(1)[0]
    write = VectorWrite("a", waiting.revision, before.generation, vectors_of(waiting.chunks))
    store.start_space(identity())
    store.apply(Batch(vectors=[write]))
    assert store.document_vectors("a") is None
    assert len(store.pending(5)) == 1


def test_vectors_without_a_space_or_a_document_are_dropped(store: Store) -> None:
    put(store, document("a", "text"))
    waiting = store.pending(1)[0]
    store.apply(Batch(vectors=[VectorWrite("a", waiting.revision, 0, vectors_of(waiting.chunks))]))
    space = store.start_space(identity())
    store.apply(Batch(vectors=[VectorWrite("b", waiting.revision, space.generation, vectors_of(waiting.chunks))]))
    assert store.stats().vectors == 0


def test_a_new_space_drops_all_vectors_and_nothing_else(open_store: Callable[[], Store]) -> None:
    store, other = open_store(), open_store()
    put(store, document("a", "amber"), document("b", "blue"), document("empty"))
    first = store.start_space(identity())
    embed(store)
    assert len(by_vector(other, "amber")) == 2
    second = store.start_space(identity(12))
    assert second.generation > first.generation
    assert store.space() == other.space() == second
    for each in (store, other):
        each.refresh()
        assert [waiting.document_id for waiting in each.pending(10)] == ["a", "b"]
        assert each.document_vectors("a") is None
        assert each.search_vector(vector_of("amber", 12), 5) == []
        assert each.stats().vectors == 0
        assert by_words(each, "amber") == {"a:0"}
    embed(other)
    store.refresh()
    assert ids(store.search_vector(vector_of("amber", 12), 1)) == ["a:0"]


# Records


def test_records_are_put_read_and_dropped(store: Store) -> None:
    value = {"text": ODD, "list": [1, 2.5, None, True], "nested": {"a": {}}}
    store.apply(Batch(records=[Record("task", "1", value), Record("chat", "1", {})]))
    found = store.record("task", "1")
    assert found is not None
    assert found.value == value
    store.apply(Batch(records=[Record("task", "1", {"new": 1})]))
    again = store.record("task", "1")
    assert again is not None
    assert again.value == {"new": 1}
    assert again.version != found.version
    store.apply(Batch(drop=[("task", "1"), ("task", "never there")]))
    assert store.record("task", "1") is None
    assert store.record("chat", "1") is not None


def test_records_are_scanned_by_id(store: Store) -> None:
    names = ["a/1", "a/2", "a/10", "ab", "b/1", "a", "é", "😀"]
    store.apply(Batch(records=[Record("task", name, {"n": name}) for name in names] + [Record("chat", "a/3", {})]))
    assert [found.id for found in store.scan_records("task")] == sorted(names)
    assert [found.id for found in store.scan_records("task", "a/")] == ["a/1", "a/10", "a/2"]
    assert [found.id for found in store.scan_records("task", "a/", after="a/1")] == ["a/10", "a/2"]
    assert [found.id for found in store.scan_records("task", limit=2)] == ["a", "a/1"]
    assert [found.id for found in store.scan_records("task", "zz")] == []
    found = store.scan_records("task", "b/")[0]
    assert store.record("task", "b/1") == found


def test_put_if_writes_only_over_what_was_seen(store: Store) -> None:
    assert store.put_if(Record("lease", "x", {"by": 1}), expected_version=7) is None
    first = store.put_if(Record("lease", "x", {"by": 1}), expected_version=0)
    assert first is not None
    assert store.record("lease", "x") == first
    assert store.put_if(Record("lease", "x", {"by": 2}), expected_version=0) is None
    second = store.put_if(Record("lease", "x", {"by": 3}), first.version)
    assert second is not None
    assert store.put_if(Record("lease", "x", {"by": 4}), first.version) is None
    assert store.record("lease", "x") == second
    store.apply(Batch(records=[Record("lease", "x", {"by": 5})]))
    assert store.put_if(Record("lease", "x", {"by": 6}), second.version) is None


def test_a_record_made_again_is_not_taken_for_the_old_one(store: Store) -> None:
    old = store.put_if(Record("lease", "x", {"by": "slow"}), 0)
    assert old is not None
    store.apply(Batch(drop=[("lease", "x")]))
    assert store.put_if(Record("lease", "x", {"by": "quick"}), 0) is not None
    assert store.put_if(Record("lease", "x", {"by": "slow"}), old.version) is None


def test_put_if_loses_no_turn_among_threads(open_store: Callable[[], Store]) -> None:
    stores = [open_store(), open_store()]
    turns, threads = 15, 8

    def count(store: Store) -> int:
        won = 0
        while won < turns:
            seen = store.record("counter", "x")
            record = Record("counter", "x", {"n": seen.value["n"] + 1 if seen else 1})
            won += store.put_if(record, seen.version if seen else 0) is not None
        return won

    with ThreadPoolExecutor(threads) as pool:
        assert sum(pool.map(count, stores * (threads // 2))) == turns * threads
    found = stores[0].record("counter", "x")
    assert found is not None
    assert found.value == {"n": turns * threads}


def test_one_of_many_creates_a_record(open_store: Callable[[], Store]) -> None:
    stores = [open_store(), open_store()]
    with ThreadPoolExecutor(8) as pool:
        for round in range(10):
            made = list(
                pool.map(lambda i, name=str(round): stores[i % 2].put_if(Record("lease", name, {"by": i}), 0), range(8))
            )
            assert sum(each is not None for each in made) == 1


# House-keeping


def test_stats_count_what_is_there(store: Store) -> None:
    assert (store.stats().documents, store.stats().chunks, store.stats().bytes) == (0, 0, 0)
    put(store, document("a", "one", "two", type="pdf", size=5), document("b", "three"), document("empty", size=0))
    embed(store)
    put(store, document("c", "four", type="pdf", size=7))
    found = store.stats()
    assert (found.documents, found.chunks, found.vectors, found.pending, found.bytes) == (4, 4, 3, 1, 22)
    assert found.by_type == {"pdf": 2, "markdown": 2}
    found = store.stats(Filter(types=("pdf",)))
    assert (found.documents, found.chunks, found.vectors, found.pending, found.bytes) == (2, 3, 2, 1, 12)
    assert found.by_type == {"pdf": 2}


def test_stores_see_each_other(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    put(one, document("a", "amber"))
    two.refresh()
    assert by_words(two, "amber") == {"a:0"}
    put(two, document("a", "blue"))
    one.refresh()
    assert by_words(one, "amber") == set()
    assert by_words(one, "blue") == {"a:0"}
    embed(one)
    two.refresh()
    assert by_vector(two, "blue") == {"a:0"}


def test_a_store_opened_again_has_everything(open_store: Callable[[], Store]) -> None:
    store = open_store()
    put(store, document("a", "amber"))
    embed(store)
    store.apply(Batch(records=[Record("task", "1", {"n": 1})]))
    kept = store.record("task", "1")
    store.close()
    again = open_store()
    again.refresh()
    assert isinstance(again.document_chunks("a")[0], Chunk)
    assert by_words(again, "amber") == by_vector(again, "amber") == {"a:0"}
    assert again.record("task", "1") == kept
    assert again.space() is not None
