"""The promises of the port, kept by every store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import pytest
from contract import (
    by_vector,
    by_words,
    delete,
    document,
    embed,
    identity,
    ids,
    put,
    vectors_of,
)

from knowgate.errors import ConflictError
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
        while not (seen and stop.is_set()):
            texts = [chunk.text for chunk in reader.document_chunks("a")]
            assert texts in ([], ["amber"] * 3, ["blue"] * 5)
            reader.refresh()
            assert len(reader.search_text("amber blue", 10)) in (0, 3, 5)
            seen += 1
        return seen

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for _ in range(12):
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


def test_a_scan_ends_although_names_hold_null_characters(store: Store) -> None:
    put(store, *(document(id, name=name) for id, name in zip("abcd", ["a\0b", "a\0b", "a", "\0"], strict=True)))
    pages = islice(scan_all_documents(store, page=1), 9)
    assert [found.id for found in pages] == ["d", "c", "a", "b"]


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


def test_sizes_beyond_all_numbers_are_still_counted(store: Store) -> None:
    put(store, *(document(id, size=2**62) for id in "abc"))
    assert store.stats().bytes == 3 * 2**62


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


def test_who_holds_a_record_loses_no_turn_among_threads(open_store: Callable[[], Store]) -> None:
    """As conversations are written: the count, and the words beside it, of whoever was first."""
    stores = [open_store() for _ in range(3)]
    stores[0].apply(Batch(records=[Record("chat", "c", {"count": 0})]))

    def speak(store: Store) -> list[str]:
        said: list[str] = []
        while len(said) < 10:
            record = store.record("chat", "c")
            assert record is not None
            count, word = record.value["count"], f"{id(store)}-{len(said)}"
            words = [Record("message", f"{count:04d}", {"word": word}), Record("chat", "c", {"count": count + 1})]
            try:
                store.apply(Batch(records=words, holds=[record]))
            except ConflictError:
                continue
            said.append(word)
        return said

    with ThreadPoolExecutor(3) as pool:
        spoken = [word for said in pool.map(speak, stores) for word in said]
    kept = [record.value["word"] for record in stores[0].scan_records("message")]
    assert sorted(kept) == sorted(spoken)
    found = stores[0].record("chat", "c")
    assert found is not None
    assert found.value["count"] == 30


def test_what_another_has_taken_over_is_not_dropped(store: Store) -> None:
    lease = store.put_if(Record("lease", "a", {"holder": "one"}), 0)
    assert lease is not None
    assert store.put_if(Record("lease", "a", {"holder": "two"}), lease.version)
    with pytest.raises(ConflictError):
        store.apply(Batch(holds=[lease], drop=[("lease", "a")]))
    found = store.record("lease", "a")
    assert found is not None
    assert found.value["holder"] == "two"
