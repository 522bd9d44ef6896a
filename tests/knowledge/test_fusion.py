import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.fusion import fuse
from knowgate.store.port import Scored

ids = st.sampled_from([f"d:{n}" for n in range(12)])
scores = st.dictionaries(ids, st.floats(0.001953125, 1, width=32), max_size=12)


def as_list(found: dict[str, float]) -> list[Scored]:
    return sorted((Scored(id, score) for id, score in found.items()), key=lambda hit: -hit.score)


@given(scores, scores, st.floats(0, 1))
def test_scores_fall_from_1_to_0(words: dict[str, float], vectors: dict[str, float], weight: float) -> None:
    fused = fuse(as_list(words), as_list(vectors), weight)
    assert all(0 <= hit.score <= 1 for hit in fused)
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    assert len({hit.chunk_id for hit in fused}) == len(fused)
    assert {hit.chunk_id for hit in fused} <= words.keys() | vectors.keys()


@given(scores)
def test_without_vectors_the_words_decide(words: dict[str, float]) -> None:
    ranked = [hit.chunk_id for hit in as_list(words)]
    assert sorted(hit.chunk_id for hit in fuse(as_list(words), [], 0.0)) == sorted(ranked)


@given(scores, scores, st.floats(0.01, 0.99))
def test_best_in_both_lists_is_first(words: dict[str, float], vectors: dict[str, float], weight: float) -> None:
    fused = fuse(as_list({**words, "best:0": 1.5}), as_list({**vectors, "best:0": 1.5}), weight)
    assert fused[0].chunk_id == "best:0"


def test_a_poor_best_hit_has_a_poor_score() -> None:
    assert fuse([Scored("a:0", 0.2)], [Scored("a:0", 0.1)], 0.35)[0].score == pytest.approx(0.2)


def test_where_the_words_hold_little_the_meaning_decides() -> None:
    vectors = [Scored("meant:0", 0.7), Scored("other:0", 0.1)]
    told = fuse([Scored("said:0", 0.9)], vectors, 0.25)
    guessed = fuse([Scored("said:0", 0.1)], vectors, 0.25)
    assert (told[0].chunk_id, guessed[0].chunk_id) == ("said:0", "meant:0")


def test_an_equal_rank_is_broken_by_id() -> None:
    assert [hit.chunk_id for hit in fuse([Scored("b:0", 0.5), Scored("a:0", 0.5)], [], 0.0)] == ["a:0", "b:0"]
