import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.detect import detect


def zipped(*names: str, mimetype: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        if mimetype:
            archive.writestr("mimetype", mimetype)
        for name in names:
            archive.writestr(name, "<x/>")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"%PDF-1.7\n1 0 obj", "notes.txt", "pdf"),
        (b"\xef\xbb\xbf\n%PDF-1.4 ...", "a", "pdf"),
        (b"junk junk\n%PDF-1.4\n1 0 obj\n", "a", "pdf"),
        (b"A PDF begins with %PDF-1.4, says the manual.", "a.pdf", "text"),
        (b"Just words.", "report.pdf", "text"),
        (b"Just words.", "report.docx", "text"),
        (b"{\\rtf1 hi}", "a.doc", "rtf"),
        (b"\x89PNG\r\n\x1a\n....", "a.txt", "image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a", "image"),
        (b"<!DOCTYPE html><html></html>", "a.txt", "html"),
        (b"<!-- c --><html><body>x</body></html>", "a", "html"),
        (b"<p>Hello</p><p>there</p>", "a", "html"),
        (b'<?xml version="1.0"?><html xmlns="x"></html>', "a", "html"),
        (b'<?xml version="1.0"?><rss></rss>', "a.txt", "xml"),
        (b"<note><to>x</to></note>", "a", "xml"),
        (b'{"a": 1}', "a.txt", "json"),
        (b'{"a": 1}\n{"a": 2}\n', "a.txt", "jsonl"),
        (b"[1] A footnote, not JSON", "a.txt", "text"),
        (b'{"cells": [], "nbformat": 4}', "a.json", "notebook"),
        (b"// comment\n{}", "a.json", "json"),
        (b"From: a@b\nTo: c@d\nSubject: x\n\nhi", "a.txt", "email"),
        (b"From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\n\nhi", "a", "mbox"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nhi", "a.txt", "vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nhi\n", "a.txt", "srt"),
        (b"a,b,c\n1,2,3\n4,5,6\n", "a.txt", "csv"),
        (b"a\tb\n1\t2\n4\t5\n", "a", "tsv"),
        (b"Well, yes.\nOr, maybe, no.\nOr not.\n", "a.txt", "text"),
        (b"# Title\n\nSee [this](http://x).\n", "README", "markdown"),
        (b"# just a comment\nkey=value\n", "a.txt", "text"),
        (b"<div align=center>\n\n# Hi\n\n**bold** [x](y)\n</div>", "README.md", "markdown"),
        (b"name: x\nsteps:\n  - run: y\n", "a", "yaml"),
        (b"a = 1\n", "a.toml", "toml"),
        (b"= Title\n\n== Section\n\ntext", "a.txt", "asciidoc"),
        (b".. note:: hi\n\nTitle\n=====\n", "a.txt", "rst"),
        (b"#!/usr/bin/env python3\nprint(1)\n", "run", "code"),
        (b"print(1)\n", "a.py", "code"),
        (b"FROM python\n", "Dockerfile", "code"),
        (b"<script>x</script>", "a.vue", "code"),
        ("Grüße".encode("utf-16"), "a.txt", "text"),
    ],
)
def test_content_decides(data: bytes, name: str, expected: str):
    assert detect(data, name).type == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (zipped("[Content_Types].xml", "word/document.xml"), "docx"),
        (zipped("ppt/presentation.xml"), "pptx"),
        (zipped("xl/workbook.xml", "word/extra.xml"), "xlsx"),
        (zipped("xl/workbook.bin"), "xlsb"),
        (zipped(mimetype="application/vnd.oasis.opendocument.text"), "odt"),
        (zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet-template"), "ods"),
        (zipped(mimetype="application/epub+zip"), "epub"),
        (zipped("META-INF/container.xml"), "epub"),
        (zipped("word/document.xml")[:-30], "docx"),
    ],
)
def test_zip_members_tell_office_formats_apart(data: bytes, expected: str):
    assert detect(data, "file.zip").type == expected


def test_media_types_go_with_the_type():
    assert detect(b"\xff\xd8\xff\xe0", "x").mime == "image/jpeg"
    assert detect(b"print(1)", "x.py").mime == "text/x-python"
    assert detect(b"hello", "x").mime == "text/plain"


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"), io.BytesIO(b""))
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"hello", mtime=0),
        tarred(),
        zipped("a.txt"),
        b"7z\xbc\xaf\x27\x1c\x00\x04",
        b"Rar!\x1a\x07\x01\x00",
        b"\x7fELF\x02\x01\x01" + bytes(50),
        b"SQLite format 3\x00" + bytes(50),
        bytes(range(256)) * 4,
        b"%!PS-Adobe-3.0\n",
    ],
)
def test_what_is_no_document_is_named_and_refused(data: bytes):
    with pytest.raises(DocumentError) as caught:
        detect(data, "a.txt")
    assert caught.value.code == "unsupported_type"
    assert caught.value.fix


@pytest.mark.parametrize("data", [zipped("a.txt"), b"PK\x03\x04xx", bytes(range(256)) * 4, b"\x7fELF" + bytes(50)])
@pytest.mark.parametrize("name", ["a.docx", "b/a.XLSM", "a.epub", "a.odt", "a.pdf"])
def test_what_is_called_a_document_and_is_none_is_damaged(data: bytes, name: str):
    with pytest.raises(DocumentError, match="damaged") as caught:
        detect(data, name)
    assert caught.value.code == "corrupt_document"


@pytest.mark.parametrize("data", [b"", b" \n\t", bytes(100)])
def test_empty_files_say_so(data: bytes):
    with pytest.raises(DocumentError) as caught:
        detect(data, "a.pdf")
    assert caught.value.code == "empty_document"


def test_compound_files_are_told_apart_by_their_streams(compound_file: Callable[[dict[str, bytes]], bytes]):
    assert detect(compound_file({"WordDocument": b""}), "a").type == "doc"
    assert detect(compound_file({"PowerPoint Document": b""}), "a").type == "ppt"
    assert detect(compound_file({"Workbook": b""}), "a.doc").type == "xls"
    assert detect(compound_file({"WordDocument": b"", "Workbook": b""}), "a.xls").type == "xls"
    assert detect(compound_file({"__properties_version1.0": b""}), "a").type == "msg"


def test_office_files_behind_a_password_say_so(compound_file: Callable[[dict[str, bytes]], bytes]):
    with pytest.raises(DocumentError) as caught:
        detect(compound_file({"EncryptedPackage": b""}), "a.docx")
    assert caught.value.code == "encrypted_document"
