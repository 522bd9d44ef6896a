"""What the bytes of a file really say, when the name of its folder is its encoding."""

from __future__ import annotations

import codecs
import html
import re

_SUPERSETS = {
    "ascii": ("utf-8", "cp1252"),
    "big5": ("big5hkscs", "cp950"),
    "cp932": ("shift_jis",),
    "euc-kr": ("cp949",),
    "gb2312": ("gbk", "gb18030"),
    "iso-8859-1": ("cp1252",),
    "iso-8859-7": ("cp1253",),
    "iso-8859-9": ("cp1254",),
    "koi8-r": ("koi8-u",),
    "shift_jis": ("cp932",),
    "tis-620": ("cp874", "iso8859-11"),
}
_FOREIGN_WORD = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
_TAG = re.compile(r"<[^>]*>")
_ENOUGH = 0.98


def reference_texts(data: bytes, folder: str) -> list[str]:
    """Every right reading of the bytes: by the folder's encoding and by the ones that contain it."""
    encoding = folder.lower()
    texts: list[str] = []
    for name in (encoding, *_SUPERSETS.get(_without_language(encoding), ())):
        codec = _codec(name) or _codec(_without_language(name))
        if codec is not None:
            texts.append(tidy(data.decode(codec, "replace")))
    return texts


def same_text(text: str, references: list[str]) -> bool:
    return tidy(text) in references


def same_letters(text: str, references: list[str]) -> bool:
    """Whether the words beyond ASCII are the file's: readers drop markup, but may not make up letters."""
    found = set(_FOREIGN_WORD.findall(text))
    for reference in references:
        unescaped = html.unescape(reference)
        expected = {*_FOREIGN_WORD.findall(unescaped), *_FOREIGN_WORD.findall(_TAG.sub("", unescaped))}
        if not expected or (found and len(found & expected) >= _ENOUGH * len(found)):
            return True
    return False


def tidy(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\0", "")


def _without_language(name: str) -> str:
    """`iso-8859-2-czech` → `iso-8859-2`."""
    head, _, tail = name.rpartition("-")
    return head if tail.isalpha() and any(letter.isdigit() for letter in head) else name


def _codec(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None
