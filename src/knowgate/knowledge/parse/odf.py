"""OpenDocument texts and presentations (ODT, ODP): headings, lists, tables, notes; deleted passages stay deleted."""

from __future__ import annotations

from collections.abc import Iterator

from knowgate.knowledge.parse.about import fields_of, finished
from knowgate.knowledge.parse.archive import Archive, corrupt, encrypted
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_text
from knowgate.knowledge.parse.xml import (
    Element,
    attribute,
    child,
    children,
    descend,
    inner_text,
    local,
    number,
    parse_xml,
)
from knowgate.model import FieldValue, Parsed

_META = {
    "title": "title",
    "initial-creator": "author",
    "subject": "subject",
    "keyword": "keywords",
    "description": "description",
    "creation-date": "created",
    "date": "modified",
}
_SKIPPED = {
    "tracked-changes",
    "annotation",
    "annotation-end",
    "sequence-decls",
    "forms",
    "user-field-decls",
    "notes-configuration",
}
_SHORT = 60


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    archive = Archive(data, "OpenDocument", options.max_expanded_bytes)
    refuse_encrypted(archive)
    root = parse_xml(archive.read("content.xml"), "OpenDocument")
    styles = [descend(root, "automatic-styles")]
    if (named := archive.get("styles.xml")) is not None:
        styles.append(descend(parse_xml(named, "OpenDocument"), "styles"))
    body = next(children(descend(root, "body")), None)
    if body is None:
        raise corrupt("OpenDocument")
    walk = _Walk(archive, styles)
    kind = "odp" if local(body) == "presentation" else "odt"
    for page, element in enumerate(children(body, "page"), 1) if kind == "odp" else [(None, body)]:
        walk.page = page
        walk.blocks(element)
    return finished(walk.out, kind, properties(archive))


def refuse_encrypted(archive: Archive) -> None:
    if b"encryption-data" in (archive.get("META-INF/manifest.xml") or b""):
        raise encrypted("OpenDocument")


def properties(archive: Archive) -> dict[str, FieldValue]:
    data = archive.get("meta.xml")
    meta = descend(parse_xml(data, "OpenDocument"), "meta") if data else None
    said = {local(each): inner_text(each) for each in children(meta)}
    return fields_of(**{name: said.get(key) for key, name in _META.items()})


