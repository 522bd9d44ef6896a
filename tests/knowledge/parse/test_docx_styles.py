import pytest

from knowgate.knowledge.parse.docx_styles import Numbering, count_text, read_styles
from knowgate.knowledge.parse.xml import parse_xml

NUMBERING = b"""<numbering>
<abstractNum abstractNumId="1">
  <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
  <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2)"/></lvl>
</abstractNum>
<num numId="1"><abstractNumId val="1"/></num>
<num numId="2"><abstractNumId val="1"/></num>
<num numId="3"><abstractNumId val="1"/><lvlOverride ilvl="0"><startOverride val="7"/></lvlOverride></num>
</numbering>"""


def test_numbering_counts_restarts_and_shares():
    numbering = Numbering.read(parse_xml(NUMBERING, "Word"))
    assert [numbering.label("1", level) for level in (0, 1, 1, 0, 1)] == ["1.", "1.a)", "1.b)", "2.", "2.a)"]
    assert numbering.label("2", 0) == "3."
    assert [numbering.label("3", 0), numbering.label("3", 0)] == ["7.", "8."]
    assert numbering.label("unknown", 0) == "-"


@pytest.mark.parametrize(
    ("count", "form", "expected"),
    [
        (3, "decimal", "3"),
        (3, "decimalZero", "03"),
        (27, "lowerLetter", "aa"),
        (2, "upperLetter", "B"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (5000, "lowerRoman", "5000"),
    ],
)
def test_count_text(count: int, form: str, expected: str):
    assert count_text(count, form) == expected


def test_styles_that_are_based_on_each_other_in_a_circle():
    styles = read_styles(
        parse_xml(
            b'<styles><style styleId="a"><basedOn val="b"/></style>'
            b'<style styleId="b"><basedOn val="a"/></style></styles>',
            "Word",
        )
    )
    assert styles["a"].level == 0
