"""Files to text: `parse` finds out what a file is and has the right reader read it."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.detect import detect
from knowgate.knowledge.parse.reader import ParseOptions

if TYPE_CHECKING:
    from knowgate.model import Parsed

_READERS = {
    "asciidoc": "asciidoc",
    "code": "code",
    "csv": "csv",
    "doc": "doc",
    "docx": "docx",
    "email": "mail",
    "epub": "epub",
    "html": "html",
    "image": "ocr",
    "json": "data",
    "jsonl": "data",
    "markdown": "markdown",
    "mbox": "mail",
    "msg": "msg",
    "notebook": "notebook",
    "odp": "odf",
    "ods": "sheets",
    "odt": "odf",
    "pdf": "pdf",
    "ppt": "ppt",
    "pptx": "pptx",
    "rst": "rst",
    "rtf": "rtf",
    "srt": "subtitles",
    "text": "text",
    "toml": "data",
    "tsv": "csv",
    "vtt": "subtitles",
    "xls": "sheets",
    "xlsb": "sheets",
    "xlsx": "sheets",
    "xml": "xml_data",
    "yaml": "data",
}
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class _Reader(Protocol):
    def read(self, data: bytes, name: str, options: ParseOptions) -> Parsed: ...


def parse(data: bytes, name: str, options: ParseOptions) -> Parsed:
    """The text of a file and its blocks; a DocumentError when there is none to be had."""
    kind = detect(data, name)
    # Only the one reader is loaded: some bring large libraries.
    reader = cast("_Reader", import_module(f"{__name__}.{_READERS[kind.type]}"))
    parsed = reader.read(data, name, options)
    if not parsed.blocks:
        raise DocumentError("no_text", "The file holds no text.", "If it is a scan, ingest it with OCR switched on.")
    return _storable(parsed)


def _storable(parsed: Parsed) -> Parsed:
    """Half characters cannot be written to any database; each becomes one replacement, so that all spans still fit."""
    fields = {_clean(key): _clean(value) if isinstance(value, str) else value for key, value in parsed.fields.items()}
    return replace(
        parsed,
        text=_clean(parsed.text),
        title=_clean(parsed.title),
        fields=fields,
        warnings=tuple(map(_clean, parsed.warnings)),
    )


def _clean(text: str) -> str:
    return text if text.isascii() and "\x00" not in text else _UNSTORABLE.sub("\ufffd", text)
