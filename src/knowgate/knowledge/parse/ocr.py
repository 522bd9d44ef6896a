"""Reading pictures of text, with the extra `ocr` (rapidocr, its models come inside the package)."""

from __future__ import annotations

import importlib.util
import io
import statistics
import warnings
from collections.abc import Iterator
from typing import Any

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.archive import corrupt
from knowgate.knowledge.parse.pdf_layout import Layout, page_blocks, usual_leading, vocabulary_of
from knowgate.knowledge.parse.pdfium import Line, Page, Word
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import Parsed

HOW = 'To read scanned pages: pip install "knowgate[ocr]", and set parse.ocr = true in knowgate.toml.'
MAX_PIXELS = 50_000_000
MAX_FRAMES = 200
SURE = 0.5
"""Below this confidence the engine is guessing."""


class Ocr:
    """A loaded engine; loading takes a second and half a gigabyte, so one serves a whole document."""

    def __init__(self) -> None:
        if importlib.util.find_spec("rapidocr") is None:
            raise DocumentError(
                "ocr_missing", "Reading pictures of text needs an extra package.", 'Run: pip install "knowgate[ocr]"'
            )
        from rapidocr import RapidOCR  # pyright: ignore

        self._engine: Any = RapidOCR(params={"Global.log_level": "critical"})

    def page(self, picture: Any, number: int) -> Page:
        """The lines on a picture, placed as on a PDF page: upwards from the lower left corner."""
        height, width = picture.shape[:2]
        page = Page(number, float(width), float(height), drawn=True)
        result = self._engine(picture)
        found: list[tuple[str, list[list[float]]]] = []
        if result.txts is not None and result.boxes is not None:
            for text, box, score in zip(result.txts, result.boxes, result.scores, strict=True):
                if text.strip() and score >= SURE:
                    found.append((text.strip(), box.tolist()))
        # One size for all: the height of a box says more about its letters (g, A) than about the font.
        size = statistics.median(box[3][1] - box[0][1] for _, box in found) if found else 0.0
        for text, box in found:
            xs, ys = [point[0] for point in box], [height - point[1] for point in box]
            words = text.split()
            share = (max(xs) - min(xs)) / len(words)
            placed = [
                Word(word, min(xs) + share * index, min(ys), min(xs) + share * (index + 1), max(ys))
                for index, word in enumerate(words)
            ]
            page.lines.append(Line(placed, size).measure())
        return page


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    """A picture (PNG, JPEG, TIFF, WebP …); a picture of several pages is read page by page."""
    if not options.ocr:
        raise DocumentError("picture", "The file is a picture, and reading pictures is switched off.", HOW)
    engine = Ocr()
    layouts: list[Layout] = []
    mimes: set[str] = set()
    for number, (picture, mime) in enumerate(_frames(data), 1):
        mimes.add(mime)
        page = engine.page(picture, number)
        layouts.append(Layout(page, list(page.lines)))
    if not any(layout.items for layout in layouts):
        raise DocumentError("no_text", "No text could be read in the picture.", "Try a sharper or larger picture.")
    leading, vocabulary = usual_leading(layouts), vocabulary_of(layouts)
    out = TextBuilder()
    for layout in layouts:
        for kind, level, text in page_blocks(layout, leading, vocabulary):
            out.add(kind, text, level=level, page=layout.page.number)
    text, blocks = out.build()
    return Parsed(text, blocks, "image", mimes.pop())


def _frames(data: bytes) -> Iterator[tuple[Any, str]]:
    import numpy as np
    from PIL import Image, ImageSequence, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data)) as image:
                for number, frame in enumerate(ImageSequence.Iterator(image)):
                    if number == MAX_FRAMES or frame.width * frame.height > MAX_PIXELS:
                        raise DocumentError(
                            "too_large",
                            f"The picture has over {MAX_PIXELS // 1_000_000} million pixels or {MAX_FRAMES} pages.",
                            "Save it smaller and ingest it again.",
                        )
                    pixels = np.asarray(frame.convert("RGB"))[:, :, ::-1]
                    yield np.ascontiguousarray(pixels), Image.MIME.get(image.format or "", "image/*")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise corrupt("picture") from error
