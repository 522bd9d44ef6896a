import random
import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from knowgate.knowledge.parse.decode import decode, is_text

EVAL = Path(__file__).parents[4] / "shared" / "eval" / "docs" / "encodings"
GERMAN = "Die Straße führt über die Brücke, und am Ende öffnet sich ein schöner Blick auf das Gebäude. " * 3
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний. " * 3
POLISH = "Zażółć gęślą jaźń. Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. " * 3
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. " * 3
JAPANESE = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。" * 3
CHINESE = "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。" * 3
KOREAN = (
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며"
    * 3
)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (GERMAN, "mac-roman"),
        (GERMAN, "utf-16-le"),
        (POLISH, "cp1250"),
        (POLISH, "iso-8859-2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "iso-8859-5"),
        (RUSSIAN, "cp866"),
        (RUSSIAN, "utf-32-be"),
        (GREEK, "iso-8859-7"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso-2022-jp"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16-be"),
        (KOREAN, "euc-kr"),
        (KOREAN, "iso-2022-kr"),
    ],
)
def test_encodings_are_recognised_without_being_told(text: str, encoding: str):
    data = text.encode(encoding)
    assert decode(data) == text
    assert is_text(data)


def test_a_few_accents_are_enough():
    assert decode(b"Gr\xfc\xdfe") == "Grüße"
    assert decode(b"caf\xe9") == "café"


def test_a_header_s_word_is_taken_when_it_fits():
    assert decode("Łódź".encode("iso-8859-2"), "iso-8859-2") == "Łódź"
    assert decode("“quoted”".encode("cp1252"), "windows-1252") == "“quoted”"


@pytest.mark.parametrize("declared", ["no-such-charset", "rot13", "zip", "", "utf-16", "\x00"])
def test_a_header_that_lies_does_no_harm(declared: str):
    assert decode("Grüße, plain and simple".encode(), declared) == "Grüße, plain and simple"


def test_utf8_survives_stray_bytes_and_a_cut_end():
    text = "Größe, Länge, Höhe, Fläche, Gewicht für die Überprüfung "
    assert decode(text.encode() + b"\xff") == text + "\ufffd"
    assert decode((text + "é").encode()[:-1]) == text


def test_signs_of_other_encodings_do_not_mislead():
    for text in ("Größe ~{x~} für \x1b$B alle", "colour \x1b[31mred\x1b[0m für uns", "cd ~{a,b} && ls"):
        assert decode(text.encode()) == text


@pytest.mark.parametrize(("text", "encoding"), [(JAPANESE, "shift_jis"), (CHINESE, "gb18030"), (KOREAN, "euc-kr")])
def test_a_cut_between_two_bytes_costs_one_letter(text: str, encoding: str):
    data = text.encode(encoding)
    for cut in range(1, 4):
        assert decode(data[:-cut])[:-2] in text


def test_newlines_marks_and_nulls_are_tidied():
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\x00d") == "a\nb\ncd"


@settings(deadline=None)
@given(st.text(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_unicode_with_a_mark_is_exact(text: str, encoding: str):
    # Without a mark, NULs may speak for UTF-16, and these signs for encodings of seven bits.
    assume(encoding != "utf-8" or not re.search("\x00|\x1b[$(]|~{", text))
    # The mark of UTF-16 and a NUL are the mark of UTF-32.
    assume(encoding != "utf-16" or not text.startswith("\x00"))
    tidy = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").replace("\ufeff", "")
    assert decode(text.encode(encoding)) == tidy


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_become_text(data: bytes):
    text = decode(data)
    assert "\r" not in text
    assert "\x00" not in text


def test_rubbish_is_not_text():
    rubbish = random.Random(7).randbytes(2000)
    assert not is_text(rubbish)
    assert not is_text(b"\x00\x01\x02\x03" * 100)


def test_the_evaluation_files_are_decoded():
    if not EVAL.is_dir():
        pytest.skip("the evaluation data is not here")
    wider = {"gb2312": "gb18030", "big5": "big5hkscs", "euc-kr": "cp949", "shift_jis": "cp932", "tis-620": "cp874"}
    right = wrong = 0
    for path in sorted(EVAL.rglob("*")):
        if not path.is_file():
            continue
        parts = path.parent.name.lower().rsplit("-", 1)
        encoding = parts[0] if len(parts) > 1 and parts[1].isalpha() and len(parts[1]) > 4 else path.parent.name.lower()
        data = path.read_bytes()
        try:
            expected = [data.decode(each, "replace") for each in {encoding, wider.get(encoding, encoding)}]
        except LookupError:
            expected = []
        expected = [each.replace("\r\n", "\n").replace("\r", "\n") for each in expected]
        found = decode(data) in [each.replace("\x00", "").replace("\ufeff", "") for each in expected]
        right, wrong = right + found, wrong + (not found)
    assert right / (right + wrong) >= 0.95
