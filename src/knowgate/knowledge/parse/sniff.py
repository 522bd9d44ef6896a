"""Telling textual formats apart: what the text shows comes first, the name decides among those that look alike."""

from __future__ import annotations

import re
from typing import cast

import orjson

from knowgate.knowledge.parse.delimited import sniff_delimiter

_LEADING_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*)*", re.S)
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_XHTML = re.compile(r"<\?xml[^>]*>\s*(?:<!--.*?-->\s*)*<(?:!DOCTYPE\s+)?html\b", re.I | re.S)
_HTML_PIECE = re.compile(
    r"<(?:title|meta|link|script|style|div|p|h[1-6]|table|ul|ol|dl|section|article|main|nav|header|span|br|hr|a|img|b|"
    r"font|center|pre|blockquote|form|iframe)(?:\s[^<>]*)?/?>",
    re.I,
)
_XML_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>")
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*(?:[\[{\"\]\d-]|true|false|null))")
_MAIL_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?:[ \t]|$)")
_MAIL_WORDS = frozenset(
    ("from", "to", "subject", "date", "message-id", "received", "return-path", "mime-version", "content-type")
)
_MBOX = re.compile(r"From \S{1,200} .{0,100}\d{4}.{0,20}\n[A-Za-z-]+: ")
_SRT = re.compile(r"\s*\d+ *\n *\d+:\d\d:\d\d[,.]\d{3} *--> *\d+:")
_SHEBANG = re.compile(r"#! *\S*/(?:env +(?:-S +)?)?([A-Za-z]+)")
_SHELLS = frozenset(("sh", "bash", "zsh", "ksh", "dash", "fish"))
_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?---\n+\s*\S")
_MARKDOWN_SIGNS = (
    _FRONT_MATTER,
    re.compile(r"^#{1,6} +\S", re.M),
    re.compile(r"^(?:```|~~~)", re.M),
    re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"^\|?[ :]*-{3,}[ :]*\|[ |:-]*$", re.M),
    re.compile(r"(?<!\w)\*\*[^*\n]+\*\*(?!\w)"),
)
_RST_SIGNS = (
    re.compile(r"^\.\. [\w-]+::", re.M),
    re.compile(r"^\S.{2,}\n(?:={3,}|-{3,}|~{3,}|\^{3,})$", re.M),
    re.compile(r":(?:ref|doc|class|func|meth|mod|term):`"),
    re.compile(r"``[^`\n]+``"),
)
_ASCIIDOC_SIGNS = (
    re.compile(r"\A(?:(?://.*|:[\w-]+:.*)\n)*= +\S"),
    re.compile(r"^={2,5} +\S", re.M),
    re.compile(r"^\[(?:source|NOTE|TIP|WARNING|cols|quote)\b", re.M),
    re.compile(r"^\|===$", re.M),
)
_YAML_KEY = re.compile(r"[\w./\"'$@-]+:(?:\s|$)")
_YAML_LINE = re.compile(r"\s*(?:- |-$|#|---$|[\w./\"'$@{}-]+:(?:\s|$))")
_MAX_CHECKED_JSON = 16 * 1024 * 1024


def sniff(head: str, data: bytes, named: str | None) -> str:
    """The type of a text that begins with `head`; `named` is the type its name promises."""
    return _signed(head, data, named) or (_promised(head, named) if named else _guessed(head))


def script_language(head: str) -> str | None:
    """What the first line of a script says it is to be run with."""
    match = _SHEBANG.match(head)
    return ("shell" if match[1] in _SHELLS else match[1].lower()) if match else None


def is_xml(head: str) -> bool:
    return head.lstrip().startswith("<?xml")


def _signed(head: str, data: bytes, named: str | None) -> str | None:
    """Formats that show what they are, whatever the name says."""
    if head.startswith("WEBVTT"):
        return "vtt"
    if _SRT.match(head):
        return "srt"
    comments = _LEADING_COMMENTS.match(head)
    body = head[comments.end() :] if comments else head
    if _HTML.match(body):
        return "html"
    if is_xml(body):
        return "html" if _XHTML.match(body) else "xml"
    if _JSON.match(head) and (found := _json(data, named)):
        return found
    if _MBOX.match(head):
        return "mbox"
    if named in (None, "email", "mbox", "text") and _is_mail(head):
        return "email"
    return None


def _promised(head: str, named: str) -> str:
    """The name's word, unless the text cannot be what it says."""
    missing = {"html": "<", "xml": "<", "email": ":", "srt": "-->", "vtt": "-->"}.get(named)
    if (missing and missing not in head) or named in ("mbox", "notebook"):
        return "text"
    return named


def _guessed(head: str) -> str:
    start = head.lstrip()
    if start.startswith("<"):
        if _HTML_PIECE.match(start) and not _several(_MARKDOWN_SIGNS, head):
            return "html"
        root = _XML_ROOT.match(start)
        if root and f"</{root[1]}>" in head:
            return "xml"
    if _ASCIIDOC_SIGNS[0].match(head) and _several(_ASCIIDOC_SIGNS, head):
        return "asciidoc"
    if _RST_SIGNS[0].search(head) and _several(_RST_SIGNS, head):
        return "rst"
    if _several(_MARKDOWN_SIGNS, head):
        return "markdown"
    if _is_yaml(head):
        return "yaml"
    delimiter = sniff_delimiter(head)
    if delimiter:
        return "tsv" if delimiter == "\t" else "csv"
    return "text"


def _several(signs: tuple[re.Pattern[str], ...], text: str) -> bool:
    return sum(sign.search(text) is not None for sign in signs) >= 2


def _json(data: bytes, named: str | None) -> str | None:
    if named == "jsonl":
        return named
    if data.lstrip()[:1] == b"{" and b'"nbformat"' in data and (b'"cells"' in data or b'"worksheets"' in data):
        return "notebook"
    if named in ("json", "notebook"):
        return "json"
    lines = data.split(b"\n", 2)
    if len(lines) > 2 and all(isinstance(_loads(line), dict | list) for line in lines[:2]):
        return "jsonl"
    if len(data) <= _MAX_CHECKED_JSON and _loads(data) is not None:
        return "json"
    return None


def _loads(data: bytes) -> object:
    try:
        return cast("object", orjson.loads(data))
    except orjson.JSONDecodeError:
        return None


def _is_mail(head: str) -> bool:
    seen: set[str] = set()
    for line in head.split("\n", 200)[:200]:
        if not line:
            break
        if line[0] in " \t":
            continue
        header = _MAIL_HEADER.match(line)
        if not header:
            return False
        seen.add(header[1].lower())
    return len(seen & _MAIL_WORDS) >= 3


def _is_yaml(head: str) -> bool:
    lines = [line for line in head.split("\n", 60)[:60] if line.strip()]
    keys = sum(_YAML_KEY.match(line) is not None for line in lines)
    return keys >= 2 and all(_YAML_LINE.match(line) for line in lines)
