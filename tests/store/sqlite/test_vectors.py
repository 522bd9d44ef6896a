"""The nearest vectors are found, exactly in small sets and nearly always in large ones."""

from __future__ import annotations

import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import ConflictError
from knowgate.store.port import Matrix
from knowgate.store.sqlite.log import Mask, Part
from knowgate.store.sqlite.retrieve import find_nearest
from knowgate.store.sqlite.vectors import Quantised, _smallest, largest, pack_vectors, unpack_vectors

DIMENSIONS = [1, 3, 5, 64, 100, 384, 1536]


def unit(rows: npt.NDArray[np.float64]) -> Matrix:
    # Through bytes and back: what the store can know of them.
    return unpack_vectors(pack_vectors((rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)))


def clustered(count: int, dimension: int, seed: int = 1) -> Matrix:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((200, dimension))
    return unit(centres[random.integers(0, 200, count)] + 0.5 * random.standard_normal((count, dimension)))


def part(vectors: Matrix, quantised: bool, first: int = 0, alive: Mask | None = None) -> Part[Matrix | Quantised]:
    numbers = np.arange(first, first + len(vectors), dtype=np.int64)
    payload = Quantised.build(pack_vectors(vectors)) if quantised else vectors
    return Part("", numbers, numbers, numbers, np.ones(len(vectors), np.bool_) if alive is None else alive, payload, [])


def nearest(
    vectors: Matrix, query: Matrix, k: int, quantised: bool = True, cut: int = 0, mask: Mask | None = None
) -> list[tuple[int, float]]:
    blobs = pack_vectors(vectors)
    parts = [part(vectors[:cut], quantised), part(vectors[cut:], quantised, cut)] if cut else [part(vectors, quantised)]
    return find_nearest(parts, query, k, mask, lambda rows: {row: blobs[row] for row in rows})


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("quantised", [False, True])
def test_a_small_set_is_searched_exactly(dimension: int, quantised: bool) -> None:
    vectors = clustered(60, dimension)
    for query in clustered(5, dimension, seed=2):
        scores = vectors @ query
        found = nearest(vectors, query, 60, quantised, cut=25)
        assert sorted(row for row, _ in found) == list(range(60))
        assert [score for _, score in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-5)
        assert dict(found) == pytest.approx(dict(enumerate(scores.tolist())), abs=1e-5)


@pytest.mark.parametrize("dimension", [100, 384])
def test_recall_is_high_among_many(dimension: int) -> None:
    vectors = clustered(12_000, dimension)
    allowed = np.random.default_rng(3).random(12_000) < 0.5
    rows = np.flatnonzero(allowed)
    unfiltered = filtered = 0
    queries = clustered(20, dimension, seed=2)
    for query in queries:
        scores = vectors @ query
        unfiltered += len({row for row, _ in nearest(vectors, query, 10)} & set(np.argsort(-scores)[:10].tolist()))
        best = rows[np.argsort(-scores[rows])[:10]]
        found = {row for row, _ in nearest(vectors, query, 10, mask=allowed)}
        assert found <= set(rows.tolist())
        filtered += len(found & set(best.tolist()))
    assert unfiltered >= 0.98 * 10 * len(queries)
    assert filtered >= 0.98 * 10 * len(queries)


@pytest.mark.parametrize("quantised", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_only_what_is_allowed_and_alive_is_found(quantised: bool, share: float) -> None:
    vectors = clustered(300, 32)
    random = np.random.default_rng(5)
    mask, alive = random.random(280) < share, random.random(300) < 0.7
    blobs = pack_vectors(vectors)
    query = clustered(1, 32, seed=9)[0]
    for documents, expected in ((mask, alive & np.append(mask, np.zeros(20, np.bool_))), (None, alive)):
        found = find_nearest(
            [part(vectors, quantised, alive=alive)], query, 300, documents, lambda rows: {r: blobs[r] for r in rows}
        )
        assert sorted(row for row, _ in found) == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize("quantised", [False, True])
def test_equal_vectors_are_all_found(quantised: bool) -> None:
    vectors = np.repeat(clustered(1, 16), 3000, axis=0)
    assert len(nearest(vectors, vectors[0], 50, quantised)) == 50


def test_of_many_equals_only_some_get_a_second_look() -> None:
    distances = np.array([3, 1, *[2] * 50, 0, 2], dtype=np.uint16)
    assert _smallest(distances, 4).tolist() == [1, 2, 3, 4, 5, 6, 7, 52]
    assert _smallest(distances, 40).tolist() == list(range(1, 54))
    assert len(_smallest(distances, 99)) == len(distances)


def test_a_large_segment_is_built_a_slab_at_a_time() -> None:
    blobs = pack_vectors(clustered(40_000, 128))
    tracemalloc.start()
    built = Quantised.build(blobs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < built.bytes.nbytes * 4, "as much as all whole vectors"
    few = Quantised.build(blobs[30_000:30_010])
    assert np.array_equal(few.bytes, built.bytes[30_000:30_010])
    assert np.array_equal(few.bits, built.bits[:, 30_000:30_010])
    assert np.array_equal(few.scales, built.scales[30_000:30_010])


def test_bytes_are_the_same_on_every_machine() -> None:
    assert pack_vectors(np.array([[1.0, -2.0]], np.float32)) == [b"\x00\x3c\x00\xc0"]
    assert pack_vectors(np.array([[1.0, -2.0]], ">f4")) == [b"\x00\x3c\x00\xc0"]
    assert pack_vectors(np.array([[1.0, -2.0]], ">f2")) == [b"\x00\x3c\x00\xc0"]


def test_a_vector_of_zeros_is_near_nothing() -> None:
    vectors = np.vstack([np.zeros((1, 8), np.float32), clustered(3, 8)])
    found = dict(nearest(vectors, vectors[1], 4))
    assert found[0] == 0
    assert found[1] == pytest.approx(1, abs=1e-2)


def test_rows_that_the_database_no_longer_has_are_left_out() -> None:
    vectors = clustered(5, 8)
    assert find_nearest([part(vectors, True)], vectors[0], 5, None, lambda rows: {}) == []


@pytest.mark.parametrize("quantised", [False, True])
def test_a_question_of_another_dimension_is_refused(quantised: bool) -> None:
    with pytest.raises(ConflictError) as caught:
        nearest(clustered(5, 8), clustered(1, 9)[0], 3, quantised)
    assert caught.value.code == "other_dimension"


@given(st.lists(st.integers(-5, 5), max_size=30), st.integers(1, 40))
def test_largest_is_the_head_of_a_stable_sort(numbers: list[int], k: int) -> None:
    scores = np.array(numbers, dtype=np.float32)
    expected = sorted(range(len(numbers)), key=lambda place: -numbers[place])[:k]
    assert largest(scores, k).tolist() == expected
