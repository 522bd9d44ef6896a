"""A log is one sequence of rows, however it is cut into segments and tails, and whoever looks at it."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from contract import by_vector, by_words, delete, document, embed, identity, put, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.errors import StorageError
from knowgate.store.port import Batch
from knowgate.store.sqlite.log import LARGEST_SEGMENT, Stretch, plan
from knowgate.store.sqlite.store import SqliteStore

OpenSqlite = Callable[[], SqliteStore]


# What to build next


def build_all(segments: list[Stretch], tail: Stretch) -> list[Stretch]:
    """What maintenance makes of a log: the planned ranges built until nothing is due."""
    for _ in range(1000):
        due = plan(segments, tail)
        if due is None:
            return segments
        first, last = due
        inside = [each for each in (*segments, tail) if first <= each.first and each.last <= last]
        assert inside, "a range holds something"
        outside = [each for each in segments if each not in inside]
        living = sum(each.living for each in inside)
        segments = sorted([*outside, *([Stretch(first, last, living, False)] if living else [])])
        if tail in inside:
            tail = Stretch(last + 1, last, 0, False)
    raise AssertionError("maintenance does not end")


@given(st.data())
@settings(max_examples=60)
def test_segments_stay_few_and_cover_each_row_once(data: st.DataObject) -> None:
    segments: list[Stretch] = []
    newest = 0
    total = 0
    for _ in range(data.draw(st.integers(1, 25))):
        # Some rows of each segment die, some segments get lost.
        segments = [
            each._replace(
                living=(living := data.draw(st.integers(0, each.living))),
                due=3 * (each.living - living) > each.living or data.draw(st.integers(0, 9)) == 0,
            )
            for each in segments
        ]
        size = data.draw(st.integers(0, 60_000))
        first = segments[-1].last + 1 if segments else 1
        newest = max(newest, first - 1) + size
        tail = Stretch(first, newest, data.draw(st.integers(0, newest - first + 1)), newest - first + 1 >= 4096)
        total = max(total, newest)
        segments = build_all(segments, tail)
        assert all(a.last < b.first for a, b in pairwise(segments))
        assert all(each.living <= LARGEST_SEGMENT for each in segments)
    assert len(segments) <= 2 * total / LARGEST_SEGMENT + math.log2(max(total, 2)) + 2


def test_a_short_tail_is_left_in_memory() -> None:
    assert plan([], Stretch(1, 10, 10, False)) is None
    assert plan([Stretch(1, 9, 9, False)], Stretch(10, 12, 3, False)) is None


def test_a_tail_takes_its_smaller_neighbours_along() -> None:
    segments = [Stretch(1, 100, 100, False), Stretch(101, 110, 10, False), Stretch(111, 115, 5, False)]
    assert plan(segments, Stretch(116, 120, 5, True)) == (101, 120)


def test_a_lost_or_dying_segment_is_built_again_alone() -> None:
    segments = [Stretch(1, 100, 100, False), Stretch(101, 110, 2, True)]
    assert plan(segments, Stretch(111, 111, 1, False)) == (101, 110)


# Views


def answers(store: SqliteStore) -> Any:
    return (
        [[(hit.chunk_id, round(hit.score, 5)) for hit in store.search_text(q, 500)] for q in ("apple", "pear 3 plum")],
        {hit.chunk_id: round(hit.score, 4) for hit in store.search_vector(vector_of("apple 1"), 500)},
    )


def segments(store: SqliteStore, log: str) -> list[tuple[int, int, int]]:
    with store._database.read() as db:
        return list(db.execute("SELECT first, last, rows FROM segment WHERE log = ? ORDER BY first", (log,)))


def dead(store: SqliteStore) -> int:
    with store._database.read() as db:
        return db.execute("SELECT count(*) FROM dead").get


@pytest.mark.usefixtures("small_logs")
def test_stores_on_one_folder_see_each_other_through_segments_and_merges(open_sqlite: OpenSqlite) -> None:
    one, two = open_sqlite(), open_sqlite()
    texts: dict[str, str] = {}
    for i in range(60):
        writer, other = (one, two) if i % 2 else (two, one)
        put(writer, document(f"d{i % 23}", text := f"apple {i} pear {i % 5}"))
        texts[f"d{i % 23}:0"] = text
        if i % 7 == 3:
            delete(other, f"d{i % 11}")
            texts.pop(f"d{i % 11}:0", None)
        embed(other)
        if i % 5 == 0:
            writer.maintain()
        assert answers(one) == answers(two)
        assert by_words(one, "apple") == by_vector(two, "x") == texts.keys()
    assert answers(open_sqlite()) == answers(one)
    assert segments(one, "words")
    assert one.check() == []


@pytest.mark.usefixtures("small_logs")
def test_nothing_is_found_twice_after_maintenance_of_both(open_sqlite: OpenSqlite) -> None:
    one, two = open_sqlite(), open_sqlite()
    put(one, *(document(f"d{i}", f"apple {i}") for i in range(10)))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda store: store.maintain(), [one, two] * 4))
    for store in (one, two):
        found = [hit.chunk_id for hit in store.search_text("apple", 100)]
        assert sorted(found) == sorted({f"d{i}:0" for i in range(10)})


@pytest.mark.usefixtures("small_logs")
def test_a_slow_builder_does_not_cover_rows_a_second_time(open_sqlite: OpenSqlite) -> None:
    slow, quick = open_sqlite(), open_sqlite()
    put(slow, *(document(f"d{i}", f"apple {i}") for i in range(6)))
    with slow._database.read() as db:
        due = slow._words.due(db)
        assert due
        built = slow._words.build(db, *due)
    put(quick, *(document(f"e{i}", f"apple {i}") for i in range(6)))
    quick.maintain()
    before = segments(quick, "words")
    with slow._database.write() as db:
        slow._words.register(db, built)
    assert segments(slow, "words") == before
    for store in (slow, quick, open_sqlite()):
        assert len(store.search_text("apple", 100)) == 12


@pytest.mark.usefixtures("small_logs")
def test_a_segment_of_an_older_vector_space_is_not_registered(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", f"apple {i}") for i in range(6)))
    embed(store)
    with store._database.read() as db:
        due = store._vectors.due(db)
        assert due
        built = store._vectors.build(db, *due)
    store.start_space(identity(12))
    with store._database.write() as db:
        store._vectors.register(db, built)
    assert segments(store, "vector") == []
    embed(store)
    assert len(store.search_vector(vector_of("apple 1", 12), 100)) == 6


@pytest.mark.usefixtures("small_logs")
def test_rows_that_die_while_a_segment_is_built_stay_dead(open_sqlite: OpenSqlite) -> None:
    store, other = open_sqlite(), open_sqlite()
    put(store, *(document(f"d{i}", f"apple {i}") for i in range(6)))
    delete(store, "d0")
    with store._database.read() as db:
        due = store._words.due(db)
        assert due
        built = store._words.build(db, *due)
    delete(other, "d1")
    with store._database.write() as db:
        store._words.register(db, built)
    for each in (store, other, open_sqlite()):
        assert by_words(each, "apple") == {f"d{i}:0" for i in range(2, 6)}
        assert answers(each) == answers(store)


@pytest.mark.usefixtures("small_logs")
def test_documents_written_again_and_again_leave_little_behind(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    for i in range(40):
        put(store, document("a", f"apple {i}"), document("b", f"pear {i}"))
        assert by_words(store, "apple pear") == {"a:0", "b:0"}
        assert sum(len(part.rows) for part in store._words._parts) <= 8, "a view lets go of the dead"
        store.maintain()
        assert dead(store) <= 4
    delete(store, "a", "b")
    for i in range(4):
        put(store, document("c", str(i)))
        delete(store, "c")
    store.maintain()
    assert dead(store) == 0
    assert segments(store, "words") == []


@pytest.mark.usefixtures("small_logs")
def test_a_long_tail_becomes_segments_of_bounded_size(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i:03}", *(f"apple {i} {j}" for j in range(10))) for i in range(12)))
    store.maintain()
    assert [rows for _, _, rows in segments(store, "words")] == [40, 40, 40]
    assert len(store.search_text("apple", 500)) == 120


def test_a_new_view_costs_no_old_one(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "apple"))
    with store._database.read() as db:
        before = store._words.view(db)
    delete(store, "a")
    assert by_words(store, "apple") == set()
    assert before[0].all_alive, "a search under way keeps what it saw"


@pytest.mark.usefixtures("small_logs")
def test_threads_search_while_others_write_and_maintain(open_sqlite: OpenSqlite) -> None:
    store, other = open_sqlite(), open_sqlite()
    put(store, *(document(f"d{i}", "apple", "apple pear") for i in range(5)))
    embed(store)

    def search(_: int) -> None:
        for _ in range(40):
            found = [hit.chunk_id for hit in store.search_text("apple", 1000)]
            assert len(found) == len(set(found)), "nothing twice"
            assert {f"d{i}:{j}" for i in range(5) for j in range(2)} <= set(found), "nothing missing"
            found = [hit.chunk_id for hit in store.search_vector(vector_of("apple"), 1000)]
            assert len(found) == len(set(found))
            assert {"d0:0", "d0:1"} <= set(found)

    def write(number: int) -> None:
        writer = (store, other)[number % 2]
        for i in range(12):
            put(writer, document(f"d{1 + number}", "apple", "apple pear"))
            put(writer, document(f"more{number}{i}", "apple"))
            embed(writer)
            writer.maintain()

    with ThreadPoolExecutor(5) as pool:
        for done in [*(pool.submit(write, n) for n in range(2)), *(pool.submit(search, n) for n in range(3))]:
            done.result()
    assert answers(store) == answers(other) == answers(open_sqlite())
    assert store.check() == []


@pytest.mark.usefixtures("small_logs")
def test_a_builder_that_cannot_write_says_so_and_blocks_nobody(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", "apple") for i in range(6)))
    (store.folder / "segments").write_text("in the way")
    with pytest.raises(StorageError) as caught:
        store.maintain()
    assert caught.value.code == "cannot_write"
    assert len(by_words(store, "apple")) == 6
    (store.folder / "segments").unlink()
    store.maintain()
    assert len(segments(store, "words")) == 1


@pytest.mark.usefixtures("small_logs")
def test_a_lease_of_somebody_else_is_respected_until_it_ends(open_sqlite: OpenSqlite) -> None:
    store, other = open_sqlite(), open_sqlite()
    put(store, *(document(f"d{i}", "apple") for i in range(6)))
    assert other._lease_maintenance()
    store.maintain()
    assert segments(store, "words") == []
    store.apply(Batch(drop=[("lease", "maintenance")]))
    store.maintain()
    assert len(segments(store, "words")) == 1
