"""What the sandbox and its workers say to each other: frames of a JSON head and a raw body, each led by its length.

A worker reads hostile files, so its answers are data to be checked, never objects to be unpickled.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, replace
from functools import cache
from typing import IO, TYPE_CHECKING

import orjson

from knowgate.errors import DocumentError, KnowgateError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import FieldValue, Parsed

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MAX_TEXT_CHARACTERS = 32 * 1024 * 1024
MAX_ANSWER_BYTES = 4 * MAX_TEXT_CHARACTERS
EXIT_MEMORY = 77
"""How a worker says that it ran out of memory, when it may have too little left to say it in words."""

_LENGTHS = struct.Struct(">QQ")
_MAX_SENTENCE = 1000
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Frame:
    head: bytes
    """JSON."""
    body: bytes = b""
    """A file on the way to a worker, its text in UTF-8 on the way back."""


@dataclass(frozen=True, slots=True)
class Request:
    name: str
    data: bytes
    options: ParseOptions


@dataclass(frozen=True, slots=True)
class Failure:
    code: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Either what was read, or why it was not."""

    parsed: Parsed | None = None
    error: Failure | None = None


class WireError(Exception):
    """The other side said something that is not of this protocol."""


def send(stream: IO[bytes], frame: Frame) -> None:
    stream.write(_LENGTHS.pack(len(frame.head), len(frame.body)) + frame.head)
    stream.write(frame.body)
    stream.flush()


def receive(stream: IO[bytes], limit: int | None = None) -> Frame | None:
    """The next frame, or None when the other side ended before it was whole."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = _LENGTHS.unpack(lengths)
    if limit is not None and head_size + body_size > limit:
        raise WireError("an answer above the size limit")
    head, body = stream.read(head_size), stream.read(body_size)
    return Frame(head, body) if len(head) + len(body) == head_size + body_size else None


def encode_request(request: Request) -> Frame:
    return Frame(orjson.dumps({"name": _whole(request.name), "options": request.options}), request.data)


def decode_request(frame: Frame) -> Request:
    head = orjson.loads(frame.head)
    return Request(head["name"], frame.body, ParseOptions(**head["options"]))


def encode_parsed(parsed: Parsed) -> Frame:
    if len(parsed.text) > MAX_TEXT_CHARACTERS:
        raise _too_large()
    try:
        body = parsed.text.encode()
    except UnicodeEncodeError:
        body = _whole(parsed.text).encode()
    about = replace(
        parsed,
        text="",
        title=_whole(parsed.title),
        fields={_whole(key): _scalar(value) for key, value in parsed.fields.items()},
        warnings=tuple(map(_whole, parsed.warnings)),
    )
    frame = Frame(orjson.dumps(Answer(parsed=about)), body)
    if len(frame.head) + len(frame.body) > MAX_ANSWER_BYTES:
        raise _too_large()
    return frame


def encode_error(error: KnowgateError) -> Frame:
    failure = Failure(error.code, _whole(error.message)[:_MAX_SENTENCE], _whole(error.fix)[:_MAX_SENTENCE])
    return Frame(orjson.dumps(Answer(error=failure)))


def decode_answer(frame: Frame) -> Answer:
    """Believes nothing: every type is checked, and every block lies in the text, after the one before."""
    try:
        answer = _answers().validate_json(frame.head, strict=True)
        text = frame.body.decode()
    except ValueError as error:
        raise WireError("an answer of the wrong shape") from error
    if answer.parsed is None:
        if answer.error is None:
            raise WireError("an answer that is neither text nor an error")
        _check_failure(answer.error)
        return answer
    parsed = replace(answer.parsed, text=text)
    _check_blocks(parsed)
    return Answer(parsed=parsed)


def _check_failure(failure: Failure) -> None:
    if not _CODE.fullmatch(failure.code) or max(len(failure.message), len(failure.fix)) > _MAX_SENTENCE:
        raise WireError("an error of the wrong shape")


def _check_blocks(parsed: Parsed) -> None:
    before = 0
    for block in parsed.blocks:
        if not before <= block.start < block.end:
            raise WireError("blocks that overlap or are out of order")
        if not (1 <= block.level <= 6 if block.kind == "heading" else block.level == 0):
            raise WireError("a block with an impossible heading level")
        if block.page is not None and block.page < 1:
            raise WireError("a block with an impossible page")
        before = block.end
    if before > len(parsed.text):
        raise WireError("blocks beyond the end of the text")


@cache
def _answers() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter  # only the sandbox needs it; a worker starts faster without

    return TypeAdapter(Answer)


def _too_large() -> DocumentError:
    return DocumentError(
        "too_large",
        f"The document holds more than {MAX_TEXT_CHARACTERS // 10**6} million characters of text.",
        "Split it into smaller files and ingest those.",
    )


def _whole(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot carry, replaced one for one, so that spans still fit."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _scalar(value: FieldValue) -> FieldValue:
    """What JSON can carry: not every number a file states is one."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    return value if math.isfinite(value) else str(value)
