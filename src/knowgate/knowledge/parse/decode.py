"""Bytes to text, whatever the encoding."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "tis-620": "cp874",
    "iso8859-9": "cp1254",
}
"""Writers name the narrow encoding and use the wide one; the wide one reads both."""
_SHIFTED = re.compile(rb"\x1b[$(]|~\{")
"""ISO-2022 and HZ look like ASCII, but change its meaning with these."""
_SCARCE = 50
"""A few accents in fewer bytes than this are too little to go by for encodings hardly anybody uses any more."""
_SAMPLE = 65536
_SHORTEST_WIDE = 96
"""Shorter rubbish passes for UTF-16 too easily."""
_HIGH = bytes(range(128, 256))
_SHIFTS = b"\x0e\x0f"
_SHIFTED_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b") - set(_SHIFTS)) + b"\x7f"
_CONTROLS = _SHIFTED_CONTROLS + _SHIFTS


def decode(data: bytes, declared: str | None = None) -> str:
    """The text, with `\\n` for newlines and neither byte order marks nor NULs. `declared` is what a header says."""
    return tidy(_decode(data, declared))


def tidy(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "").replace("\ufeff", "")


def is_text(data: bytes) -> bool:
    """Whether these bytes read as text in some encoding."""
    if any(data.startswith(bom) for bom, _ in _BOMS):
        return True
    sample = data[:_SAMPLE]
    controls = _SHIFTED_CONTROLS if _SHIFTED.search(sample) else _CONTROLS
    if len(sample.translate(None, controls)) < len(sample) * 0.97:
        return len(sample) >= _SHORTEST_WIDE and _wide(sample) is not None
    return _mostly_utf8(sample) is not None or _guess(sample) is not None


def _decode(data: bytes, declared: str | None) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace")
    if b"\x00" in data[:_SAMPLE] and (wide := _wide(data)):
        return data.decode(wide, "replace")
    if data.isascii() and _SHIFTED.search(data):
        shifted = _guess(data)
        if shifted and shifted.startswith(("iso2022", "hz")):
            return data.decode(shifted, "replace")
    text = _mostly_utf8(data)
    if text is not None:
        return text
    if declared and (codec := _codec(declared)) and codec != "utf-8" and _fits(data, codec):
        return data.decode(codec)
    return data.decode(_guess(data) or "cp1252", "replace")


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark."""
    encoding = _guess(data)
    return encoding if encoding and encoding.startswith(("utf-16", "utf-32")) else None


def _mostly_utf8(data: bytes) -> str | None:
    """UTF-8, also when it was cut in the middle of a letter or holds a few stray bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = data[: error.start]
        if error.reason == "unexpected end of data" and not start.isascii():
            return start.decode()
        text = data.decode(errors="replace")
    strays = text.count("\ufffd")
    letters = len(text) - strays - (len(data) - _foreign(data))
    return text if letters >= 8 * strays else None


def _foreign(data: bytes) -> int:
    return len(data) - len(data.translate(None, _HIGH))


def _guess(data: bytes) -> str | None:
    """The most likely encoding; None for bytes that are no text."""
    import chardet  # 100 ms, and most files are UTF-8

    era = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
    if len(data) < _SCARCE and _foreign(data) < len(data) / 2 and not _SHIFTED.search(data):
        era = chardet.EncodingEra.MODERN_WEB
    name = chardet.detect(data, encoding_era=era, max_bytes=len(data))["encoding"]
    codec = _codec(name) if name else None
    if codec is None:
        return None
    wider = _WIDER.get(codec)
    return wider if wider and _fits(data, wider) else codec


def _codec(name: str) -> str | None:
    try:
        codec = codecs.lookup(name.strip().strip("\"'"))
    except (LookupError, ValueError):
        return None
    # rot13, zip and the like are codecs too, but not of text
    return codec.name if getattr(codec, "_is_text_encoding", True) else None


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, ValueError):
        return False
    return True
