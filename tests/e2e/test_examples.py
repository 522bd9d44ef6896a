"""The examples answer their own questions."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from knowgate import Engine
from knowgate.config.settings import Settings

QUESTIONS: dict[str, list[str]] = orjson.loads((Path(__file__).parents[2] / "examples" / "questions.json").read_bytes())


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Iterator[Engine]:
    with Engine(Settings(data=tmp_path_factory.mktemp("shop"))) as engine:
        assert engine.ingest([examples]).failed == 0
        yield engine


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_its_file(shop: Engine, question: str) -> None:
    found = [hit.document.name for hit in shop.search(question).hits]
    assert set(found) & set(QUESTIONS[question]), found


def test_most_questions_find_a_right_file_first(shop: Engine) -> None:
    first = [shop.search(question, limit=1).hits[0].document.name in files for question, files in QUESTIONS.items()]
    assert sum(first) >= 0.8 * len(first)


def test_a_hit_in_a_pdf_has_page_and_heading(shop: Engine) -> None:
    hit = shop.search("Until what time can an express order leave the same day?", limit=5).hits
    pdf = next(each for each in hit if each.document.type == "pdf")
    assert pdf.chunk.page == 3
    assert len(pdf.chunk.headings) > 1
