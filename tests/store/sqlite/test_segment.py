"""A segment file is what was written or it is lost; lost, it costs time and nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from contract import by_vector, by_words, delete, document, embed, put, vector_of

from knowgate.store.sqlite.segment import SUFFIX, SegmentLost, map_segment, sweep, write_segment
from knowgate.store.sqlite.store import SqliteStore

ARRAYS = {
    "row": np.arange(7, dtype=np.int64),
    "empty": np.empty(0, dtype=np.uint8),
    "flat": np.zeros((0, 3), dtype=np.float32),
    "wide": np.arange(300, dtype=np.int32).reshape(100, 3)[::2].T,
    "last": np.array([250], dtype=np.uint8),
}


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    name = write_segment(tmp_path / "new" / "folder", ARRAYS)
    found = map_segment(tmp_path / "new" / "folder", name, thorough=True)
    assert list(found) == list(ARRAYS)
    for key, array in ARRAYS.items():
        assert found[key].dtype == array.dtype
        np.testing.assert_array_equal(found[key], array)
        assert not found[key].flags.writeable
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == [name]


def test_numbers_are_little_endian_on_every_machine(tmp_path: Path) -> None:
    name = write_segment(tmp_path, {"row": np.array([1, 2], dtype=">i8"), "byte": np.array([3], dtype=np.int8)})
    found = map_segment(tmp_path, name)
    assert (found["row"].dtype.str, found["row"].tolist()) == ("<i8", [1, 2])
    assert (found["byte"].dtype.str, found["byte"].tolist()) == ("|i1", [3])


def test_a_file_of_another_length_or_form_is_lost(tmp_path: Path) -> None:
    name = write_segment(tmp_path, ARRAYS)
    whole = (tmp_path / name).read_bytes()
    cuts = [whole[:length] for length in range(0, len(whole), 37)]
    flipped = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(40)]
    for damaged in [*cuts, *flipped, whole + b"\0", bytes(len(whole)), b"KGSEG1\n\0" + b"\xff" * 90]:
        (tmp_path / "other.seg").write_bytes(damaged)
        with pytest.raises(SegmentLost):
            map_segment(tmp_path, "other.seg")
    with pytest.raises(SegmentLost):
        map_segment(tmp_path, "missing.seg")
    with pytest.raises(SegmentLost):
        map_segment(tmp_path, ".")


def test_a_changed_byte_is_seen_by_a_thorough_look(tmp_path: Path) -> None:
    name = write_segment(tmp_path, ARRAYS)
    whole = bytearray((tmp_path / name).read_bytes())
    whole[-64] ^= 1
    (tmp_path / name).write_bytes(whole)
    assert map_segment(tmp_path, name)["last"][0] == 251
    with pytest.raises(SegmentLost):
        map_segment(tmp_path, name, thorough=True)


def test_the_sweep_takes_old_files_nobody_knows(tmp_path: Path) -> None:
    now = time.time()
    for name, age in {"kept.seg": 900, "old.seg": 900, "young.seg": 0, "left.seg.tmp": 900, "notes.txt": 900}.items():
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (now - age, now - age))
    sweep(tmp_path, {"kept.seg"}, older_than=now - 600)
    assert {path.name for path in tmp_path.iterdir()} == {"kept.seg", "young.seg", "notes.txt"}
    sweep(tmp_path / "missing", set(), now)


needs_removal = pytest.mark.skipif(os.name == "nt", reason="a mapped file cannot be removed here")


def remove(path: Path) -> None:
    path.unlink()


def truncate(path: Path) -> None:
    replace_by(path, path.read_bytes()[:100])


def garble(path: Path) -> None:
    replace_by(path, b"\0" + path.read_bytes()[1:])


def replace_by(path: Path, content: bytes) -> None:
    # A new file, because the old one may be mapped.
    other = path.with_suffix(".new")
    other.write_bytes(content)
    other.replace(path)


@needs_removal
@pytest.mark.usefixtures("small_logs")
@pytest.mark.parametrize("harm", [remove, truncate, garble])
def test_the_store_answers_without_its_segments_and_builds_them_again(
    open_sqlite: Callable[[], SqliteStore], harm: Callable[[Path], None]
) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", f"apple {i}", f"pear {i}") for i in range(12)))
    embed(store)
    store.maintain()
    delete(store, "d3")
    put(store, document("d4", "plum"), document("late", "apple late"))
    embed(store)

    def answers(store: SqliteStore) -> object:
        return [store.search_text(word, 50) for word in ("apple", "pear 3", "plum", "late")], [
            (hit.chunk_id, round(hit.score, 4)) for hit in store.search_vector(vector_of("apple 5"), 50)
        ]

    expected = answers(store)
    segments = sorted((store.folder / "segments").glob(f"*{SUFFIX}"))
    assert len(segments) >= 2
    for path in segments:
        harm(path)
    fresh = open_sqlite()
    assert answers(fresh) == answers(store) == expected
    put(fresh, document("after", "apple after"))
    delete(fresh, "d5")
    assert by_words(fresh, "after") == by_words(store, "after") == {"after:0"}
    expected = answers(fresh)
    assert answers(store) == expected
    fresh.maintain()
    assert answers(fresh) == answers(store) == answers(open_sqlite()) == expected
    assert fresh.check(thorough=True) == []


@needs_removal
@pytest.mark.usefixtures("small_logs")
def test_a_lost_segment_whose_rows_are_all_dead_breaks_nothing(open_sqlite: Callable[[], SqliteStore]) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", f"apple {i}") for i in range(6)))
    embed(store)
    store.maintain()
    delete(store, *(f"d{i}" for i in range(6)))
    for path in (store.folder / "segments").iterdir():
        path.unlink()
    fresh = open_sqlite()
    assert by_words(fresh, "apple") == by_vector(fresh, "apple 1") == set()
    put(fresh, document("new", "apple"))
    embed(fresh)
    assert by_words(fresh, "apple") == by_vector(fresh, "apple") == {"new:0"}


@needs_removal
@pytest.mark.usefixtures("small_logs")
def test_a_thorough_check_names_a_damaged_segment(open_sqlite: Callable[[], SqliteStore]) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", "apple") for i in range(6)))
    store.maintain()
    (path,) = (store.folder / "segments").iterdir()
    content = bytearray(path.read_bytes())
    content[-64] ^= 1
    replace_by(path, content)
    assert store.check() == []
    (damage,) = store.check(thorough=True)
    assert path.name in damage.what
    assert "delete the file" in damage.fix
    path.unlink()
    assert store.check(thorough=True) == [], "a missing file is no damage"
