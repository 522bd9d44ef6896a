from email.message import EmailMessage

import pytest

from knowgate.knowledge.parse.letter import Letter
from knowgate.knowledge.parse.mail import read
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed


def letter(subject: str = "Hello", body: str = "Dear you,\n\nwords.") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Jürgen <j@example.org>"
    message["To"] = "ann@example.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 01 Jan 2024 10:00:00 +0100"
    message.set_content(body)
    return message


def shown(parsed: Parsed) -> list[tuple[str, int, str]]:
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_headers_become_fields_and_text():
    parsed = read(letter("Grüße").as_bytes(), "a.eml", ParseOptions())
    assert parsed.title == "Grüße"
    assert parsed.fields["from"] == "Jürgen <j@example.org>"
    assert parsed.fields["date"] == "2024-01-01T09:00:00+00:00"
    assert shown(parsed)[0] == ("heading", 1, "Grüße")
    assert shown(parsed)[2:] == [("text", 0, "Dear you,"), ("text", 0, "words.")]


def test_of_two_versions_the_plain_one_is_read_unless_it_says_nothing():
    message = letter(body="The whole story.")
    message.add_alternative("<p>The whole <b>story</b>.</p>", subtype="html")
    assert shown(read(message.as_bytes(), "a.eml", ParseOptions()))[-1] == ("text", 0, "The whole story.")
    message = letter(body="See HTML.")
    message.add_alternative(f"<h2>Story</h2><p>{'It goes on. ' * 10}</p>", subtype="html")
    assert ("heading", 2, "Story") in shown(read(message.as_bytes(), "a.eml", ParseOptions()))


def test_the_charset_of_a_part_is_followed():
    data = b"From: a@b\nTo: c@d\nSubject: x\nContent-Type: text/plain; charset=iso-8859-2\n\n" + "Łódź".encode(
        "iso-8859-2"
    )
    assert read(data, "a.eml", ParseOptions()).text.endswith("Łódź")


def test_attachments_are_read_and_listed():
    message = letter()
    message.add_attachment(b"a,b\n1,x\n2,y\n", maintype="text", subtype="csv", filename="t.csv")
    message.add_attachment(b"\x7fELF" + bytes(99), maintype="application", subtype="octet-stream", filename="run")
    parsed = read(message.as_bytes(), "a.eml", ParseOptions())
    assert parsed.fields["attachments"] == "t.csv, run"
    assert shown(parsed)[-2:] == [
        ("heading", 2, "Attachment: t.csv"),
        ("table", 0, "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |"),
    ]
    assert len(parsed.warnings) == 1
    assert "run" in parsed.warnings[0]


def test_attached_messages_are_read_to_a_depth():
    message = letter("level 0")
    for level in range(1, 7):
        outer = letter(f"level {level}")
        outer.add_attachment(message)
        message = outer
    parsed = read(message.as_bytes(), "a.eml", ParseOptions())
    assert "level 3" in parsed.text
    assert "level 2" not in parsed.text
    assert parsed.warnings


def test_a_mailbox_is_one_text_of_many_messages():
    mbox = b"".join(
        b"From a@b Mon Jan  1 00:00:00 2024\n" + letter(f"number {number}").as_bytes() + b"\n" for number in range(3)
    )
    parsed = read(mbox, "a.mbox", ParseOptions())
    assert parsed.type == "mbox"
    assert [text for kind, _, text in shown(parsed) if kind == "heading"] == ["number 0", "number 1", "number 2"]


def test_odd_headers_do_no_harm():
    data = b"From: \xff\xfe <a@b>\nTo: =?no-such?q?a=FFb?=\nSubject: =?utf-8?b?!!!?=\nDate: never\n\nbody"
    parsed = read(data, "a.eml", ParseOptions())
    assert parsed.text.endswith("body")
    assert "date" not in parsed.fields


def test_a_header_is_cut_before_anybody_decodes_it():
    endless = b"=?utf-8?q?word?= " * 50_000
    parsed = read(b"Subject: \xe9 " + endless + b"\nTo: " + endless + b"\n\nBody.", "a.eml", ParseOptions())
    assert len(parsed.title) <= 20_000
    assert 1_000 < len(str(parsed.fields["to"])) <= 20_000
    assert shown(parsed)[-1] == ("text", 0, "Body.")


def test_memory_that_runs_out_is_no_fault_of_the_letter(monkeypatch: pytest.MonkeyPatch):
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Letter, "plain", exhausted)
    with pytest.raises(MemoryError):
        read(letter().as_bytes(), "a.eml", ParseOptions())
