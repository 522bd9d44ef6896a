"""The built-in model, for real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from knowgate.knowledge.embed.minilm import MiniLM


@pytest.fixture(scope="module")
def minilm() -> Iterator[MiniLM]:
    model = MiniLM()
    yield model
    model.close()


def test_vectors_have_unit_length_and_the_declared_dimension(minilm: MiniLM) -> None:
    vectors = minilm.embed_passages(["Refunds are paid within 14 days.", "", "x " * 2000])
    assert vectors.shape == (3, minilm.identity.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert minilm.embed_passages([]).shape == (0, 384)


def test_a_question_is_nearest_to_its_answer(minilm: MiniLM) -> None:
    passages = [
        "Customers get their money back within 14 days of returning an item.",
        "The warehouse opens at six and closes at ten.",
        "Our mascot is a small blue whale.",
    ]
    scores = minilm.embed_passages(passages) @ minilm.embed_query("how do refunds work")
    assert scores.argmax() == 0
    assert scores[0] > 0.3 > scores[2]


def test_a_text_has_the_same_vector_in_any_company(minilm: MiniLM) -> None:
    texts = [f"Text number {number} " + "with a tail " * number for number in range(8)]
    together = minilm.embed_passages(texts)
    alone = np.stack([minilm.embed_query(text) for text in texts])
    assert np.array_equal(together, alone)


def test_what_is_beyond_the_limit_does_not_count(minilm: MiniLM) -> None:
    full = "word " * minilm.max_tokens
    assert minilm.count(full) == minilm.max_tokens
    assert np.array_equal(minilm.embed_query(full), minilm.embed_query(full + "and more of it"))
    assert not np.array_equal(minilm.embed_query(full), minilm.embed_query(full[: -len("word ")] + "whale"))


def test_a_closed_model_loads_again() -> None:
    model = MiniLM(threads=1)
    before = model.embed_query("hello")
    model.close()
    model.close()
    assert np.array_equal(model.embed_query("hello"), before)
    model.close()


def test_chinese_is_foreign_to_it(minilm: MiniLM) -> None:
    assert minilm.fluency("今天天气很好") < 0.2 < 0.8 < minilm.fluency("the weather is nice today")


def test_nothing_is_written_home_and_nothing_is_reported(tmp_path: Path) -> None:
    script = "from knowgate.knowledge.embed import create_embedder; create_embedder().embed_query('hello')"
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", script], env=environ, check=True)
    assert list(tmp_path.rglob("*")) == []
