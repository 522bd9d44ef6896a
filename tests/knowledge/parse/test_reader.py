from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.knowledge.parse.reader import TextBuilder, table_text, table_texts


@settings(deadline=None)
@given(st.lists(st.text(max_size=20)))
def test_blocks_are_stretches_of_the_final_text(pieces: list[str]):
    builder = TextBuilder()
    for piece in pieces:
        builder.add("text", piece)
    text, blocks = builder.build()
    assert [text[each.start : each.end] for each in blocks] == [
        piece.strip("\n").rstrip() for piece in pieces if piece.strip()
    ]


@settings(deadline=None)
@given(st.lists(st.lists(st.text(alphabet="ab c", max_size=30), min_size=2, max_size=4), min_size=1, max_size=60))
def test_a_table_in_groups_loses_no_row(rows: list[list[str]]):
    groups = list(table_texts(rows, 100))
    lines = [line for group in groups for line in group.split("\n")[2:]]
    assert len(lines) == len(rows) - 1
    header = table_text(rows[:1]).split("\n")[0].rstrip(" |")
    assert all(group.startswith(header) for group in groups)


def test_a_wide_header_does_not_outweigh_its_rows():
    rows = [[f"column {number}" for number in range(500)]] + [["x"] * 500 for _ in range(20)]
    assert len(list(table_texts(rows))) <= 4
