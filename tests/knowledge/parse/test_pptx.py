import io

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.pptx import read
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed


def parsed(deck: object) -> Parsed:
    out = io.BytesIO()
    deck.save(out)  # type: ignore[attr-defined]
    return read(out.getvalue(), "a.pptx", ParseOptions())


def blocks(result: Parsed) -> list[tuple[str, int | None, str]]:
    return [(block.kind, block.page, result.text[block.start : block.end]) for block in result.blocks]


def test_slides_are_pages_with_title_text_table_chart_and_notes():
    deck = pptx.Presentation()
    deck.core_properties.author = "Ada"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Shipping"
    body = slide.placeholders[1].text_frame
    body.text = "By air"
    body.add_paragraph().text = "Two days"
    body.paragraphs[1].level = 1
    slide.notes_slide.notes_text_frame.text = "Say hello first"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Prices"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for cell, text in zip(table.iter_cells(), ("Country", "Euro", "Chile", "9"), strict=True):
        cell.text = text
    data = CategoryChartData()
    data.categories = ["2019", "2020"]
    data.add_series("Sales", (1, 2.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), data)
    result = parsed(deck)
    assert blocks(result) == [
        ("heading", 1, "Shipping"),
        ("text", 1, "By air\n  - Two days"),
        ("text", 1, "Notes: Say hello first"),
        ("heading", 2, "Prices"),
        ("table", 2, "| Country | Euro |\n| --- | --- |\n| Chile | 9 |"),
        ("table", 2, "|  | Sales |\n| --- | --- |\n| 2019 | 1 |\n| 2020 | 2.5 |"),
    ]
    assert result.fields["author"] == "Ada"
    assert result.type == "pptx"


def test_shapes_are_read_from_top_to_bottom():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for text, top in (("low", 5), ("high", 1), ("middle", 3)):
        slide.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(1)).text_frame.text = text
    assert [text for _, _, text in blocks(parsed(deck))] == ["high", "middle", "low"]


def test_a_deck_without_words():
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    with pytest.raises(DocumentError) as caught:
        parsed(deck)
    assert caught.value.code == "no_text"
