"""What a file says of itself, in one form for all formats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import TextBuilder
from knowgate.model import Block, FieldValue, Parsed

_PDF_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")
_NO_TITLE = re.compile(
    r"untitled|document\d*|presentation\d*|powerpoint presentation|slide 1|sheet ?\d*|microsoft \w+ - .*|\S+\.\w{2,4}",
    re.I,
)


def fields_of(**values: FieldValue | None) -> dict[str, FieldValue]:
    """The given fields without the empty ones, whitespace tidied."""
    tidy = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in values.items()}
    return {key: value for key, value in tidy.items() if value not in (None, "")}


def finished(
    out: TextBuilder, type_: str, fields: Mapping[str, FieldValue] | None = None, warnings: Sequence[str] = ()
) -> Parsed:
    """What a reader hands back: text and blocks, the best title, what the file says of itself."""
    text, blocks = out.build()
    if not blocks:
        raise DocumentError("no_text", "There is no text in the file.", "Look whether it opens, and what it shows.")
    fields = fields or {}
    title = best_title(str(fields.get("title", "")), text, blocks)
    return Parsed(text, blocks, type_, MIME[type_], title, fields, tuple(warnings))


def best_title(said: str, text: str, blocks: tuple[Block, ...]) -> str:
    """What the file calls itself, unless that is a program's placeholder or a file name; else the heading it opens
    with, else the first of the highest level on the first pages."""
    early = [block for block in blocks if block.kind == "heading" and (block.page or 1) <= 2]
    opening = blocks[:1] if blocks and blocks[0].kind == "heading" else ()
    headings = [text[block.start : block.end] for block in (*opening, *sorted(early, key=lambda block: block.level))]
    titles = (" ".join(title.split()) for title in (said, *headings))
    return next((title for title in titles if title and not _NO_TITLE.fullmatch(title)), "")


def pdf_date(value: str) -> str:
    """`D:20241104100617+01'00'` as `2024-11-04T10:06:17`; what cannot be read stays out."""
    match = _PDF_DATE.match(value.strip())
    if not match:
        return ""
    year, month, day, *clock = match.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    return f"{date}T{':'.join(part or '00' for part in clock)}" if clock[0] else date
