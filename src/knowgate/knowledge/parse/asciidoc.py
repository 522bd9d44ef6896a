"""AsciiDoc: sections, paragraphs, listings and tables."""

from __future__ import annotations

import re

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_texts
from knowgate.model import FieldValue, Parsed

_HEADING = re.compile(r"(={1,6}|#{1,6}) +(\S.*)")
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?: +(.*))?$")
_BLOCK_ATTRIBUTES = re.compile(r"\[[^\]]*\]$")
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|`{3,}).*$")
_COMMENT = re.compile(r"/{4,}$")
_DELIMITER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|\+{4,}|--|<<<|'{3,})$")
_TABLE = re.compile(r"[|,:!]={3,} *$")
_MACRO = re.compile(r"(image|include|video|audio|toc|ifdef|ifndef|endif)::([^\[]*)\[([^\]]*)\]")
_CAPTION = re.compile(r"\.[^\s.]")
_LINK = re.compile(r"(?:link:|(?=https?:))([^\s\[\]]{1,500})\[([^\]]{0,500})\]")
_REFERENCE = re.compile(r"<<([^<>,]{1,200})(?:,([^<>]{0,500}))?>>")
_CELL = re.compile(r"(?<!\\)(?:\d+\*|[.\d]*\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?\|")
_SAID = {"author": "author", "revdate": "date", "description": "description", "keywords": "keywords"}


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    reader = _Reader(decode(data).split("\n"))
    reader.read()
    return finished(reader.builder, "asciidoc", reader.fields)


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.index = 0
        self.builder = TextBuilder()
        self.paragraph: list[str] = []
        self.fields: dict[str, FieldValue] = {}

    def read(self) -> None:
        while self.index < len(self.lines):
            line = self.lines[self.index].rstrip()
            self.index += 1
            if not self._structure(line) and not line.startswith("//"):
                self.paragraph.append(_inline(line))
        self._end_paragraph()

    def _structure(self, line: str) -> bool:
        """Whether the line is more than a line of a paragraph."""
        if not line or line == "+" or _DELIMITER.match(line) or _BLOCK_ATTRIBUTES.match(line):
            self._end_paragraph()
        elif heading := _HEADING.match(line):
            self._end_paragraph()
            self.builder.add("heading", _inline(heading[2]), level=len(heading[1]))
        elif attribute := _ATTRIBUTE.match(line):
            if (field := _SAID.get(attribute[1])) and attribute[2]:
                self.fields[field] = attribute[2].strip()
        elif _VERBATIM.match(line):
            self._end_paragraph()
            self.builder.add("code", "\n".join(self._until(line[:4].strip())))
        elif _COMMENT.match(line):
            self._until(line)
        elif _TABLE.match(line):
            self._end_paragraph()
            self._add_table(self._until(line.rstrip()))
        elif macro := _MACRO.match(line):
            if macro[1] == "image":
                self.builder.add("text", macro[3].partition(",")[0])
        elif _CAPTION.match(line) and not self.paragraph:
            self.builder.add("text", line[1:])
        else:
            return False
        return True

    def _until(self, end: str) -> list[str]:
        start = self.index
        while self.index < len(self.lines) and not self.lines[self.index].startswith(end):
            self.index += 1
        self.index += 1
        return self.lines[start : self.index - 1]

    def _end_paragraph(self) -> None:
        lines, self.paragraph = self.paragraph, []
        if lines and all(line.startswith("|") for line in lines):
            self._add_table(lines)
        else:
            self.builder.add("text", "\n".join(lines))

    def _add_table(self, lines: list[str]) -> None:
        rows = [[_inline(cell.strip()) for cell in _CELL.split(line)[1:]] for line in lines if line.strip()]
        rows = [row for row in rows if row]
        if not rows:
            self.builder.add("text", "\n".join(lines))
            return
        width = len(rows[0])
        if any(len(row) < width for row in rows[1:]) and width > 1 and all(len(row) == 1 for row in rows[1:]):
            # One cell to a line: the header tells how many make a row.
            cells = [row[0] for row in rows[1:]]
            rows = [rows[0], *(cells[start : start + width] for start in range(0, len(cells), width))]
        for text in table_texts(rows):
            self.builder.add("table", text)


def _inline(line: str) -> str:
    if "[" in line:
        line = _LINK.sub(lambda match: match[2] or match[1], line)
    return _REFERENCE.sub(lambda match: match[2] or match[1], line) if "<<" in line else line
