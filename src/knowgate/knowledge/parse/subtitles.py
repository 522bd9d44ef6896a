"""WebVTT and SRT subtitles: what is said, without the clockwork."""

from __future__ import annotations

import html
import re

from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.kinds import MIME
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import Parsed

_TIMING = re.compile(r"\s*(\d+:)?\d\d:\d\d[.,]\d{3}\s*-->\s*(\d+:)?\d\d:\d\d[.,]\d{3}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,200})>")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|<\d[\d:.]*>|\{\\[^{}]*\}")
_PARAGRAPH = 600
"""Cues are joined to paragraphs of about this length: alone they are half sentences."""


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    text = decode(data)
    type_ = "vtt" if text.startswith("WEBVTT") else "srt"
    builder = TextBuilder()
    title = text.partition("\n")[0].removeprefix("WEBVTT").strip(" \t-") if type_ == "vtt" else ""
    lines: list[str] = []
    speaker = ""
    for cue in re.split(r"\n\s*\n", text):
        said, voice = _cue(cue)
        if voice != speaker or sum(map(len, lines)) > _PARAGRAPH:
            builder.add("text", "\n".join(lines))
            lines = []
        if said and not lines and voice:
            said = f"{voice}: {said}"
        speaker = voice
        # Rolling captions repeat the line before.
        if said and said not in lines[-1:]:
            lines.append(said)
    builder.add("text", "\n".join(lines))
    whole, blocks = builder.build()
    return Parsed(whole, blocks, type_, MIME[type_], title)


def _cue(cue: str) -> tuple[str, str]:
    lines = cue.strip("\n").split("\n")
    timing = next((index for index, line in enumerate(lines[:3]) if _TIMING.match(line)), None)
    if timing is None:
        return "", ""
    payload = "\n".join(lines[timing + 1 :])
    voice = _VOICE.search(payload)
    said = html.unescape(_TAG.sub("", _VOICE.sub("", payload)))
    return "\n".join(filter(None, map(str.strip, said.split("\n")))), voice[1].strip() if voice else ""
