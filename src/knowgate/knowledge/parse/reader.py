"""What every reader shares: its options, and the builder that turns pieces into one text with blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowgate.model import Block, BlockKind


@dataclass(frozen=True, slots=True)
class ParseOptions:
    ocr: bool = False
    """Read scanned pages and images; needs the extra `ocr`."""
    max_expanded_bytes: int = 256 * 1024 * 1024
    """How much an archive (DOCX, XLSX, EPUB …) may unpack to."""


class TextBuilder:
    """Collects pieces in reading order; a blank line parts them, so that every block is a stretch of the final text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0

    def add(self, kind: BlockKind, text: str, *, level: int = 0, page: int | None = None) -> None:
        text = text.strip("\n").rstrip()
        if not text.strip():
            return
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        self._blocks.append(Block(kind, self._length, self._length + len(text), level, page))
        self._parts.append(text)
        self._length += len(text)

    def build(self) -> tuple[str, tuple[Block, ...]]:
        return "".join(self._parts), tuple(self._blocks)


def table_text(rows: list[list[str]]) -> str:
    """A Markdown table: the form models and people read best. The first row is the header."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def table_texts(rows: Iterable[list[str]], size: int = 600) -> Iterator[str]:
    """A long table as several, the header row repeated, so that each reads on its own. About `size` characters each."""
    group: list[list[str]] = []
    length = 0
    for row in rows:
        width = sum(map(len, row)) + 3 * len(row)
        if not group:
            # A wide header would otherwise outweigh the rows below it.
            size = max(size, 4 * width)
        elif length and length + width > size:
            yield table_text(group)
            group, length = group[:1], 0
        if group:
            length += width
        group.append(row)
    if group:
        yield table_text(group)
