"""Rich Text Format: paragraphs, headings by outline level, table rows."""

from __future__ import annotations

import re

from knowgate.knowledge.parse.about import fields_of, finished
from knowgate.knowledge.parse.decode import tidy
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_texts
from knowgate.model import Parsed

_TOKEN = re.compile(
    rb"\\bin(\d{1,10}) ?|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|"
    rb"([{}])|([^\\{}\r\n]+)|[\r\n]+|\\"
)
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object objdata themedata "
    b"datastore colorschememapping latentstyles xmlnstbl header headerl headerr headerf footer footerl footerr footerf "
    b"filetbl revtbl nonshppict shppict sp fldinst mmathPr pgdsctbl bkmkstart bkmkend ftnsep ftnsepc aftnsep".split()
)
_INFO = {b"title": "title", b"author": "author", b"subject": "subject", b"keywords": "keywords"}
_SYMBOLS = b"emdash endash lquote rquote ldblquote rdblquote bullet tab line emspace enspace".split()
_LETTERS = dict(zip(_SYMBOLS, "—–‘’“”•\t\n  ", strict=True))
_CHARSETS = (128, 129, 134, 136, 161, 162, 163, 177, 178, 186, 204, 222, 238)
_PAGES = (932, 949, 936, 950, 1253, 1254, 1258, 1255, 1256, 1257, 1251, 874, 1250)
_CODE_PAGES = dict(zip(_CHARSETS, _PAGES, strict=True))
"""By a font's character set."""
_DEEPEST = 10_000


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    document = _Document()
    document.read(data)
    fields = {key: "".join(pieces) for key, pieces in document.info.items()}
    return finished(document.builder, "rtf", fields_of(**fields))


class _Document:
    """The state RTF is written against: groups nest, and each keeps its destination and font."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self.info: dict[str, list[str]] = {}
        self.pieces: list[str] = []
        self.raw = bytearray()
        self.row: list[str] = []
        self.rows: list[list[str]] = []
        self.groups: list[tuple[str | None, str, int]] = []
        self.target: str | None = ""
        """Where text goes: the document (empty), a field of the file's information, or nowhere (None)."""
        self.encoding = self.default = "cp1252"
        self.fonts: dict[int, str] = {}
        self.font = 0
        self.after_unicode, self.skip = 1, 0
        self.level = 0
        self.in_table = False

    def read(self, data: bytes) -> None:
        position = 0
        while match := _TOKEN.match(data, position):
            position = match.end()
            binary, word, number, code, symbol, brace, text = match.groups()
            if binary:
                position += int(binary)
            elif brace:
                self._group(brace)
            elif word:
                self._word(word, int(number) if number else None)
            elif code:
                self._bytes(bytes.fromhex(code.decode()))
            elif symbol:
                self._symbol(symbol)
            elif text:
                self._bytes(text)
        self._paragraph()
        self._end_table()

    def _group(self, brace: bytes) -> None:
        self._decode()
        if brace == b"{":
            if len(self.groups) < _DEEPEST:
                self.groups.append((self.target, self.encoding, self.after_unicode))
        elif self.groups:
            self.target, self.encoding, self.after_unicode = self.groups.pop()
        self.skip = 0

    def _word(self, word: bytes, number: int | None) -> None:
        if word == b"u":
            self._decode()
            self._say(_unicode(number or 0))
            self.skip = self.after_unicode
        elif word == b"uc":
            self.after_unicode = number or 0
        elif word in (b"par", b"sect", b"page"):
            self._paragraph()
        elif word == b"pard":
            self.level, self.in_table = 0, False
        elif word == b"intbl":
            self.in_table = True
        elif word == b"outlinelevel":
            self.level = (number or 0) + 1
        elif word in (b"cell", b"nestcell"):
            self._cell()
        elif word in (b"row", b"nestrow"):
            self.rows.append(self.row)
            self.row = []
        elif word == b"ansicpg" and number:
            self.encoding = self.default = f"cp{number}"
        elif word == b"f":
            self._decode()
            self.font = number or 0
            self.encoding = self.fonts.get(self.font, self.default)
        elif word == b"fcharset" and number in _CODE_PAGES:
            self.fonts[self.font] = f"cp{_CODE_PAGES[number]}"
        elif word in _LETTERS:
            self._decode()
            self._say(_LETTERS[word])
        elif word in _INFO and self.target == "info":
            self.target = _INFO[word]
        elif word == b"info":
            self.target = "info"
        elif word in _SKIPPED:
            self.target = None

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            # What follows may be ignored by who does not know it.
            self.target = None
        elif symbol == b"~":
            self._bytes(b" ")
        elif symbol in (b"\n", b"\r"):
            self._paragraph()
        elif symbol in b"\\{}":
            self._bytes(symbol)

    def _bytes(self, data: bytes) -> None:
        if self.skip:
            dropped = min(self.skip, len(data))
            self.skip -= dropped
            data = data[dropped:]
        self.raw += data

    def _decode(self) -> None:
        """Bytes are gathered first, since a character may take two."""
        if not self.raw:
            return
        try:
            text = self.raw.decode(self.encoding, "replace")
        except LookupError:
            text = self.raw.decode("cp1252", "replace")
        self.raw.clear()
        self._say(text)

    def _say(self, text: str) -> None:
        if self.target == "":
            self.pieces.append(text)
        elif self.target:
            self.info.setdefault(self.target, []).append(text)

    def _taken(self) -> str:
        self._decode()
        said = "".join(self.pieces).strip()
        self.pieces.clear()
        # Characters beyond the first 65,536 are written as two halves.
        return tidy(said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def _cell(self) -> None:
        self.row.append(self._taken())

    def _paragraph(self) -> None:
        if self.target is None or (said := self._taken()) == "":
            return
        if self.in_table:
            self.pieces.append(said + " ")
            return
        self._end_table()
        if 1 <= self.level <= 6:
            self.builder.add("heading", " ".join(said.split()), level=self.level)
        else:
            self.builder.add("text", said)

    def _end_table(self) -> None:
        for text in table_texts(row for row in self.rows if any(row)):
            self.builder.add("table", text)
        self.rows.clear()


def _unicode(number: int) -> str:
    return chr(number % 65536)
