"""Word documents: headings, lists, tables, text boxes, notes; insertions kept, deletions dropped."""

from __future__ import annotations

from collections.abc import Iterator

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.docx_styles import Numbering, Style, list_place, outline_level, read_styles
from knowgate.knowledge.parse.omml import latex
from knowgate.knowledge.parse.opc import Package, chart_rows
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_text
from knowgate.knowledge.parse.xml import Element, attribute, child, children, descend, local, number
from knowgate.model import Parsed

SHORT = 60
"""A merged cell is repeated in every cell it covers while it is this short: a label then reads in each row."""

_GONE = {"del", "moveFrom", "delText", "instrText", "pPr", "rPr", "sdtPr", "Fallback", "rt", "txbxContent"}
_LITERAL = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    package = Package(data, "Word", options.max_expanded_bytes)
    main = package.main_part()
    body = _Body(package, main)
    document = package.part(main)
    body.blocks(child(document, "body") if local(document) == "document" else document)
    return finished(body.finish(), "docx", package.properties())


class _Body:
    """Walks the document once and collects its blocks; consecutive list items and code lines become one block."""

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._main = main
        self._out = TextBuilder()
        self._styles = read_styles(package.optional_part(package.related(main, "styles")))
        self._numbering = Numbering.read(package.optional_part(package.related(main, "numbering")))
        self._notes = {
            kind: {attribute(note, "id"): note for note in children(package.optional_part(package.related(main, part)))}
            for kind, part in (("footnoteReference", "footnotes"), ("endnoteReference", "endnotes"))
        }
        self._noted = 0
        self._after: list[Element] = []
        self._run: tuple[str, list[str]] = ("", [])

    def finish(self) -> TextBuilder:
        self._flush()
        return self._out

    def blocks(self, parent: Element | None) -> None:
        for element in children(parent):
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name not in _GONE and name != "sectPr":
                self.blocks(element)

    def _paragraph(self, element: Element) -> None:
        properties = child(element, "pPr")
        style = self._styles.get(_style_id(properties), Style())
        text = self._inline(element).strip()
        level = outline_level(properties, style.level)
        place = list_place(properties, style.numbering)
        if not text:
            pass
        elif place:
            label = self._numbering.label(*place)
            if level:
                self._heading(f"{label} {text}" if label not in ("", "-") else text, level)
            else:
                self._line("list", f"{'  ' * place[1]}{label} {text}" if label else text)
        elif level:
            self._heading(text, level)
        elif style.code:
            self._line("code", text)
        else:
            self._flush()
            self._out.add("text", text)
        self._attachments()

    def _heading(self, text: str, level: int) -> None:
        self._flush()
        self._out.add("heading", " ".join(text.split()), level=level)

    def _line(self, kind: str, text: str) -> None:
        if self._run[0] != kind:
            self._flush()
            self._run = (kind, [])
        self._run[1].append(text)

    def _flush(self) -> None:
        kind, lines = self._run
        self._run = ("", [])
        if lines:
            self._out.add("code" if kind == "code" else "text", "\n".join(lines))

    def _attachments(self) -> None:
        """Notes, text boxes and charts that hang on what was just read."""
        after, self._after = self._after, []
        for element in after:
            self._flush()
            if local(element) == "chart":
                self._chart(attribute(element, "id"))
            else:
                self.blocks(element)

    def _chart(self, relation: str) -> None:
        _, target = self._package.relations(self._main).get(relation, ("", ""))
        chart = self._package.optional_part(target)
        if chart is not None and (rows := chart_rows(chart)):
            self._out.add("table", table_text(rows))

    def _inline(self, element: Element) -> str:
        return "".join(self._pieces(element))

    def _pieces(self, element: Element) -> Iterator[str]:
        for each in element:
            name = local(each)
            if name == "t":
                yield each.text or ""
            elif name in _LITERAL:
                yield _LITERAL[name]
            elif name in ("oMath", "oMathPara"):
                yield f" ${latex(each).strip()}$ "
            elif name == "sdt" and (box := descend(each, "sdtPr", "checkbox", "checked")) is not None:
                yield "[x]" if attribute(box, "val") in ("1", "true") else "[ ]"
            elif name in self._notes:
                yield self._note(each, name)
            elif name in ("drawing", "pict", "object"):
                self._collect(each)
            elif name not in _GONE:
                yield from self._pieces(each)

    def _note(self, reference: Element, kind: str) -> str:
        note = self._notes[kind].get(attribute(reference, "id"))
        if note is None:
            return ""
        self._noted += 1
        self._after.append(note)
        return f" [{self._noted}] "

    def _collect(self, drawing: Element) -> None:
        for each in children(drawing):
            name = local(each)
            if name in ("txbxContent", "chart"):
                self._after.append(each)
            elif name != "Fallback":
                self._collect(each)

    def _table(self, table: Element) -> None:
        self._flush()
        cells = [cell for row in _through(table, "tr") for cell in _through(row, "tc")]
        if len(cells) == 1:
            # A table of one cell is a frame around ordinary paragraphs.
            self.blocks(cells[0])
        else:
            self._out.add("table", table_text(self._rows(table)))
            self._attachments()

    def _rows(self, table: Element) -> list[list[str]]:
        rows: list[list[str]] = []
        for row in _through(table, "tr"):
            cells: list[str] = [""] * _span(descend(row, "trPr", "gridBefore"), 0)
            for cell in _through(row, "tc"):
                properties = child(cell, "tcPr")
                text = self._cell(cell)
                merge = descend(properties, "vMerge")
                if merge is not None and attribute(merge, "val") != "restart" and not text and rows:
                    above = rows[-1][len(cells)] if len(cells) < len(rows[-1]) else ""
                    text = above if len(above) <= SHORT else ""
                extra = _span(descend(properties, "gridSpan"), 1) - 1
                cells += [text, *([text if len(text) <= SHORT else ""] * extra)]
            rows.append(cells)
        return rows

    def _cell(self, cell: Element) -> str:
        parts: list[str] = []
        for element in children(cell):
            name = local(element)
            if name == "p":
                properties = child(element, "pPr")
                style = self._styles.get(_style_id(properties), Style())
                text = self._inline(element).strip()
                if text and (place := list_place(properties, style.numbering)):
                    text = f"{self._numbering.label(*place)} {text}"
                parts.append(text)
            elif name == "tbl":
                parts += [" ".join(filter(None, row)) for row in self._rows(element)]
            elif name not in _GONE and name != "tcPr":
                parts.append(self._cell(element))
        return " ".join(filter(None, parts)).strip()


def _through(parent: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also those wrapped in content controls or tracked insertions."""
    for element in children(parent):
        if local(element) == name:
            yield element
        elif local(element) in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from _through(element, name)


def _style_id(properties: Element | None) -> str:
    style = descend(properties, "pStyle")
    return "" if style is None else attribute(style, "val")


def _span(element: Element | None, default: int) -> int:
    # Word itself allows 63 columns; a hostile file may say a million.
    return default if element is None else min(max(number(attribute(element, "val"), default), default), 64)
