"""A thin, typed shell around PDFium: lines with their words and fonts, ruled lines, the outline, pictures of pages."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from knowgate.knowledge.parse.archive import corrupt, encrypted
from knowgate.knowledge.parse.pdf_rules import Rule, Turn, read_rules

HYPHEN = "\xad"
MAX_ENTRIES = 2_000
MAX_PAGE_GLYPHS = 200_000
_BOLD = re.compile(r"bold|black|heavy|demi", re.I)
_MONO = re.compile(r"mono|courier|consol|typewriter|fixed|cmtt", re.I)
# PDFium keeps its state per process and is not thread-safe, so the lock is per process too.
_PDFIUM = threading.Lock()


@dataclass(slots=True)
class Word:
    text: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Line:
    words: list[Word]
    size: float = 0.0
    bold: bool = False
    mono: bool = False
    text: str = ""
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    level: int = 0
    """Set when the line turns out to be a heading."""

    def measure(self) -> Line:
        self.text = " ".join(word.text for word in self.words)
        self.x0 = min(word.x0 for word in self.words)
        self.y0 = min(word.y0 for word in self.words)
        self.x1 = max(word.x1 for word in self.words)
        self.y1 = max(word.y1 for word in self.words)
        return self


@dataclass(slots=True)
class Page:
    number: int
    width: float
    height: float
    lines: list[Line] = field(default_factory=list[Line])
    rules: list[Rule] = field(default_factory=list[Rule])
    drawn: bool = False
    """Something is on the page, be it only a picture."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the outline."""

    title: str
    level: int
    page: int


class PdfFile:
    """An open PDF; only `open_pdf` makes one."""

    def __init__(self, document: Any, raw: Any) -> None:
        self._document = document
        self._raw = raw
        self._forms = bool(document.get_formtype())
        if self._forms:
            document.init_forms()

    def __len__(self) -> int:
        return len(self._document)

    @property
    def info(self) -> dict[str, str]:
        return cast("dict[str, str]", self._document.get_metadata_dict())

    def outline(self) -> Iterator[Entry]:
        for bookmark in islice(self._document.get_toc(max_depth=6), MAX_ENTRIES):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            if page is not None:
                yield Entry(str(bookmark.get_title()), min(int(bookmark.level) + 1, 6), int(page) + 1)

    def page(self, number: int) -> Page:
        page: Any = self._document[number - 1]
        try:
            if self._forms:
                # What was typed into form fields becomes part of the page.
                page.flatten()
            width, height = page.get_size()
            found = Page(number, float(width), float(height))
            found.drawn = self._raw.FPDFPage_CountObjects(page.raw) > 0
            turn = _turned(page.get_rotation(), found.width, found.height)
            text: Any = page.get_textpage()
            try:
                found.lines = _Glyphs(self._raw, text.raw, turn).lines()
            finally:
                text.close()
            found.rules = read_rules(self._raw, page.raw, turn)
            return found
        finally:
            page.close()

    def picture(self, number: int, dpi: int = 200) -> Any:
        """The page as a numpy array of pixels, blue first."""
        page: Any = self._document[number - 1]
        try:
            width, height = page.get_size()
            # A poster is drawn coarser, so that no page takes more than about 25 million pixels.
            scale = min(dpi / 72, (25_000_000 / max(width * height, 1)) ** 0.5)
            return page.render(scale=scale).to_numpy().copy()
        finally:
            page.close()


@contextmanager
def open_pdf(data: bytes) -> Generator[PdfFile]:
    import pypdfium2 as pdfium  # pyright: ignore[reportMissingTypeStubs]
    from pypdfium2 import raw  # pyright: ignore[reportMissingTypeStubs]

    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
                raise encrypted("PDF") from error
            raise corrupt("PDF") from error
        try:
            yield PdfFile(document, raw)
        except pdfium.PdfiumError as error:
            raise corrupt("PDF") from error
        finally:
            document.close()