class _Walk:
    def __init__(self, archive: Archive, styles: list[Element | None]) -> None:
        self.out = TextBuilder()
        self.page: int | None = None
        self._archive = archive
        self._parents: dict[str, str] = {}
        self._numbered: set[str] = set()
        self._noted = 0
        self._after: list[Element] = []
        for group in styles:
            for style in children(group):
                self._parents[attribute(style, "name")] = attribute(style, "parent-style-name")
                if local(style) == "list-style" and child(style, "list-level-style-number") is not None:
                    self._numbered.add(attribute(style, "name"))

    def blocks(self, parent: Element) -> None:
        for element in children(parent):
            name = local(element)
            if name == "h":
                level = min(max(number(attribute(element, "outline-level"), 1), 1), 6)
                self._add_heading(element, level)
            elif name == "p":
                self._paragraph(element)
            elif name == "list":
                self.out.add("text", "\n".join(self._items(element, 0, "")), page=self.page)
                self._attachments()
            elif name == "table":
                self._table(element)
            elif name == "frame":
                self._frame(element)
            elif name == "notes":
                self._notes(element)
            elif name not in _SKIPPED:
                self.blocks(element)

    def _add_heading(self, element: Element, level: int) -> None:
        self.out.add("heading", " ".join(self._inline(element).split()), level=level, page=self.page)
        self._attachments()

    def _paragraph(self, element: Element) -> None:
        style = self._root_style(attribute(element, "style-name"))
        if style == "Title":
            self._add_heading(element, 1)
        else:
            self.out.add("text", self._inline(element).strip(), page=self.page)
            self._attachments()

    def _root_style(self, style: str) -> str:
        for _ in range(20):
            if style == "Title" or not self._parents.get(style):
                break
            style = self._parents[style]
        return style

    def _attachments(self) -> None:
        after, self._after = self._after, []
        for element in after:
            if local(element) == "frame":
                self._frame(element)
            else:
                self.blocks(element)

    def _frame(self, frame: Element) -> None:
        """A frame holds a text box, a table, a chart or a picture; a slide's title is a frame that says so."""
        kind = attribute(frame, "class")
        if kind in ("title", "subtitle") and self.page:
            level = 1 if kind == "title" else 2
            self.out.add("heading", " ".join(self._plain(frame).split()), level=level, page=self.page)
            return
        for element in children(frame):
            name = local(element)
            if name == "object":
                self._object(attribute(element, "href"))
            elif name == "text-box":
                self.blocks(element)
            elif name == "table":
                self._table(element)

    def _object(self, href: str) -> None:
        """A chart keeps its numbers as a table in a document of its own."""
        data = self._archive.get(href.removeprefix("./") + "/content.xml") if href else None
        if data is None:
            return
        for element in parse_xml(data, "OpenDocument").iter():
            if local(element) == "table":
                self._table(element)

    def _notes(self, notes: Element) -> None:
        text = " ".join(self._plain(notes).split())
        if text:
            self.out.add("text", f"Notes: {text}", page=self.page)

    def _plain(self, element: Element) -> str:
        return "\n".join(
            self._inline(each) for each in element.iter() if local(each) in ("p", "h") and not _inside_note(each)
        ).strip()

    def _items(self, element: Element, depth: int, style: str) -> Iterator[str]:
        style = attribute(element, "style-name") or style
        count = 0
        for item in children(element):
            if local(item) not in ("list-item", "list-header"):
                continue
            first = True
            for part in children(item):
                if local(part) == "list":
                    yield from self._items(part, depth + 1, style)
                elif text := self._inline(part).strip():
                    count += first
                    mark = f"{count}." if style in self._numbered else "-"
                    yield f"{'  ' * depth}{mark if first else ' '} {text}"
                    first = False

    def _inline(self, element: Element) -> str:
        return "".join(self._pieces(element))

    def _pieces(self, element: Element) -> Iterator[str]:
        yield element.text or ""
        for each in children(element):
            name = local(each)
            if name == "s":
                yield " " * min(number(attribute(each, "c"), 1), 100)
            elif name == "tab":
                yield " "
            elif name == "line-break":
                yield "\n"
            elif name == "note":
                self._noted += 1
                self._after += children(each, "note-body")
                yield f" [{self._noted}] "
            elif name == "frame":
                self._after.append(each)
            elif name not in _SKIPPED:
                yield from self._pieces(each)
            yield each.tail or ""

    def _table(self, table: Element) -> None:
        rows = self._rows(table)
        if len(rows) == 1 and len(rows[0]) == 1:
            self.out.add("text", rows[0][0], page=self.page)
        else:
            self.out.add("table", table_text(rows), page=self.page)
        self._attachments()

    def _rows(self, table: Element) -> list[list[str]]:
        rows: list[list[str]] = []
        hanging: dict[int, tuple[int, str]] = {}
        for row in _table_rows(table):
            cells: list[str] = []
            for cell in children(row):
                repeat = min(max(number(attribute(cell, "number-columns-repeated"), 1), 1), 64)
                if local(cell) == "covered-table-cell":
                    for _ in range(repeat):
                        left, text = hanging.get(len(cells), (0, ""))
                        hanging[len(cells)] = (left - 1, text)
                        cells.append(text if left > 0 else "")
                elif local(cell) == "table-cell":
                    text = self._cell(cell)
                    kept = text if len(text) <= _SHORT else ""
                    for offset in range(min(max(number(attribute(cell, "number-columns-spanned"), 1), 1), 64)):
                        below = min(number(attribute(cell, "number-rows-spanned"), 1), 1000)
                        hanging[len(cells) + offset] = (below if offset else below - 1, kept)
                    cells += [text] * repeat
            rows.append(cells)
        while rows and not any(rows[-1]):
            rows.pop()
        width = max((index + 1 for row in rows for index, cell in enumerate(row) if cell), default=0)
        return [row[:width] for row in rows]

    def _cell(self, cell: Element) -> str:
        parts: list[str] = []
        for element in children(cell):
            name = local(element)
            if name == "list":
                parts += self._items(element, 0, "")
            elif name == "table":
                parts += [" ".join(filter(None, row)) for row in self._rows(element)]
            elif name in ("p", "h"):
                parts.append(self._inline(element))
        return " ".join(" ".join(parts).split())


def _table_rows(table: Element) -> Iterator[Element]:
    for element in children(table):
        if local(element) == "table-row":
            # A repeated row is filler unless it is short: spreadsheets fill their grid with a million of them.
            for _ in range(min(max(number(attribute(element, "number-rows-repeated"), 1), 1), 64)):
                yield element
        elif local(element) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _table_rows(element)


def _inside_note(element: Element) -> bool:
    return any(local(above) == "note-body" for above in element.iterancestors())
