"""Frames carry what was said, and an answer is believed only when it holds together."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.wire import (
    Answer,
    Failure,
    Frame,
    Request,
    WireError,
    decode_answer,
    decode_request,
    encode_error,
    encode_parsed,
    encode_request,
    receive,
    send,
)
from knowgate.model import Block, BlockKind, FieldValue, Parsed

KINDS: tuple[BlockKind, ...] = ("heading", "text", "table", "code")
values = st.text() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()


@st.composite
def parsed_documents(draw: st.DrawFn) -> Parsed:
    text = draw(st.text(max_size=200))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    blocks: list[Block] = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        kind = draw(st.sampled_from(KINDS))
        level = draw(st.integers(1, 6)) if kind == "heading" else 0
        blocks.append(Block(kind, start, end, level, draw(st.none() | st.integers(1, 9999))))
    fields = draw(st.dictionaries(st.text(), values, max_size=5))
    return Parsed(text, tuple(blocks), "text", "text/plain", draw(st.text()), fields, tuple(draw(st.lists(st.text()))))


@given(parsed_documents())
def test_a_parsed_document_survives_the_way(parsed: Parsed):
    assert decode_answer(passed_on(encode_parsed(parsed))) == Answer(parsed=parsed)


@given(st.text(), st.binary(), st.booleans(), st.integers(0, 2**40))
def test_a_request_survives_the_way(name: str, data: bytes, ocr: bool, limit: int):
    request = Request(name, data, ParseOptions(ocr, limit))
    assert decode_request(passed_on(encode_request(request))) == request


@given(st.text(st.characters(), max_size=50))
def test_text_keeps_its_length_whatever_it_holds(text: str):
    block = (Block("text", 0, len(text)),) if text else ()
    answer = decode_answer(encode_parsed(Parsed(text, block, "text", "text/plain")))
    assert answer.parsed is not None
    assert len(answer.parsed.text) == len(text)


def test_an_error_survives_the_way():
    error = DocumentError("no_text", "Nothing in it.", "Use OCR.")
    assert decode_answer(encode_error(error)) == Answer(error=Failure("no_text", "Nothing in it.", "Use OCR."))


@pytest.mark.parametrize("failure", [("Not A Code", "m", "f"), ("code", "m" * 1001, "f"), ("code", "m", "f" * 1001)])
def test_an_error_out_of_bounds_is_refused(failure: tuple[str, str, str]):
    error = dict(zip(("code", "message", "fix"), failure, strict=True))
    with pytest.raises(WireError):
        decode_answer(Frame(json.dumps({"error": error}).encode()))


def test_a_long_error_is_shortened():
    answer = decode_answer(encode_error(DocumentError("no_text", "m" * 5000, "f" * 5000)))
    assert answer.error is not None
    assert len(answer.error.message) < 5000


@given(st.binary(), st.binary(), st.integers(1, 20))
def test_half_a_frame_is_none(head: bytes, body: bytes, missing: int):
    stream = io.BytesIO()
    send(stream, Frame(head, body))
    whole = stream.getvalue()
    assert receive(io.BytesIO(whole)) == Frame(head, body)
    assert receive(io.BytesIO(whole[: max(0, len(whole) - missing)])) is None


def test_a_frame_above_the_limit_is_refused_before_it_is_read():
    with pytest.raises(WireError):
        receive(io.BytesIO(bytes([0] * 7 + [9] + [0] * 7 + [9])), limit=17)


@given(st.binary(max_size=60), st.binary(max_size=20))
def test_noise_is_refused(head: bytes, body: bytes):
    with pytest.raises(WireError):
        decode_answer(Frame(head, body))


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": [[0, 4]]},
        {"blocks": [[2, 3], [0, 1]]},
        {"blocks": [[0, 2], [1, 3]]},
        {"blocks": [[1, 1]]},
        {"blocks": [[-1, 1]]},
        {"blocks": [[0, 1]], "kind": "script"},
        {"blocks": [[0, 1]], "kind": "heading", "level": 0},
        {"blocks": [[0, 1]], "kind": "heading", "level": 7},
        {"blocks": [[0, 1]], "level": 1},
        {"blocks": [[0, 1]], "page": 0},
        {"blocks": [[0, 1]], "page": "1"},
        {"blocks": [["0", 1]]},
        {"blocks": [[0.5, 1]]},
        {"title": 7},
        {"title": None},
        {"mime": ["text/plain"]},
        {"fields": {"author": ["a"]}},
        {"fields": {"author": None}},
        {"warnings": [1]},
        {"warnings": "no"},
    ],
)
def test_an_answer_that_does_not_hold_together_is_refused(changes: dict[str, Any]):
    assert decode_answer(Frame(answer_head({"blocks": [[0, 3]]}), b"abc")).parsed
    with pytest.raises(WireError):
        decode_answer(Frame(answer_head(changes), b"abc"))


def test_text_that_is_not_utf8_is_refused():
    with pytest.raises(WireError):
        decode_answer(Frame(answer_head({}), b"\xff\xfe"))


def test_numbers_json_cannot_carry_become_text():
    fields: dict[str, FieldValue] = {"a": float("inf"), "b": -(2**64), "c": 1.5}
    answer = decode_answer(encode_parsed(Parsed("", (), "text", "text/plain", fields=fields)))
    assert answer.parsed is not None
    assert answer.parsed.fields == {"a": "inf", "b": str(-(2**64)), "c": 1.5}


def answer_head(changes: dict[str, Any]) -> bytes:
    """A good answer about a text of three characters, but for the changes."""
    about = {"text": "", "type": "text", "mime": "text/plain", **changes}
    about["blocks"] = [
        {"kind": "text", "start": start, "end": end}
        | {key: about[key] for key in ("kind", "level", "page") if key in about}
        for start, end in changes.get("blocks", [])
    ]
    return json.dumps({"parsed": about}).encode()


def passed_on(frame: Frame) -> Frame:
    stream = io.BytesIO()
    send(stream, frame)
    stream.seek(0)
    received = receive(stream)
    assert received is not None
    return received
