"""Outlook messages (MSG): the properties of a message are streams of a compound file."""

from __future__ import annotations

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.decode import decode, tidy
from knowgate.knowledge.parse.letter import Letter
from knowgate.knowledge.parse.ole import CompoundFile
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.model import Parsed

_SUBJECT, _BODY, _HTML, _TRANSPORT, _ATTACHMENT = "0037", "1000", "1013", "007D", "3707"
_HEADERS = {"from": "0C1A", "to": "0E04", "cc": "0E03", "message-id": "1035"}


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    file = CompoundFile(data, "Outlook message")
    letter = Letter(options)
    headers = {key: _property(file, tag) for key, tag in _HEADERS.items()}
    transport = _property(file, _TRANSPORT).split("\n")
    date = next((line[5:].strip() for line in transport if line.lower().startswith("date:")), "")
    letter.begin(_property(file, _SUBJECT), headers | {"date": date}, 0)
    body = _property(file, _BODY)
    if body.strip():
        letter.plain(body)
    else:
        letter.html(_property(file, _HTML))
    if _property(file, _ATTACHMENT):
        letter.warnings.append("Attachments of Outlook messages are not read. Save them as files and ingest those.")
    return finished(letter.builder, "msg", letter.fields, letter.warnings)


def _property(file: CompoundFile, tag: str) -> str:
    """A text property: Unicode, in some code page, or as bytes."""
    for kind in ("001F", "001E", "0102"):
        stream = f"__substg1.0_{tag}{kind}"
        if stream in file:
            data = file.stream(stream)
            return tidy(data.decode("utf-16-le", "replace")) if kind == "001F" else decode(data)
    return ""
