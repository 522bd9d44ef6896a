"""Plain text: paragraphs, and headings where they are unmistakable."""

from __future__ import annotations

import re

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Block, Parsed

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*+\S[^\n]*)*+")
_UNDERLINED = re.compile(r"([^\n]*\S)[^\S\n]*\n[^\S\n]*(={3,}|-{3,}|~{3,}|\^{3,}|\*{3,})[^\S\n]*(?:\n|\Z)")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.? +[^\W\d_][^\n]{1,78}(?<![.;,:!?])")
_CHAPTER = re.compile(r"(?:chapter|part|appendix|article) +(?:\d+|[ivxlc]+|[a-z])\b[^\n]{0,78}(?<![.;,])", re.I)


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    return parse_text(decode(data))


def parse_text(text: str, type_: str = "text", mime: str = MIME["text"]) -> Parsed:
    blocks = tuple(text_blocks(text))
    title = next((text[each.start : each.end] for each in blocks[:1] if each.kind == "heading"), "")
    return Parsed(text, blocks, type_, mime, title)


def text_blocks(text: str) -> list[Block]:
    blocks: list[Block] = []
    underlines: list[str] = []
    # Text converted from paged documents has a form feed between pages.
    page, seen = (1, 0) if "\f" in text else (None, 0)
    for match in _PARAGRAPH.finditer(text):
        start, end = match.start(), match.start() + len(match[0].rstrip())
        if page is not None:
            page, seen = page + text.count("\f", seen, start), start
        under = _UNDERLINED.match(text, start, end)
        if under and abs(len(under[1]) - len(under[2])) <= max(2, len(under[1]) // 4) and len(under[1]) < 100:
            if under[2][0] not in underlines:
                underlines.append(under[2][0])
            blocks.append(Block("heading", start, under.end(1), underlines.index(under[2][0]) + 1, page))
            start = under.end()
            start += len(text[start:end]) - len(text[start:end].lstrip())
        if start < end:
            blocks.append(Block("text", start, end, 0, page))
    return _with_numbered_headings(text, blocks)


def _with_numbered_headings(text: str, blocks: list[Block]) -> list[Block]:
    """Lines such as `2.1 Scope` that stand alone; next to each other they are a list, and one alone may be anything."""
    levels = [_level(text, each) if each.kind == "text" else 0 for each in blocks]
    alone = [
        index
        for index, level in enumerate(levels)
        if level and levels[index - 1 : index] != [level] and levels[index + 1 : index + 2] != [level]
    ]
    if len(alone) < 2:
        return blocks
    for index in alone:
        old = blocks[index]
        blocks[index] = Block("heading", old.start, old.end, min(levels[index], 6), old.page)
    return blocks


def _level(text: str, block: Block) -> int:
    if block.end - block.start > 90:
        return 0
    numbered = _NUMBERED.fullmatch(text, block.start, block.end)
    if numbered:
        return numbered[1].count(".") + 1
    return 1 if _CHAPTER.fullmatch(text, block.start, block.end) else 0
