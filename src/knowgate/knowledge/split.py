"""One block of a document, cut into pieces that fit: where its kind allows it best."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from knowgate.model import Block, BlockKind

_CHARACTERS_PER_TOKEN = 20
"""A tokenizer may call any long string one unknown token; text counts for at least its length by this measure."""

_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_END = re.compile(r"\n\s*")
_SENTENCE_END = re.compile(
    # Begun at the first of several marks and never given back in part: a long run of dots takes no longer than a text.
    r"(?<![.!?…؟۔।॥։።])[.!?…؟۔।॥։።]++[\"'”’»)\]]*+\s++(?![a-z])"  # a small letter after it: an abbreviation
    r"|[。！？｡]+[」』）”’]*\s*"
    r"|\n\s*(?=[-*•–]\s|\d+[.)]\s)"  # the next item of a list
    r"|\n[^\S\n]*\n\s*"
)
_CUTS: dict[BlockKind, Sequence[re.Pattern[str]]] = {
    "heading": (_SENTENCE_END,),
    "text": (_SENTENCE_END, _LINE_END),
    "table": (_LINE_END,),
    "code": (_PARAGRAPH_END, _LINE_END),
}
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    start: int
    end: int
    tokens: int
    kind: BlockKind
    page: int | None


class Sizes:
    """In tokens; everything follows from the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.target = limit * 4 // 5
        """Up to here passages are filled; the rest of the room is for what would be a pity to cut off."""
        self.tiny = limit // 5
        """So small that it is put together with its neighbours."""


def split_block(text: str, block: Block, count: Callable[[str], int], sizes: Sizes) -> Iterator[Piece]:
    """The pieces cover all of the block but the space between them."""

    def measured(start: int, end: int) -> int:
        return max(count(text[start:end]), (end - start) // _CHARACTERS_PER_TOKEN, 1)

    def cut(start: int, end: int, ways: Sequence[re.Pattern[str]], room: int) -> Iterator[Piece]:
        start, end = _trimmed(text, start, end)
        if start == end:
            return
        tokens = measured(start, end)
        if tokens <= room or end - start == 1:
            yield Piece(start, end, tokens, block.kind, block.page)
        elif ways:
            ends = [match.end() for match in ways[0].finditer(text, start, end)]
            for low, high in zip([start, *ends], [*ends, end], strict=True):
                yield from cut(low, high, ways[1:], sizes.target)
        else:
            middle = _middle(text, start, end)
            yield from cut(start, middle, (), sizes.target)
            yield from cut(middle, end, (), sizes.target)

    yield from cut(block.start, block.end, _CUTS[block.kind], sizes.limit)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _middle(text: str, start: int, end: int) -> int:
    """The space nearest the middle, in the middle half; failing that, the middle."""
    middle = (start + end) // 2
    quarter = (end - start) // 4
    spaces = (match.end() for match in _SPACE.finditer(text, start + quarter, end - quarter))
    return min(spaces, key=lambda at: abs(at - middle), default=middle)
