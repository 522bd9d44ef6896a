"""Markdown: the text stays the file, blocks are marked in it.

A scanner of our own, since a full CommonMark parser spends most of its time on what is not asked here: headings,
fences, tables, front matter and paragraphs are all that matters for finding passages.
"""

from __future__ import annotations

import re
import tomllib
from typing import cast

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.spans import Spans
from knowgate.knowledge.parse.yaml import load_documents
from knowgate.model import Block, FieldValue, Parsed

_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)[ \t]*")
_ANCHOR = re.compile(r"[ \t]*\{[#.:][^{}]*\}$")
_SETEXT = re.compile(r"[ ]{0,3}(?:=+|-{2,})[ \t]*$")
_RULE = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_DELIMITER_ROW = re.compile(r"\|?:?-+:?(?:\|:?-+:?)*\|?$")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HTML_HEADING = re.compile(r"[ \t]*<h([1-6])\b[^>]*>([^<]+)</h\1>[ \t]*$", re.I)
_SPECIAL = frozenset("#`~=-_*+<0123456789")
_INLINE = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|[`*]+")


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    text = decode(data)
    fields, start = front_matter(text)
    blocks = tuple(markdown_blocks(text, start)) or _all_of(text)
    title = str(fields.get("title", "")) or _first_heading(text, blocks)
    return Parsed(text, blocks, "markdown", MIME["markdown"], title, fields)


def front_matter(text: str) -> tuple[dict[str, FieldValue], int]:
    """What the file says of itself before it begins, and where it begins."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, 0
    try:
        said = tomllib.loads(match[2]) if match[1] == "+++" else load_documents(match[2])[0]
    except (ValueError, IndexError, RecursionError):
        return {}, 0
    if not isinstance(said, dict):
        return {}, 0
    return scalar_fields(cast("dict[object, object]", said)), match.end()


def scalar_fields(said: dict[object, object]) -> dict[str, FieldValue]:
    """The values a filter can use: scalars, and lists of scalars joined by commas."""
    fields: dict[str, FieldValue] = {}
    for key, value in said.items():
        if isinstance(value, list):
            items = cast("list[object]", value)
            value = ", ".join(map(str, items)) if all(isinstance(each, FieldValue) for each in items) else None
        if isinstance(value, FieldValue) and value != "":
            fields[str(key)] = value
        elif value is not None and hasattr(value, "isoformat"):
            fields[str(key)] = str(value)
    return fields


def markdown_blocks(text: str, start: int = 0) -> list[Block]:
    """The blocks of a Markdown text from `start` on."""
    return _Scanner(text, start).scan()


class _Scanner:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.lines = text[start:].split("\n")
        self.position = start
        self.last_comment = text.rfind("-->")
        """Where the last comment ends; a comment that begins later never ends, so it is none."""
        self.spans = Spans()
        self.in_list = False

    def scan(self) -> list[Block]:
        lines, spans = self.lines, self.spans
        count, index = len(lines), 0
        while index < count:
            line = lines[index]
            body = line.lstrip()
            if not body:
                if spans.open != "code":
                    spans.close()
                taken = 1
            elif body[0] in _SPECIAL or "|" in line:
                taken = self._special(index, line, body) or self._plain(line, body)
            else:
                taken = self._plain(line, body)
            if taken == 1:
                self.position += len(line) + 1
            else:
                self.position += sum(map(len, lines[index : index + taken])) + taken
            index += taken
        spans.close()
        return spans.blocks

    def _plain(self, line: str, body: str) -> int:
        start = self.position
        end = start + len(line.rstrip())
        if self.spans.open != "text" and line.startswith(("    ", "\t")) and not self.in_list:
            self.spans.join("code", start, end)
            return 1
        if body is line:
            self.in_list = False
        self.spans.join("text", start + len(line) - len(body), end)
        return 1

    def _special(self, index: int, line: str, body: str) -> int:
        """How many lines the special thing that begins here takes; 0 when it is just text."""
        first = body[0]
        if first == "#":
            return self._heading(line)
        if first in "`~" or (first in "-*+0123456789" and ("```" in line or "~~~" in line)):
            return self._fence(index, line)
        if first in "=-_*" and (self._underline(line) or _RULE.match(line)):
            if self.spans.open:
                self.spans.close()
            return 1
        if first == "<":
            return self._html(line)
        if "|" in line and self.spans.open != "text" and index + 1 < len(self.lines):
            return self._table(index)
        if _LIST_ITEM.match(line):
            self.in_list = True
            self.spans.join("text", self.position, self.position + len(line.rstrip()))
            return 1
        return 0

    def _heading(self, line: str) -> int:
        match = _ATX.match(line)
        if not match:
            return 0
        self.in_list = False
        said = line[match.end() :].rstrip()
        closed = said.rstrip("#")
        if not closed or closed[-1] in " \t":
            said = closed.rstrip()
        if said.endswith("}") and (anchor := _ANCHOR.search(said, max(len(said) - 100, 0))):
            said = said[: anchor.start()]
        start = self.position + match.end()
        self.spans.add("heading", start, start + len(said), len(match[1]))
        return 1

    def _underline(self, line: str) -> bool:
        spans = self.spans
        if spans.open != "text" or self.in_list or not _SETEXT.match(line):
            return False
        # Only a single line becomes a heading: under more than one, dashes are meant as a rule.
        if "\n" in self.text[spans.open_start : self.position - 1] or self.text[spans.open_start] == ">":
            return False
        spans.heading_of_open(1 if line.lstrip()[0] == "=" else 2)
        return True

    def _fence(self, index: int, line: str) -> int:
        match = _FENCE.match(line)
        if not match:
            return 0
        mark = match[1]
        end = index + 1
        while end < len(self.lines):
            closing = self.lines[end].strip()
            end += 1
            if closing.startswith(mark) and not closing.strip(mark[0]):
                break
        taken = self.lines[index:end]
        length = sum(map(len, taken)) + len(taken) - 1
        self.spans.add("code", self.position, self.position + length)
        return len(taken)

    def _html(self, line: str) -> int:
        if heading := _HTML_HEADING.match(line):
            start, end = heading.span(2)
            self.spans.add("heading", self.position + start, self.position + end, int(heading[1]))
            return 1
        if not line.lstrip().startswith("<!--"):
            return 0
        if self.position >= self.last_comment:
            return 0
        end = self.text.find("-->", self.position) + 3
        rest = self._line_from(end)
        self.spans.close()
        if rest.strip():
            self.spans.join("text", end + len(rest) - len(rest.lstrip()), end + len(rest.rstrip()))
        return self.text.count("\n", self.position, end) + 1

    def _line_from(self, start: int) -> str:
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def _table(self, index: int) -> int:
        below = self.lines[index + 1].replace(" ", "").replace("\t", "")
        if "|" not in below or not _DELIMITER_ROW.match(below):
            return 0
        end = index + 2
        while end < len(self.lines) and "|" in self.lines[end]:
            end += 1
        length = sum(map(len, self.lines[index:end])) + end - index - 1
        self.spans.add("table", self.position, self.position + length)
        return end - index


def _all_of(text: str) -> tuple[Block, ...]:
    """A file that is nothing but front matter still says something."""
    stripped = text.strip()
    start = text.find(stripped) if stripped else 0
    return (Block("text", start, start + len(stripped)),) if stripped else ()


def _first_heading(text: str, blocks: tuple[Block, ...]) -> str:
    headings = [each for each in blocks if each.kind == "heading"]
    best = next((each for each in headings if each.level == 1), headings[0] if headings else None)
    return " ".join(_INLINE.sub(r"\1", text[best.start : min(best.end, best.start + 300)]).split()) if best else ""
