"""Text from outside without the characters that hide or reorder it, and data that is not too deep to walk."""

from __future__ import annotations

import re
from typing import Any

from knowgate.apis.values import is_list, is_object
from knowgate.errors import LimitError

Json = Any
_MAX_DEPTH = 200
_MAX_KEY = 200
# Control characters, soft hyphens, zero-width and bidirectional marks, invisible operators, tags. What joins letters
# and emoji is kept.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)


def clean_text(text: str) -> str:
    return _HIDDEN.sub("", text)


def clean(data: Json) -> tuple[Json, int]:
    """The data with clean texts and keys, and how many characters were taken out; LimitError when it is too deep."""
    cleaner = _Cleaner()
    return cleaner.value(data, 0), cleaner.removed


def too_deep() -> LimitError:
    message = f"The answer is nested deeper than {_MAX_DEPTH} levels."
    return LimitError("too_deep", message, "Ask for another part of it, or another format.")


class _Cleaner:
    def __init__(self) -> None:
        self.removed = 0

    def value(self, data: Json, depth: int) -> Json:
        if isinstance(data, str):
            return self._text(data)
        if (is_list(data) or is_object(data)) and depth >= _MAX_DEPTH:
            raise too_deep()
        if is_list(data):
            return [self.value(item, depth + 1) for item in data]
        if is_object(data):
            kept: dict[str, Json] = {}
            numbers: dict[str, int] = {}
            for key, value in data.items():
                kept[self._key(key, kept, numbers)] = self.value(value, depth + 1)
            return kept
        return data

    def _text(self, text: str) -> str:
        # Most texts are; both questions are answered much faster than the pattern looks.
        if text.isascii() and text.isprintable():
            return text
        cleaned, removed = _HIDDEN.subn("", text)
        self.removed += removed
        return cleaned

    def _key(self, key: str, taken: dict[str, Json], numbers: dict[str, int]) -> str:
        name = cleaned = self._text(key)[:_MAX_KEY]
        # Two keys that differ only in what cannot be seen are still two; numbers go on, for there may be very many.
        while name in taken:
            numbers[cleaned] = numbers.get(cleaned, 1) + 1
            name = f"{cleaned}~{numbers[cleaned]}"
        return name
