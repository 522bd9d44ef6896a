"""reStructuredText: the text stays the file, blocks are marked in it."""

from __future__ import annotations

import re

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.spans import Spans
from knowgate.model import FieldValue, Parsed

_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,} *$")
_DIRECTIVE = re.compile(r"\.\. +([\w:-]+?)::(?: |$)")
_VERBATIM = frozenset(
    "code code-block sourcecode literalinclude parsed-literal math graphviz mermaid uml doctest testcode".split()
)
_FIELD = re.compile(r":([\w -]{1,40}): +(\S.*)")
_GRID = re.compile(r"\+[-=+]{3,}\+ *$")
_SIMPLE = re.compile(r"={2,}(?: +={2,})+ *$")


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    text = decode(data)
    reader = _Reader(text)
    reader.read()
    blocks = tuple(reader.spans.blocks)
    first = next((each for each in blocks if each.kind == "heading"), None)
    title = text[first.start : first.end] if first else ""
    return Parsed(text, blocks, "rst", MIME["rst"], title, reader.fields)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.index = 0
        self.position = 0
        self.spans = Spans()
        self.styles: list[str] = []
        self.fields: dict[str, FieldValue] = {}
        self.at_top = True

    def read(self) -> None:
        while self.index < len(self.lines):
            line = self.lines[self.index]
            if not line.strip():
                self.spans.close()
                self._step(1)
            elif not self._heading(line):
                field = _FIELD.match(line) if self.at_top else None
                self.at_top = field is not None
                if field:
                    self.fields.setdefault(field[1].lower().replace(" ", "_"), field[2].strip())
                if not (self._table(line) or self._explicit(line)):
                    self._plain(line)
        self.spans.close()

    def _step(self, count: int) -> None:
        taken = self.lines[self.index : self.index + count]
        self.position += sum(map(len, taken)) + len(taken)
        self.index += count

    def _line(self, ahead: int) -> str:
        return self.lines[self.index + ahead] if self.index + ahead < len(self.lines) else ""

    def _heading(self, line: str) -> bool:
        over = _UNDERLINE.match(line) and _UNDERLINE.match(self._line(2)) and line[0] == self._line(2)[0]
        title = self._line(1) if over else line
        under = self._line(2) if over else self._line(1)
        if not title.strip() or self.spans.open or not _UNDERLINE.match(under) or _UNDERLINE.match(title):
            return False
        if len(under.rstrip()) < len(title.strip()) * 0.6 or (line[0].isspace() and not over):
            return False
        style = under[0] * (2 if over else 1)
        if style not in self.styles:
            self.styles.append(style)
        if over:
            self._step(1)
        start = self.position + len(title) - len(title.lstrip())
        level = min(self.styles.index(style) + 1, 6)
        self.spans.add("heading", start, start + len(title.strip()), level)
        self._step(2)
        return True

    def _table(self, line: str) -> bool:
        """Tables stay as they are drawn."""
        stripped = line.lstrip()
        if self.spans.open or not (_GRID.match(stripped) or _SIMPLE.match(stripped)):
            return False
        count = 1
        grid = stripped.startswith("+")
        borders = 1
        while self._line(count).strip() and (grid or borders < 3):
            borders += bool(_SIMPLE.match(self._line(count).lstrip()))
            count += 1
        self._add("table", count)
        return True

    def _explicit(self, line: str) -> bool:
        """Directives and comments."""
        if not line.startswith("..") or (len(line) > 2 and not line[2].isspace()):
            return False
        self.spans.close()
        directive = _DIRECTIVE.match(line)
        if directive and directive[1] in _VERBATIM:
            self._step(1)
            self._add("code", self._indented())
        elif directive:
            self._plain(line)
        else:
            self._step(1)
            self._step(self._indented())
        return True

    def _plain(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        self.spans.join("text", self.position + indent, self.position + len(line.rstrip()))
        self._step(1)
        if line.rstrip().endswith("::") and not self._line(0).strip():
            self.spans.close()
            self._add("code", self._indented(indent))

    def _indented(self, margin: int = 0) -> int:
        """How many of the next lines are indented further than the margin, with the blank ones among them."""
        count = last = 0
        while self.index + count < len(self.lines):
            line = self._line(count)
            if line.strip():
                if len(line) - len(line.lstrip()) <= margin:
                    break
                last = count + 1
            count += 1
        return last

    def _add(self, kind: str, count: int) -> None:
        lines = self.lines[self.index : self.index + count]
        blank = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
        self._step(blank)
        length = sum(map(len, lines[blank:])) + max(len(lines) - blank - 1, 0)
        self.spans.add("table" if kind == "table" else "code", self.position, self.position + length)
        self._step(len(lines) - blank)
