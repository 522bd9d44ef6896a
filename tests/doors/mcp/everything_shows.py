"""What the conformance suite wants to be shown: pictures, sounds, resources and prompts."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from typing import Any

from mcp_types import GetPromptResult, InputRequiredResult, Prompt, PromptArgument, ReadResourceResult, Resource
from tests.doors.mcp.everything_asks import answered, name_asked

Block = dict[str, Any]


def _png() -> str:
    """One red dot."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")), chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def _wav() -> str:
    """One sample of silence."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    sound = form + struct.pack("<4sIh", b"data", 2, 0)
    return base64.b64encode(struct.pack("<4sI4s", b"RIFF", 4 + len(sound), b"WAVE") + sound).decode()


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _embedded(uri: str, mime: str, text: str) -> Block:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}


_IMAGE = {"type": "image", "data": _png(), "mimeType": "image/png"}
CONTENTS: dict[str, list[Block]] = {
    "test_image_content": [_IMAGE],
    "test_audio_content": [{"type": "audio", "data": _wav(), "mimeType": "audio/wav"}],
    "test_embedded_resource": [_embedded("test://embedded-resource", "text/plain", "An embedded resource.")],
    "test_multiple_content_types": [
        _text("Several kinds:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"a": 1}'),
    ],
}
RESOURCES = [
    Resource(uri=f"test://{name}", name=name, mime_type=mime)
    for name, mime in (
        ("static-text", "text/plain"),
        ("static-binary", "image/png"),
        ("watched-resource", "text/plain"),
    )
]


def resource(uri: str) -> ReadResourceResult | None:
    if filled := re.fullmatch("test://template/(.+)/data", uri):
        found = {"mimeType": "application/json", "text": json.dumps({"id": filled[1]})}
    elif uri == "test://static-binary":
        found = {"mimeType": "image/png", "blob": _png()}
    elif uri in ("test://static-text", "test://watched-resource"):
        found = {"mimeType": "text/plain", "text": "Always the same."}
    else:
        return None
    return ReadResourceResult.model_validate({"contents": [{"uri": uri, **found}]})


def _messages(*contents: Block) -> GetPromptResult:
    return GetPromptResult.model_validate({"messages": [{"role": "user", "content": each} for each in contents]})


async def _simple(_: Any) -> GetPromptResult:
    return _messages(_text("A simple prompt."))


async def _with_arguments(asked: Any) -> GetPromptResult:
    return _messages(_text("arg1={arg1} arg2={arg2}".format(**asked.arguments)))


async def _with_resource(asked: Any) -> GetPromptResult:
    return _messages(_embedded(asked.arguments["resourceUri"], "text/plain", "Embedded."), _text("Read it."))


async def _with_image(_: Any) -> GetPromptResult:
    return _messages(_IMAGE, _text("Look at it."))


async def _that_asks(asked: Any) -> GetPromptResult | InputRequiredResult:
    name = answered(asked, "user_context")
    return _messages(_text(f"In the light of {name}.")) if name else name_asked("user_context")


PROMPTS = {
    "test_simple_prompt": _simple,
    "test_prompt_with_arguments": _with_arguments,
    "test_prompt_with_embedded_resource": _with_resource,
    "test_prompt_with_image": _with_image,
    "test_input_required_result_prompt": _that_asks,
}
_ARGUMENTS = {
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
}
PROMPTS_LISTED = [
    Prompt(
        name=name,
        description="For the conformance suite.",
        arguments=[PromptArgument(name=each, description=each, required=True) for each in _ARGUMENTS.get(name, ())],
    )
    for name in PROMPTS
]
