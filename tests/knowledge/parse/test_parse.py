import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowgate.errors import DocumentError
from knowgate.knowledge.parse import parse
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

NAMES = (
    "a a.txt a.md a.html a.csv a.tsv a.json a.jsonl a.yaml a.toml a.xml a.py a.js a.ipynb a.eml a.mbox a.vtt a.srt "
    "a.adoc a.rst a.rtf a.svg a.log Dockerfile"
).split()
PIECES = """\
# |## |```|~~~|---|===|    |- |* |1. |[a](b)|<!--|-->|word|ü|日本|😀
<p>|</p>|<table>|<tr>|<td colspan=9>|<h1>|<pre>|<ul>|<li>|<html>|<?xml version='1.0'?>|<a>|</a>|<![CDATA[|&amp;|&#0;
&#xD800;|{|}|[|]|"|:|,|'|a: |- b|{\\rtf1 |\\par |\\u8364?|\\'e9|From: a|To: b|Subject: c
Content-Type: multipart/mixed; boundary=b|--b|WEBVTT|00:01.000 --> 00:02.000|= T|== S|.. code::|::|+--+|a,b,c|1,2,3
def f():|class A:|{"nbformat":4,|"cells":[|"cell_type":"markdown",|"source":"x"|"openapi":"3",|"paths":{"/a":{"get":{}}
""".replace("\n", "|").split("|")
PIECE = st.sampled_from([*PIECES, *"\n\n\n\n\t\x00\x1b\x1c\ufeff|", "\n\n", "|-|"])


def check(parsed: Parsed) -> None:
    last = 0
    for block in parsed.blocks:
        assert last <= block.start < block.end <= len(parsed.text)
        assert parsed.text[block.start : block.end].strip()
        assert (1 <= block.level <= 6) == (block.kind == "heading")
        last = block.end
    parsed.text.encode()
    parsed.title.encode()
    assert parsed.blocks
    assert parsed.type
    assert parsed.mime


def try_parse(data: bytes, name: str) -> None:
    try:
        check(parse(data, name, ParseOptions()))
    except DocumentError as error:
        assert error.code
        assert error.message


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from(NAMES))
def test_any_bytes_are_read_or_refused(data: bytes, name: str):
    try_parse(data, name)


@settings(deadline=None)
@given(
    st.lists(PIECE, max_size=40).map("".join), st.sampled_from(NAMES), st.sampled_from(["utf-8", "utf-16", "cp1252"])
)
@example('{"openapi":"3","paths":{"/a":{"get":{}}}}', "a.json", "utf-8")
@example("<html><pre>", "a", "utf-8")
def test_any_text_is_read_or_refused(text: str, name: str, encoding: str):
    try_parse(text.encode(encoding, "replace"), name)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"[" * 200_000 + b"]" * 200_000),
        ("a.json", b'{"a":' * 400 + b"1" + b"}" * 400),
        ("a.yaml", b"a: [\n" * 50_000),
        ("a.yaml", b"- " * 50_000 + b"x"),
        ("a.toml", b"a = " + b"[" * 50_000 + b"]" * 50_000),
        ("a.xml", b"<?xml version='1.0'?>" + b"<a>" * 50_000 + b"x" + b"</a>" * 50_000),
        ("a.html", b"<html>" + b"<div>" * 50_000 + b"x"),
        ("a.html", b"<html>" + b"<ul><li>x" * 900),
        ("a.html", b"<html><table><tr><td rowspan=999999 colspan=999999>x</td><td>y</td></tr></table>"),
        ("a.csv", b"a,b\n" + b"1,2\n" * 50_000),
        ("a.py", b"(" * 5_000 + b")" * 5_000),
        ("a.rtf", b"{\\rtf1 " + b"{" * 50_000 + b"x"),
        ("a.eml", b"From: a\nTo: b\nSubject: s\nContent-Type: message/rfc822\n\n" * 1_000 + b"hi"),
        ("a.md", b"<!--\n" * 50_000),
        ("a.adoc", b"= T\n" + b"link:a[" * 50_000),
    ],
)
def test_bombs_are_read_or_refused(name: str, data: bytes):
    try_parse(data, name)


def test_entities_are_never_expanded():
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "boom"><!ENTITY f SYSTEM "file:///etc/passwd">]><x>&a;&f; ok</x>'
    )
    parsed = parse(bomb, "a.xml", ParseOptions())
    assert "ok" in parsed.text
    assert "root:" not in parsed.text
    assert parsed.warnings


def test_a_file_without_words_says_so():
    with pytest.raises(DocumentError) as caught:
        parse(b"<html><body><script>x()</script></body></html>", "a.html", ParseOptions())
    assert caught.value.code == "no_text"


def test_half_characters_are_replaced_in_place():
    parsed = parse(b"{\\rtf1 a\\u55357?b}", "a.rtf", ParseOptions())
    parsed.text.encode()
