from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.parse.pdf_order import Box, part_columns, sort_blocks
from knowgate.knowledge.parse.pdfium import Line, Word

numbers = st.floats(0, 600, allow_nan=False)
boxes = st.tuples(numbers, numbers, numbers, numbers).map(
    lambda box: (min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))
)


def line(y: float, *words: tuple[str, float]) -> Line:
    return Line([Word(text, x, y, x + 5 * len(text), y + 10) for text, x in words], 10).measure()


def order(layout: dict[str, Box]) -> str:
    return "".join(sort_blocks(list(layout), layout.__getitem__))


def test_a_heading_drawn_after_two_columns_comes_first():
    layout: dict[str, Box] = {
        "b": (0, 400, 100, 490),
        "c": (0, 300, 100, 390),
        "d": (120, 400, 220, 490),
        "e": (120, 300, 220, 390),
        "a": (0, 500, 220, 520),
    }
    assert order(layout) == "abcde"


def test_columns_in_the_order_they_were_drawn_are_left_alone():
    assert order({"a": (0, 0, 100, 100), "b": (120, 0, 220, 100), "c": (240, 50, 300, 100)}) == "abc"


@given(st.lists(boxes, max_size=12))
def test_no_block_is_lost(layout: list[Box]):
    assert sorted(sort_blocks(list(range(len(layout))), layout.__getitem__)) == list(range(len(layout)))


def test_a_table_without_lines_is_not_parted():
    rows = [line(700 - 12 * row, (f"item{row}", 0), ("3.50", 200)) for row in range(10)]
    assert part_columns(rows) == rows


@given(st.lists(st.lists(st.tuples(st.sampled_from(["aa", "bbb"]), numbers), min_size=1, max_size=5), max_size=8))
def test_no_word_is_lost(rows: list[list[tuple[str, float]]]):
    lines = [line(700 - 12 * index, *words) for index, words in enumerate(rows)]
    assert sorted(word.x0 for each in part_columns(lines) for word in each.words) == sorted(
        word.x0 for each in lines for word in each.words
    )