class _Glyphs:
    """The characters of one page in the order of its content, gathered into words and lines."""

    def __init__(self, raw: Any, text: Any, turn: Turn) -> None:
        self._raw = raw
        self._text = text
        self._turn = turn
        self._rectangle: Any = raw.FS_RECTF()
        self._name = ctypes.create_string_buffer(128)

    def lines(self) -> list[Line]:
        lines: list[Line] = []
        words: list[Word] = []
        glyphs: list[int] = []
        signs: list[str] = []
        started = 0

        def end_word() -> None:
            nonlocal started
            if signs:
                words.append(self._word(signs, glyphs[started:]))
                signs.clear()
            started = len(glyphs)

        def end_line() -> None:
            nonlocal started
            end_word()
            if words:
                lines.append(self._line(words.copy(), glyphs))
            words.clear()
            glyphs.clear()
            started = 0

        code_at = self._raw.FPDFText_GetUnicode
        for index in range(min(self._raw.FPDFText_CountChars(self._text), MAX_PAGE_GLYPHS)):
            code: int = code_at(self._text, index)
            if code in (10, 13):
                end_line()
            elif code in (0x20, 0xA0, 0x09, 0x3000):
                end_word()
            elif sign := _sign(code):
                signs.append(sign)
                glyphs.append(index)
                if sign == HYPHEN and code != 0xAD:
                    end_line()
        end_line()
        return lines

    def _box(self, index: int) -> tuple[float, float, float, float]:
        box = self._rectangle
        self._raw.FPDFText_GetLooseCharBox(self._text, index, box)
        return self._turn(box.left, box.bottom, box.right, box.top)

    def _word(self, signs: list[str], glyphs: list[int]) -> Word:
        for index in range(len(signs) - 1):
            # PDFium turns the Arabic ligature lam-alef around: two letters in one box, the alef first.
            if (
                signs[index + 1] == "ل"
                and signs[index] in "اأإآ"
                and self._box(glyphs[index]) == self._box(glyphs[index + 1])
            ):
                signs[index], signs[index + 1] = signs[index + 1], signs[index]
        one, two = self._box(glyphs[0]), self._box(glyphs[-1])
        return Word("".join(signs), min(one[0], two[0]), min(one[1], two[1]), max(one[2], two[2]), max(one[3], two[3]))

    def _line(self, words: list[Word], glyphs: list[int]) -> Line:
        samples = {glyphs[0], glyphs[len(glyphs) // 2], glyphs[-1]}
        fonts = [self._font(index) for index in samples]
        line = Line(
            words, max(font[0] for font in fonts), all(font[1] for font in fonts), all(font[2] for font in fonts)
        )
        return line.measure()

    def _font(self, index: int) -> tuple[float, bool, bool]:
        matrix = self._raw.FS_MATRIX()
        scale = 1.0
        if self._raw.FPDFText_GetMatrix(self._text, index, matrix):
            scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
        size: float = self._raw.FPDFText_GetFontSize(self._text, index) * scale
        flags = ctypes.c_int()
        length: int = self._raw.FPDFText_GetFontInfo(self._text, index, self._name, len(self._name), flags)
        name = self._name.raw[: max(min(length, len(self._name)) - 1, 0)].decode("utf-8", "replace")
        weight: int = self._raw.FPDFText_GetFontWeight(self._text, index)
        bold = weight >= 600 or bool(_BOLD.search(name)) or bool(flags.value & 1 << 18)
        return size, bold, bool(flags.value & 1) or bool(_MONO.search(name))


def _sign(code: int) -> str:
    if code in (2, 0xFFFE, 0xAD):
        # The first two are how PDFium marks a hyphen at the end of a line; it leaves out the line break then.
        return HYPHEN
    if code < 32 or 0xD800 <= code < 0xE000 or code == 0xFFFF or code > 0x10FFFF:
        return ""
    # Symbol fonts put their bullets into the private area.
    return "•" if 0xE000 <= code < 0xF900 or code == 0x7F else chr(code)


def _turned(rotation: int, width: float, height: float) -> Turn:
    """Box -> box as the reader sees it, for a page stored sideways."""

    def turn(x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
        if rotation == 90:
            return y0, height - x1, y1, height - x0
        if rotation == 180:
            return width - x1, height - y1, width - x0, height - y0
        if rotation == 270:
            return width - y1, x0, width - y0, x1
        return x0, y0, x1, y1

    return turn
