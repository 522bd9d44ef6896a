"""How much of the words of real documents the readers find, against reference conversions."""

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from knowgate.knowledge.parse.reader import ParseOptions

FILES = Path(__file__).parents[4] / "shared" / "eval" / "docs" / "converted"
READERS = {
    "doc": "doc",
    "docx": "docx",
    "epub": "epub",
    "ods": "sheets",
    "odp": "odf",
    "odt": "odf",
    "pdf": "pdf",
    "ppt": "ppt",
    "pptx": "pptx",
    "xls": "sheets",
    "xlsx": "sheets",
}


def words(text: str) -> Counter[str]:
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|\\", " ", text, flags=re.S)
    return Counter(re.findall(r"[^\W_]+", text.casefold()))


@pytest.mark.skipif(not FILES.exists(), reason="needs the evaluation files in ../shared/eval")
@pytest.mark.parametrize(
    ("ending", "least"),
    [
        ("doc", 0.95),
        ("docx", 0.97),
        ("epub", 0.95),
        ("odp", 0.88),
        ("odt", 0.95),
        ("pdf", 0.93),
        ("ppt", 0.85),
        ("pptx", 0.9),
        ("xls", 0.9),
        ("xlsx", 0.85),
    ],
)
def test_words_found(ending: str, least: float):
    read = importlib.import_module(f"knowgate.knowledge.parse.{READERS[ending]}").read
    scores: list[float] = []
    for source in sorted(FILES.glob(f"*/sources/*.{ending}")):
        names = (f"{source.name}.md", f"{source.name.removesuffix('.pdf')}.md")
        reference = next((path for name in names if (path := source.parents[1] / "groundtruth" / name).exists()), None)
        if reference:
            expected = words(reference.read_text(encoding="utf-8"))
            found = words(read(source.read_bytes(), source.name, ParseOptions()).text)
            scores.append(2 * (expected & found).total() / (expected.total() + found.total()))
    assert scores
    assert sum(scores) / len(scores) >= least
