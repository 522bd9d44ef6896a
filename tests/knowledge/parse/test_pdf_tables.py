from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.parse.pdf_rules import Rule
from knowgate.knowledge.parse.pdf_tables import Table, take_tables
from knowgate.knowledge.parse.pdfium import Line, Page, Word

places = st.integers(0, 8).map(lambda step: step * 25.0)


def page(words: list[tuple[str, float, float]], rules: list[Rule]) -> Page:
    lines = [Line([Word(text, x, y, x + 10, y + 8)], 10).measure() for text, x, y in words]
    return Page(1, 600, 800, lines, rules)


def grid(xs: list[float], ys: list[float]) -> list[Rule]:
    return [Rule(x, ys[0], x, ys[-1]) for x in xs] + [Rule(xs[0], y, xs[-1], y) for y in ys]


def test_words_around_a_table_stay_in_their_place():
    words = [("before", 10, 200), ("a", 5, 80), ("b", 55, 80), ("c", 5, 30), ("d", 55, 30), ("after", 10, -40)]
    before, table, after = take_tables(page(words, grid([0, 50, 100], [0, 50, 100])))
    assert isinstance(table, Table)
    assert table.rows == [["a", "b"], ["c", "d"]]
    assert isinstance(before, Line)
    assert isinstance(after, Line)
    assert (before.text, after.text) == ("before", "after")


def test_a_table_drawn_cell_by_cell_without_an_outer_border():
    rules = [Rule(50, 0, 50, 50), Rule(50, 50, 50, 100), Rule(0, 50, 50, 50), Rule(50, 50, 100, 50)]
    (table,) = take_tables(page([("a", 5, 80), ("b", 55, 80), ("c", 5, 30), ("d", 55, 30)], rules))
    assert isinstance(table, Table)
    assert table.rows == [["a", "b"], ["c", "d"]]


@given(
    st.lists(st.tuples(st.sampled_from(["one", "two"]), places, places), max_size=12),
    st.lists(st.tuples(places, places, places, st.booleans()), max_size=12),
)
def test_no_word_is_lost(words: list[tuple[str, float, float]], drawn: list[tuple[float, float, float, bool]]):
    rules = [Rule(a, b, a, b + c) if upright else Rule(a, b, a + c, b) for a, b, c, upright in drawn]
    found: list[str] = []
    for item in take_tables(page(words, rules)):
        texts = [cell for row in item.rows for cell in row] if isinstance(item, Table) else [item.text]
        found += [word for text in texts for word in text.split()]
    assert sorted(found) == sorted(text for text, _, _ in words)
