"""Files made to hurt end as text or as a typed error, and the sandbox reads on."""

import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from fpdf import FPDF
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sandbox import Sandbox

EVAL = Path(__file__).parents[4] / "shared" / "eval" / "docs" / "hostile"
OPTIONS = ParseOptions(max_expanded_bytes=20 * 1024 * 1024)
SUFFIXES = (
    "pdf",
    "docx",
    "xlsx",
    "pptx",
    "odt",
    "epub",
    "html",
    "md",
    "json",
    "yaml",
    "csv",
    "eml",
    "ipynb",
    "txt",
    "py",
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(timeout_seconds=600) as box:
        yield box


def outcome(sandbox: Sandbox, data: bytes, name: str) -> str:
    """`text` or the error's code; anything but a typed error would escape and fail the test."""
    try:
        parsed = sandbox.parse(data, name, OPTIONS)
    except DocumentError as error:
        assert error.message
        assert error.fix
        return error.code
    assert parsed.type
    return "text"


def pdf(**encryption: str) -> bytes:
    document = FPDF()
    document.add_page()
    document.set_font("helvetica", size=12)
    document.multi_cell(0, text="Refunds take five days. " * 40)
    if encryption:
        document.set_encryption(**encryption)
    return bytes(document.output())


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Refunds", 1)
    document.add_paragraph("They take five days.")
    return saved(document.save)


def sheet() -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "Refunds"
    return saved(book.save)


def slides() -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Refunds"
    return saved(deck.save)


def saved(save: Callable[[io.BytesIO], None]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def with_part(archive: bytes, part: str, content: bytes) -> bytes:
    """The same archive, with another content for one part."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, content if entry == part else old.read(entry))
    return stream.getvalue()


def word_document(body: bytes, doctype: bytes = b"") -> bytes:
    space = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return (
        b'<?xml version="1.0"?>'
        + doctype
        + b'<w:document xmlns:w="'
        + space
        + b'"><w:body><w:p><w:r><w:t>'
        + body
        + b"</w:t></w:r></w:p></w:body></w:document>"
    )


def entity_bomb(root: bytes) -> bytes:
    levels = b"".join(b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 12))
    return b"<!DOCTYPE " + root + b' [<!ENTITY e0 "lol">' + levels + b"]>"


def locked(archive: bytes) -> bytes:
    """Every entry marked as encrypted, as a ZIP tool with a password does."""
    data = bytearray(archive)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(signature, at + 1)
    return bytes(data)


def gzip_of_gzip(depth: int) -> bytes:
    data = bytes(10_000_000)
    for _ in range(depth):
        data = gzip.compress(data)
    return data


def damaged(data: bytes, seed: int) -> bytes:
    """A few bytes changed, a stretch missing or the end cut off."""
    chance = random.Random(seed)
    broken = bytearray(data)
    for _ in range(chance.randint(1, 40)):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    if seed % 3 == 1:
        start = chance.randrange(len(broken))
        del broken[start : start + chance.randrange(1, 500)]
    if seed % 3 == 2:
        del broken[chance.randrange(1, len(broken)) :]
    return bytes(broken)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("bomb.docx", lambda: with_part(word(), "word/document.xml", word_document(b"a" * 60_000_000))),
        ("bomb.xlsx", lambda: with_part(sheet(), "xl/worksheets/sheet1.xml", b"<worksheet>" + b" " * 60_000_000)),
        ("bomb.pptx", lambda: with_part(slides(), "ppt/slides/slide1.xml", b"<p:sld>" + b" " * 60_000_000)),
    ],
)
def test_a_zip_bomb_is_refused_before_it_unfolds(sandbox: Sandbox, name: str, make: Callable[[], bytes]):
    assert outcome(sandbox, make(), name) == "too_large"


def test_a_zip_that_lies_about_its_sizes_is_refused(sandbox: Sandbox):
    data = bytearray(with_part(word(), "word/document.xml", word_document(b"a" * 60_000_000)))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<I", data, at + 24, 10)
        at = data.find(b"PK\x01\x02", at + 1)
    assert outcome(sandbox, bytes(data), "liar.docx") in {"too_large", "corrupt_document"}


@pytest.mark.parametrize("root", [b"lolz", b"html", b"svg"])
def test_an_entity_bomb_does_not_unfold(sandbox: Sandbox, root: bytes):
    data = b'<?xml version="1.0"?>' + entity_bomb(root) + b"<" + root + b">&e11;</" + root + b">"
    for name in ("bomb.xml", "bomb.html", "bomb.svg", "bomb"):
        try:
            parsed = sandbox.parse(data, name, OPTIONS)
        except DocumentError as error:
            assert error.code not in {"parse_timeout", "parse_memory"}
        else:
            assert len(parsed.text) < 10_000


def test_an_entity_bomb_in_an_office_file_does_not_unfold(sandbox: Sandbox):
    document = word_document(b"&e11;", entity_bomb(b"w:document"))
    assert outcome(sandbox, with_part(word(), "word/document.xml", document), "bomb.docx") == "corrupt_document"


def test_no_file_of_the_machine_is_read_for_a_document(sandbox: Sandbox, tmp_path: Path):
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP-SECRET")
    doctype = b'<!DOCTYPE d [<!ENTITY x SYSTEM "' + secret.as_uri().encode() + b'">]>'
    office = with_part(word(), "word/document.xml", word_document(b"&x;", doctype))
    xml = b'<?xml version="1.0"?>' + doctype + b"<d>before &x; after</d>"
    for name, data in (("a.docx", office), ("a.xml", xml), ("a.html", xml)):
        try:
            assert "TOP-SECRET" not in sandbox.parse(data, name, OPTIONS).text
        except DocumentError as error:
            assert "TOP-SECRET" not in str(error)


def test_a_locked_file_says_so(sandbox: Sandbox):
    assert outcome(sandbox, pdf(owner_password="owner", user_password="user"), "locked.pdf") == "encrypted_document"
    assert outcome(sandbox, locked(word()), "locked.docx") == "encrypted_document"


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
def test_half_a_file_is_text_or_a_typed_error(sandbox: Sandbox, keep: float):
    for name, data in (("a.pdf", pdf()), ("a.docx", word()), ("a.xlsx", sheet()), ("a.pptx", slides())):
        part = data[: int(len(data) * keep)]
        assert outcome(sandbox, part, name) not in {"parse_timeout", "parse_memory"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("deep.html", b"<div>" * 200_000 + b"end"),
        ("deep.html", b"<table><tr><td>" * 50_000 + b"end"),
        ("deep.html", b"<ul><li>" * 50_000 + b"end"),
        ("deep.xml", b"<a>" * 200_000 + b"end" + b"</a>" * 200_000),
        ("deep.json", b"[" * 200_000 + b"]" * 200_000),
        ("deep.json", b'{"a":' * 200_000 + b"1" + b"}" * 200_000),
        ("deep.yaml", b"[" * 200_000 + b"]" * 200_000),
        ("deep.yaml", b"".join(b" " * depth + b"a:\n" for depth in range(2000))),
        ("deep.md", b">" * 100_000 + b" end"),
        ("deep.md", b"[" * 100_000 + b"*_" * 100_000),
        ("deep.py", b"(" * 100_000),
        ("deep.ipynb", b'{"cells": [' * 5000),
    ],
)
def test_deep_nesting_is_text_or_a_typed_error(sandbox: Sandbox, name: str, data: bytes):
    assert outcome(sandbox, data, name) not in {"parse_timeout", "parse_memory", "parse_crash"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "laughs.yaml",
            b"a0: &a0 [lol]\n"
            + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 15)),
        ),
        ("nest.gz", gzip_of_gzip(3)),
        ("line.csv", b"a," * 2_000_000),
        ("rows.csv", b"\n" * 2_000_000),
        ("quote.csv", b'"' * 1_000_001),
        ("line.txt", b"a" * 10_000_000),
        ("zeros.bin", bytes(1_000_000)),
        ("numbers.json", b"[" + b"9" * 1_000_000 + b"]"),
        ("surrogate.json", b'{"a": "\\ud800"}'),
        ("entities.html", b"&#x110000;&#0;&#xD800;" * 100_000),
        ("attributes.html", b"<a " + b" ".join(b"a%d=1" % n for n in range(10_000)) + b">end</a>"),
        (
            "parts.eml",
            b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(2000)),
        ),
        ("header.eml", b"Subject: " + b"=?utf-8?q?a?= " * 10_000 + b"\n\nend"),
        ("bytes.eml", b"Subject: \xe9" + b"=?utf-8?q?a?= " * 200_000 + b"\n\nend"),
        ("parameters.eml", b'Content-Type: text/plain; name="' + b";" * 400_000 + b"\n\nend"),
        (
            "attributes.fodt",
            b'<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
            b' office:mimetype="application/vnd.oasis.opendocument.text" '
            + b" ".join(b'office:a%d="x"' % n for n in range(20_000))
            + b"/>",
        ),
        ("regex.md", b"|" * 100_000 + b"\n" + b"|-" * 100_000),
        ("spaces.md", b"a" + b" " * 500_000 + b"b"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_excess_is_text_or_a_typed_error(sandbox: Sandbox, name: str, data: bytes):
    assert outcome(sandbox, data, name) not in {"parse_timeout", "parse_memory", "parse_crash"}


@pytest.mark.parametrize(
    "cells",
    [None, 7, "x", [None], [{"cell_type": 5}], [{"cell_type": "code", "source": {"a": 1}, "outputs": "x"}]],
)
def test_a_notebook_of_the_wrong_shape_is_text_or_a_typed_error(sandbox: Sandbox, cells: object):
    data = json.dumps({"cells": cells, "nbformat": 4, "metadata": []}).encode()
    assert outcome(sandbox, data, "a.ipynb") != "parse_crash"


@pytest.mark.parametrize("make", [pdf, word, sheet, slides])
def test_damaged_files_are_text_or_a_typed_error(sandbox: Sandbox, make: Callable[[], bytes]):
    original = make()
    for seed in range(30):
        assert outcome(sandbox, damaged(original, seed), f"damaged.{make.__name__}") not in {
            "parse_timeout",
            "parse_memory",
        }


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=3000), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes_are_text_or_a_typed_error(sandbox: Sandbox, data: bytes, suffix: str):
    assert outcome(sandbox, data, f"random.{suffix}") not in {"parse_timeout", "parse_memory", "parse_crash"}


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.sampled_from("\n\t -#>|*_`[]()<>/&;:{}\"'=+!\\~%,.aé漢1")), suffix=st.sampled_from(SUFFIXES))
def test_random_markup_is_text_or_a_typed_error(sandbox: Sandbox, text: str, suffix: str):
    assert outcome(sandbox, text.encode(), f"random.{suffix}") not in {"parse_timeout", "parse_memory", "parse_crash"}


@pytest.mark.skipif(not EVAL.is_dir(), reason="the evaluation data is not here")
def test_a_sample_of_hostile_files_found_in_the_wild(sandbox: Sandbox):
    files = sorted(path for path in EVAL.glob("*/*") if path.is_file())
    outcomes = {path.name: outcome(sandbox, path.read_bytes(), path.name) for path in files[::10]}
    assert len(outcomes) > 20
    assert "text" in outcomes.values()
