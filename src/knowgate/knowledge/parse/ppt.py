"""Presentations of the years before 2007: slides in order, each with the texts its shapes hold or refer to."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.archive import corrupt, encrypted
from knowgate.knowledge.parse.ole import CompoundFile, save_as
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import Parsed

_SLIDE_PLACE, _SLIDE_LIST, _TEXT_BOX = 0x03F3, 0x0FF0, 0xF00D
_TEXT_KIND, _TEXT_WIDE, _TEXT_NARROW, _TEXT_REFERENCE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_EDIT, _PLACES = 0x0FF5, 0x1772
_TITLES = (0, 6)
_DEEPEST = 30


@dataclass(slots=True)
class _Record:
    kind: int
    instance: int
    start: int
    end: int
    container: bool


@dataclass(slots=True)
class _Slide:
    id: int
    texts: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Kind and words of the outline texts that the slide's shapes refer to by number."""


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    file = CompoundFile(data, "PowerPoint")
    file.refuse_encrypted()
    if "PowerPoint Document" not in file:
        raise save_as("PowerPoint", ".pptx") if "PP40" in file else corrupt("PowerPoint")
    try:
        return finished(_blocks(file.stream("PowerPoint Document"), file.stream("Current User")), "ppt")
    except (struct.error, IndexError) as error:
        raise corrupt("PowerPoint") from error


def _blocks(stream: bytes, user: bytes) -> TextBuilder:
    token, edit = struct.unpack_from("<II", user, 12)
    if token == 0xF3D1C4DF:
        raise encrypted("PowerPoint")
    places, document = _places(stream, edit)
    out = TextBuilder()
    for page, slide in enumerate(_slides(stream, places.get(document, -1)), 1):
        texts = list(_shape_texts(stream, places.get(slide.id, -1), slide)) or slide.texts
        for kind, text in texts:
            if kind in _TITLES:
                out.add("heading", " ".join(text.split()), level=1, page=page)
        for kind, text in texts:
            if kind not in _TITLES:
                out.add("text", text, page=page)
    return out


def _places(stream: bytes, edit: int) -> tuple[dict[int, int], int]:
    """Where every part lies after the last save, and which part is the document itself."""
    places: dict[int, int] = {}
    document = 0
    seen: set[int] = set()
    while edit and edit not in seen:
        seen.add(edit)
        record = _record(stream, edit)
        if record.kind != _EDIT:
            raise corrupt("PowerPoint")
        before, directory, part = struct.unpack_from("<III", stream, record.start + 8)
        if record.end - record.start >= 32 and struct.unpack_from("<I", stream, record.start + 28)[0]:
            raise encrypted("PowerPoint")
        document = document or part
        listing = _record(stream, directory)
        offset = listing.start
        while listing.kind == _PLACES and offset + 4 <= listing.end:
            (head,) = struct.unpack_from("<I", stream, offset)
            first, count = head & 0xFFFFF, head >> 20
            for index in range(count):
                if offset + 8 + 4 * index <= listing.end:
                    places.setdefault(first + index, struct.unpack_from("<I", stream, offset + 4 + 4 * index)[0])
            offset += 4 + 4 * count
        edit = before
    return places, document


def _slides(stream: bytes, place: int) -> list[_Slide]:
    slides: list[_Slide] = []
    if place < 0:
        raise corrupt("PowerPoint")
    for listing in _inside(stream, _record(stream, place)):
        if listing.kind != _SLIDE_LIST or listing.instance != 0:
            continue
        kind = 0
        for record in _inside(stream, listing):
            if record.kind == _SLIDE_PLACE:
                slides.append(_Slide(struct.unpack_from("<I", stream, record.start)[0]))
            elif record.kind == _TEXT_KIND:
                (kind,) = struct.unpack_from("<I", stream, record.start)
                if slides:
                    slides[-1].texts.append((kind, ""))
            elif slides and slides[-1].texts and record.kind in (_TEXT_WIDE, _TEXT_NARROW):
                slides[-1].texts[-1] = (kind, _words(stream, record))
    return slides


def _shape_texts(stream: bytes, place: int, slide: _Slide) -> Iterator[tuple[int, str]]:
    """The texts in the order of the shapes on the slide."""
    if place < 0:
        return
    for box in _boxes(stream, _record(stream, place), 0):
        kind = 4
        for record in _inside(stream, box):
            if record.kind == _TEXT_KIND:
                (kind,) = struct.unpack_from("<I", stream, record.start)
            elif record.kind in (_TEXT_WIDE, _TEXT_NARROW):
                yield kind, _words(stream, record)
            elif record.kind == _TEXT_REFERENCE:
                (index,) = struct.unpack_from("<I", stream, record.start)
                if index < len(slide.texts):
                    yield slide.texts[index]


def _boxes(stream: bytes, parent: _Record, depth: int) -> Iterator[_Record]:
    for record in _inside(stream, parent):
        if record.kind == _TEXT_BOX:
            yield record
        elif record.container and depth < _DEEPEST:
            yield from _boxes(stream, record, depth + 1)


def _inside(stream: bytes, parent: _Record) -> Iterator[_Record]:
    offset = parent.start
    while offset + 8 <= parent.end:
        record = _record(stream, offset)
        yield record
        offset = record.end


def _record(stream: bytes, offset: int) -> _Record:
    head, kind, length = struct.unpack_from("<HHI", stream, offset)
    return _Record(kind, head >> 4, offset + 8, min(offset + 8 + length, len(stream)), head & 0xF == 0xF)


def _words(stream: bytes, record: _Record) -> str:
    raw = stream[record.start : record.end]
    text = raw.decode("utf-16-le" if record.kind == _TEXT_WIDE else "latin-1", "replace")
    return text.replace("\r", "\n").replace("\v", "\n").replace("\x00", "")
