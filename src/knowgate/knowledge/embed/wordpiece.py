"""BERT's WordPiece tokenizer, equal to the `tokenizers` library token for token.

Every step of it works inside one whitespace-separated word, so a word seen before costs one dictionary lookup.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

_MAX_WORD = 100
"""A longer word is one unknown token."""
_CACHED_WORD = 32
"""Longer ones hardly ever come back, and unspaced scripts would fill the cache with sentences."""
_CACHE_SIZE = 50_000

_JOINING_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
"""Space to Python, but control characters to BERT: they vanish and join what they stand between."""

_CJK = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)

_LATER = """
    5c8-5c9 61d 7fd 890-89f 8ca-8e2 9fd-9fe a76 afa-aff b53-b55 c04 c3c c77 c84 d00 d3b-d3c d81 eba ece 180f
    1885-1886 1abf-1af0 1b4e-1b4f 1b7d-1b7f 1df6-1dfb 2e43-2e4f 2e52-2e63 a82c a8c5 a8ff a9bd 10d24-10d27
    10d69-10d6e 10eab-10ead 10ecb-10ed0 10ef0-10eff 10f46-10f50 10f55-10f59 10f82-10f89 11070 11073-11074
    110c2-110cd 111c9 111cf 1123e 11241 1133b 113bb-113c0 113ce 113d0 113d2 113d4-113e2 11438-1143f 11442-11444
    11446 1144b-1144f 1145a-1145e 11660-1166c 116b9 1182f-11837 11839-1183b 1193b-1193c 1193e 11943-11946
    119d4-119db 119e0 119e2 11a01-11a0a 11a33-11a38 11a3b-11a47 11a51-11a56 11a59-11a5b 11a8a-11a96 11a98-11a9c
    11a9e-11aa2 11b00-11b09 11b60 11b62-11b64 11b66 11be1 11c30-11c3d 11c3f 11c41-11c45 11c70-11c71 11c92-11ca7
    11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d45 11d47 11d90-11d91 11d95 11d97 11df0 11ef3-11ef4 11ef7-11f01
    11f36-11f3a 11f40 11f42-11f4f 11f5a 11fff 12ff1-12ff2 13430-13440 13447-13455 1611e-16129 1612d-1612f
    16d6d-16d6f 16e97-16e9a 16f4f 16fe2 16fe4 1cf00-1cf46 1d127-1d128 1d25b-1d25c 1e000-1e02a 1e08f 1e130-1e136
    1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e5ff 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5 1e944-1e94a 1e95e-1e95f
"""
"""Marks, format characters and punctuation younger than Unicode 8: unknown letters to the reference."""
_THEN_PUNCTUATION = "\u166d\U000111c9"
_THEN_MARKS = "\u1734\U0001171e"


def _later() -> frozenset[int]:
    spans = (span.partition("-") for span in _LATER.split())
    return frozenset(code for low, _, high in spans for code in range(int(low, 16), int(high or low, 16) + 1))


class _CleanTable(dict[int, str | None]):
    """For `str.translate`: drops control characters, makes every space a blank, sets Chinese characters apart."""

    def __init__(self, later: frozenset[int]) -> None:
        super().__init__({ord(space): " " for space in "\t\n\r"})
        self[0xFFFD] = None
        self._later = later

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        if code not in self._later and unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
            value = None
        elif char.isspace():
            value = " "
        else:
            value = f" {char} " if _CJK.match(char) else char
        self[code] = value
        return value


class _SplitTable(dict[int, str | None]):
    """For `str.translate` on decomposed text: drops accents, sets punctuation apart."""

    def __init__(self, later: frozenset[int]) -> None:
        super().__init__({ord(char): f" {char} " for char in _THEN_PUNCTUATION})
        self.update(dict.fromkeys(map(ord, _THEN_MARKS)))
        # Python's `lower` knows the final sigma, the reference does not.
        self[ord("Σ")] = "σ"
        self._later = later

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        category = "" if code in self._later else unicodedata.category(char)
        value = char
        if category == "Mn":
            value = None
        elif category.startswith("P") or (char.isascii() and char.isprintable() and not char.isalnum() and char != " "):
            value = f" {char} "
        self[code] = value
        return value


class _Words(dict[str, tuple[int, ...]]):
    """Word to pieces, filled as words are met."""

    def __init__(self, tokenizer: WordPiece) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> tuple[int, ...]:
        pieces = tuple(chain.from_iterable(map(self._tokenizer.pieces, self._tokenizer.words(word))))
        if len(word) <= _CACHED_WORD:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[word] = pieces
        return pieces


@dataclass(frozen=True)
class WordPiece:
    vocabulary: Mapping[str, int]
    special: Mapping[str, int]
    """Written out in a text they are taken for themselves, as the reference does."""

    @classmethod
    def from_json(cls, data: bytes) -> WordPiece:
        """Reads a `tokenizer.json`."""
        import orjson

        description = orjson.loads(data)
        special = {token["content"]: token["id"] for token in description["added_tokens"]}
        return cls(description["model"]["vocab"], special)

    def encode(self, text: str, limit: int) -> list[int]:
        """At most `limit` ids, `[CLS]` and `[SEP]` among them."""
        return [self.special["[CLS]"], *islice(self._ids(text), limit - 2), self.special["[SEP]"]]

    def count(self, text: str) -> int:
        """How many ids the text has, without `[CLS]` and `[SEP]`."""
        lookup = self._cache.__getitem__
        return sum(
            1 if part in self.special else sum(map(len, map(lookup, part.split()))) for part in self._parts(text)
        )

    def words(self, text: str) -> list[str]:
        """Lower-case words without accents; punctuation marks and Chinese characters are words."""
        clean, split = self._tables
        return unicodedata.normalize("NFD", text.translate(clean)).translate(split).lower().split()

    def pieces(self, word: str) -> tuple[int, ...]:
        """The longest known beginning, then the longest known continuation, and so on; unknown if that fails."""
        known = self.vocabulary.get(word)
        if known is not None:
            return (known,)
        pieces: list[int] = []
        start = 0
        while start < len(word) <= _MAX_WORD:
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self.vocabulary.get(prefix + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return (self.special["[UNK]"],)
        return tuple(pieces) if pieces else (self.special["[UNK]"],)

    def fluency(self, text: str) -> float:
        """Words per piece, over words with letters; a Chinese character and an unknown word count as no word known."""
        known = total = 0
        for word in self.words(text):
            if not word[0].isalpha():
                continue
            pieces = self.pieces(word)
            total += len(pieces)
            known += pieces[0] != self.special["[UNK]"] and not _CJK.match(word)
        return known / total if total else 1.0

    def _ids(self, text: str) -> Iterator[int]:
        lookup = self._cache.__getitem__
        for part in self._parts(text):
            if part in self.special:
                yield self.special[part]
            else:
                yield from chain.from_iterable(map(lookup, part.split()))

    def _parts(self, text: str) -> list[str]:
        text = _JOINING_SPACE.sub("", text)
        return self._special_pattern.split(text) if "[" in text else [text]

    @cached_property
    def _cache(self) -> _Words:
        return _Words(self)

    @cached_property
    def _tables(self) -> tuple[_CleanTable, _SplitTable]:
        later = _later()
        return _CleanTable(later), _SplitTable(later)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.vocabulary))

    @cached_property
    def _special_pattern(self) -> re.Pattern[str]:
        return re.compile(f"({'|'.join(map(re.escape, self.special))})")
