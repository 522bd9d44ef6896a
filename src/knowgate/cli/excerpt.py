"""The part of a passage that is worth a look, with the query's words marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from knowgate.cli.screen import clean

if TYPE_CHECKING:
    from rich.text import Text

    from knowgate.model import Chunk

Span = tuple[int, int]


def window(length: int, spans: Sequence[Span], width: int) -> Span:
    """The stretch of `width` characters with most of the spans in it; the beginning when there are none."""
    if length <= width:
        return 0, length
    best, most = 0, -1
    for begin, _ in (*spans, (0, 0)):
        start = max(0, min(begin - width // 5, length - width))
        inside = sum(start <= left and right <= start + width for left, right in spans)
        if (inside, -start) > (most, -best):
            best, most = start, inside
    return best, best + width


def below_headings(chunk: Chunk, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """The passage without the headings it begins with, which are shown above it, and the spans that are left."""
    start = 0
    while (end := chunk.text.find("\n", start)) >= 0:
        line = chunk.text[start:end].strip().lstrip("#").strip()
        if line and line not in chunk.headings:
            break
        start = end + 1
    return chunk.text[start:], [(left - start, right - start) for left, right in spans if left >= start]


def excerpt(passage: str, spans: Sequence[Span], width: int | None, style: str) -> Text:
    """`width` None is the whole passage."""
    from rich.text import Text

    text = Text(clean(passage))
    for begin, end in spans:
        text.stylize(style, begin, end)
    if width is None:
        return text
    start, stop = window(len(passage), spans, width)
    cut = text[start:stop]
    return Text.assemble("… " if start else "", cut, " …" if stop < len(passage) else "")
