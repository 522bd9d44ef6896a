from collections.abc import Callable

from knowgate.knowledge.parse.msg import read
from knowgate.knowledge.parse.reader import ParseOptions

Compound = Callable[[dict[str, bytes]], bytes]


def test_subject_sender_and_body(compound_file: Compound):
    data = compound_file(
        {
            "__substg1.0_0037001F": "Prices".encode("utf-16-le"),
            "__substg1.0_0C1A001E": b"Ann",
            "__substg1.0_1000001F": "Dear Bob,\r\n\r\nsee below.".encode("utf-16-le"),
        }
    )
    parsed = read(data, "a.msg", ParseOptions())
    assert parsed.title == "Prices"
    assert parsed.fields["from"] == "Ann"
    assert parsed.text == "Prices\n\nFrom: Ann\n\nDear Bob,\n\nsee below."


def test_an_html_body_and_attachments(compound_file: Compound):
    data = compound_file(
        {
            "__substg1.0_0037001F": "Prices".encode("utf-16-le"),
            "__substg1.0_10130102": b"<p>See <b>below</b></p>",
            "__substg1.0_3707001F": "list.xlsx".encode("utf-16-le"),
        }
    )
    parsed = read(data, "a.msg", ParseOptions())
    assert parsed.text.endswith("See below")
    assert parsed.warnings
