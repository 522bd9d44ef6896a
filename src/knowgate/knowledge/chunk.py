"""Parsed text to passages, along the document's own structure.

A passage is a stretch of the text, so that a hit can be shown in its place. Blocks are cut into pieces that fit, pieces
are packed into passages section by section, and sections too small to stand alone are put together with their kin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from knowgate.knowledge.split import Piece, Sizes, split_block
from knowgate.model import Chunk, Parsed

_LONGEST_NAME = 200


@dataclass(slots=True)
class _Section:
    """A heading and what stands under it, up to the next heading."""

    number: int
    parent: int
    level: int
    path: tuple[str, ...]
    pieces: list[Piece] = field(default_factory=list[Piece])

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def has_body(self) -> bool:
        return self.pieces[-1].kind != "heading"


@dataclass(slots=True)
class _Draft:
    """A passage in the making."""

    pieces: list[Piece]
    sections: list[_Section]
    tokens: int


def chunk(parsed: Parsed, document_id: str, title: str, count: Callable[[str], int], max_tokens: int) -> list[Chunk]:
    """Passages of up to `max_tokens`; a paragraph or a table that fits is never cut."""
    sizes = Sizes(max_tokens)
    drafts: list[_Draft] = []
    carried: list[_Section] = []
    for section in _sections(parsed, title, count, sizes):
        if carried and section.level <= carried[-1].level:
            _place(carried, drafts, sizes)
            carried = []
        carried.append(section)
        # A heading with nothing under it but smaller headings goes with what follows.
        if section.has_body:
            _place(carried, drafts, sizes)
            carried = []
    _place(carried, drafts, sizes)
    return [_finish(draft, parsed, document_id, ordinal) for ordinal, draft in enumerate(drafts)]


def passage(chunk: Chunk) -> str:
    """What is embedded: the headings, then the text, without repeating headings the text begins with."""
    above = list(chunk.headings)
    for depth in range(len(above)):
        if _begins_with(chunk.text, above[depth:]):
            del above[depth:]
            break
    return f"{' > '.join(above)}\n{chunk.text}" if above else chunk.text


def _begins_with(text: str, headings: Sequence[str]) -> bool:
    at = 0
    for heading in headings:
        for word in heading.split():
            while at < len(text) and text[at].isspace():
                at += 1
            if not text.startswith(word, at):
                return False
            at += len(word)
        if at < len(text) and not text[at].isspace():
            return False
    return True


def _sections(parsed: Parsed, title: str, count: Callable[[str], int], sizes: Sizes) -> Iterable[_Section]:
    top = _one_line(title)
    root = (top,) if top else ()
    section = _Section(0, -1, 0, root)
    open_sections = [section]
    number = 0
    for block in parsed.blocks:
        if block.kind == "heading":
            if section.pieces:
                yield section
            number += 1
            level = max(block.level, 1)
            while open_sections[-1].level >= level:
                open_sections.pop()
            above = open_sections[-1]
            name = _one_line(parsed.text[block.start : block.end])
            path = (*above.path, name) if name and name.casefold() != top.casefold() else above.path
            section = _Section(number, above.number, level, path)
            open_sections.append(section)
        section.pieces.extend(split_block(parsed.text, block, count, sizes))
    if section.pieces:
        yield section


def _one_line(name: str) -> str:
    """A name for a path; a whole paragraph styled as a heading is cut, or it would be in front of every passage."""
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME].rstrip() + "…"


def _place(sections: Sequence[_Section], drafts: list[_Draft], sizes: Sizes) -> None:
    """Adds the sections' passages to the drafts; tiny ones join the last draft if that is tiny kin."""
    if not sections:
        return
    pieces = [piece for section in sections for piece in section.pieces]
    tokens = sum(piece.tokens for piece in pieces)
    if drafts and tokens <= sizes.tiny and _is_tiny_kin(drafts[-1], sections[0], sizes):
        last = drafts[-1]
        if last.tokens + tokens <= sizes.target and _page(last.pieces) == _page(pieces):
            last.pieces.extend(pieces)
            last.sections.extend(sections)
            last.tokens += tokens
            return
    packed = _pack(pieces, sizes)
    for number, group in enumerate(packed):
        drafts.append(_Draft(group, list(sections) if number == 0 else [sections[-1]], _tokens(group)))


def _is_tiny_kin(draft: _Draft, section: _Section, sizes: Sizes) -> bool:
    """A sibling of the draft's last section, or a child of it, when all there is in the draft is tiny sections."""
    last = draft.sections[-1]
    if section.parent not in (last.parent, last.number):
        return False
    return all(part.tokens <= sizes.tiny for part in draft.sections)


def _pack(pieces: Sequence[Piece], sizes: Sizes) -> list[list[Piece]]:
    groups: list[list[Piece]] = []
    tokens = 0
    for piece in pieces:
        fits = groups and tokens + piece.tokens <= _room(groups[-1], tokens, sizes)
        if fits and _page(groups[-1]) in (None, piece.page):
            groups[-1].append(piece)
            tokens += piece.tokens
        else:
            groups.append([piece])
            tokens = piece.tokens
    if len(groups) > 1:
        tail, before = _tokens(groups[-1]), _tokens(groups[-2])
        same_page = _page(groups[-1]) == _page(groups[-2])
        if same_page and tail <= sizes.tiny and tail + before <= sizes.limit:
            groups[-2].extend(groups.pop())
    return groups


def _room(group: Sequence[Piece], tokens: int, sizes: Sizes) -> int:
    """How large the group may grow by this piece: a heading or a tiny beginning is not left behind."""
    if tokens > sizes.tiny and group[-1].kind != "heading":
        return sizes.target
    return sizes.limit


def _page(pieces: Sequence[Piece]) -> int | None:
    """The page that is cited: a passage stays on one, but a heading at the foot of a page goes with what follows."""
    return next((piece.page for piece in pieces if piece.kind != "heading"), None)


def _tokens(pieces: Iterable[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _finish(draft: _Draft, parsed: Parsed, document_id: str, ordinal: int) -> Chunk:
    start, end = draft.pieces[0].start, draft.pieces[-1].end
    paths = [section.path for section in draft.sections if section.has_body] or [draft.sections[-1].path]
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return Chunk(
        id=f"{document_id}:{ordinal}",
        document_id=document_id,
        ordinal=ordinal,
        text=parsed.text[start:end],
        headings=tuple(names[0] for names in shared),
        start=start,
        end=end,
        page=_page(draft.pieces) or draft.pieces[0].page,
        tokens=draft.tokens,
    )
