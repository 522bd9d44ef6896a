"""E-mail (EML, MBOX, MHTML): headers, body and what is attached."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from typing import cast

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.archive import corrupt
from knowgate.knowledge.parse.decode import decode, tidy
from knowgate.knowledge.parse.detect import detect
from knowgate.knowledge.parse.html import html_text
from knowgate.knowledge.parse.letter import Letter
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

_SEPARATOR = re.compile(rb"^From \S{1,200} [^\n]{0,100}\d{4}[^\n]{0,20}\n", re.M)
_HEADERS = ("from", "to", "cc", "date", "message-id")
_DEEPEST = 20
_MOST_PARTS = 1_000
_LONGEST_HEADER = 20_000
_LONGEST_DESCRIPTION = 5_000
"""Of the headers that describe a part: their parameters are taken apart again and again."""
_Part = Message


class _ShortHeaders(Compat32):
    """Cuts headers before anybody decodes them, which takes the standard library quadratic time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        limit = _LONGEST_DESCRIPTION if name.lower().startswith("content-") else _LONGEST_HEADER
        return name, value[:limit]


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:
    type_ = detect(data, name).type
    letter = Letter(options)
    for each in _SEPARATOR.split(data)[1:] if type_ == "mbox" else [data]:
        add_message(letter, each, 0)
    return finished(letter.builder, type_, letter.fields, letter.warnings)


def add_message(letter: Letter, data: bytes, depth: int) -> None:
    try:
        _add(letter, email.message_from_bytes(data, policy=_ShortHeaders()), depth)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:
        # The standard library's parser raises anything at all on malformed messages.
        raise corrupt("e-mail") from error


def _add(letter: Letter, message: _Part, depth: int) -> None:
    headers = {name: _header(message, name) for name in _HEADERS}
    letter.begin(_header(message, "subject"), headers, depth)
    for part in _parts(message, 0):
        if part.get_content_type() == "message/rfc822":
            for inner in cast("list[_Part]", part.get_payload()):
                letter.nested(lambda inner=inner: _add(letter, inner, depth + 1), depth)
        elif _is_attached(part):
            payload = part.get_payload(decode=True)
            letter.attach(_filename(part), payload if isinstance(payload, bytes) else b"", depth, add_message)
        elif part.get_content_type() == "text/html":
            letter.html(_text(part))
        else:
            letter.plain(_text(part))


def _parts(message: _Part, level: int) -> Iterator[_Part]:
    """The parts to read, in order; of alternatives only the best."""
    if message.get_content_type() == "message/rfc822" and level:
        yield message
        return
    if not message.is_multipart():
        yield message
        return
    below = cast("list[_Part]", message.get_payload())[:_MOST_PARTS]
    if level > _DEEPEST:
        return
    parts = [part for each in below for part in _parts(each, level + 1)]
    if message.get_content_type() == "multipart/alternative":
        parts = _best(parts)
    yield from parts


def _best(parts: list[_Part]) -> list[_Part]:
    """The plain text, unless it is only there to say that one should look at the other."""
    plain = [part for part in parts if part.get_content_type() == "text/plain" and not _is_attached(part)]
    html = [part for part in parts if part.get_content_type() == "text/html" and not _is_attached(part)]
    if not plain or not html:
        return parts
    worse = html if 2 * sum(len(_text(p)) for p in plain) >= sum(len(html_text(_text(p))) for p in html) else plain
    return [part for part in parts if all(part is not each for each in worse)]


def _is_attached(part: _Part) -> bool:
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() not in ("text", "multipart"):
        return True
    return part.get_content_subtype() not in ("plain", "html") and bool(part.get_filename())


def _text(part: _Part) -> str:
    payload = part.get_payload(decode=True)
    return decode(payload, part.get_content_charset()) if isinstance(payload, bytes) else ""


def _filename(part: _Part) -> str:
    name = part.get_filename()
    return _decoded(name) if name else f"unnamed.{part.get_content_subtype()}"


def _header(message: _Part, name: str) -> str:
    return " ".join(_decoded(message.get(name, "")).split())


def _decoded(value: object) -> str:
    """Encoded words, and raw bytes of an unknown encoding, as text."""
    pieces = decode_header(cast("str", value))
    said = (decode(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)
    return tidy("".join(said))
