"""PDF: pages with their headings, paragraphs and ruled tables; scanned pages by OCR when asked for."""

from __future__ import annotations

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.about import fields_of, finished, pdf_date
from knowgate.knowledge.parse.ocr import HOW, Ocr
from knowgate.knowledge.parse.pdf_headings import mark_headings
from knowgate.knowledge.parse.pdf_layout import (
    Layout,
    drop_furniture,
    page_blocks,
    usual_leading,
    vocabulary_of,
)
from knowgate.knowledge.parse.pdf_order import part_columns
from knowgate.knowledge.parse.pdf_tables import take_tables
from knowgate.knowledge.parse.pdfium import PdfFile, open_pdf
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import FieldValue, Parsed

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    with open_pdf(data) as pdf:
        layouts, scanned, warnings = _pages(pdf, options)
        outline = list(pdf.outline())
        fields = _fields(pdf)
    if not any(layout.items for layout in layouts):
        raise DocumentError("no_text", "The PDF holds no text, only pictures of pages or nothing at all.", HOW)
    if scanned:
        warnings.append(f"No text could be read on {_named(scanned)}." + ("" if options.ocr else f" {HOW}"))
    drop_furniture(layouts)
    mark_headings(layouts, outline)
    leading, vocabulary = usual_leading(layouts), vocabulary_of(layouts)
    out = TextBuilder()
    for layout in layouts:
        for kind, level, text in page_blocks(layout, leading, vocabulary):
            out.add(kind, text, level=level, page=layout.page.number)
    return finished(out, "pdf", fields, warnings)


def _pages(pdf: PdfFile, options: ParseOptions) -> tuple[list[Layout], list[int], list[str]]:
    """Every page's lines and tables, and the pages on which something is drawn but nothing could be read."""
    layouts: list[Layout] = []
    scanned: list[int] = []
    engine: Ocr | None = None
    left = MAX_CHARACTERS
    for number in range(1, min(len(pdf), MAX_PAGES) + 1):
        page = pdf.page(number)
        if not page.lines and page.drawn and options.ocr:
            engine = engine or Ocr()
            page = engine.page(pdf.picture(number), number)
        if not page.lines and page.drawn:
            scanned.append(number)
        page.lines = part_columns(page.lines)
        layouts.append(Layout(page, take_tables(page)))
        left -= sum(len(line.text) for line in page.lines)
        if left < 0:
            break
    if len(layouts) == len(pdf):
        return layouts, scanned, []
    return layouts, scanned, [f"Only the first {len(layouts)} of {len(pdf)} pages were read. Split the file."]


def _fields(pdf: PdfFile) -> dict[str, FieldValue]:
    info = pdf.info
    return fields_of(
        title=info.get("Title"),
        author=info.get("Author"),
        subject=info.get("Subject"),
        keywords=info.get("Keywords"),
        created=pdf_date(info.get("CreationDate", "")),
        modified=pdf_date(info.get("ModDate", "")),
        pages=len(pdf),
    )


def _named(pages: list[int]) -> str:
    shown = ", ".join(map(str, pages[:20])) + (f" and {len(pages) - 20} more" if len(pages) > 20 else "")
    return f"page {shown}" if len(pages) == 1 else f"pages {shown}"
