"""Presentations: a slide is a page, its title a heading; text, tables, charts, comments and speaker notes follow."""

from __future__ import annotations

from dataclasses import dataclass

from knowgate.knowledge.parse.about import finished
from knowgate.knowledge.parse.omml import latex
from knowgate.knowledge.parse.opc import Package, chart_rows
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder, table_text
from knowgate.knowledge.parse.xml import Element, attribute, child, children, descend, inner_text, local, number
from knowgate.model import Parsed

ROW = 360_000
"""Shapes whose tops lie within this (a centimetre) are side by side."""
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
"""Placeholders that say the same on every slide."""


@dataclass(frozen=True, slots=True)
class _Shape:
    element: Element
    placeholder: str
    place: tuple[int, int]


def read(data: bytes, name: str, options: ParseOptions) -> Parsed:  # noqa: ARG001 - the readers' common signature
    package = Package(data, "PowerPoint", options.max_expanded_bytes)
    main = package.main_part()
    relations = package.relations(main)
    out = TextBuilder()
    for page, entry in enumerate(children(child(package.part(main), "sldIdLst"), "sldId"), 1):
        # `id` without a namespace is the slide's own number, the relation is the one with a namespace.
        target = next((relations[value][1] for value in entry.attrib.values() if value in relations), "")
        slide = package.optional_part(target)
        if slide is not None:
            _slide(package, target, slide, page, out)
    return finished(out, "pptx", package.properties())


def _slide(package: Package, part: str, slide: Element, page: int, out: TextBuilder) -> None:
    shapes = [shape for shape in _shapes(descend(slide, "cSld", "spTree")) if shape.placeholder not in _FURNITURE]
    for shape in shapes:
        if shape.placeholder in _TITLES:
            out.add("heading", " ".join(_lines(shape.element, plain=True).split()), level=1, page=page)
    for shape in shapes:
        if shape.placeholder not in _TITLES:
            _content(package, part, shape.element, page, out)
    for kind, target in package.relations(part).values():
        if kind == "comments":
            for comment in _comments(package.optional_part(target)):
                out.add("text", f"Comment: {comment}", page=page)
    notes = package.optional_part(package.related(part, "notesSlide"))
    for shape in _shapes(descend(notes, "cSld", "spTree")):
        if shape.placeholder == "body" and (text := _lines(shape.element, plain=True)):
            out.add("text", f"Notes: {text}", page=page)


def _shapes(tree: Element | None, group: tuple[int, int] | None = None) -> list[_Shape]:
    """The shapes of a slide from top to bottom, groups opened up."""
    shapes: list[_Shape] = []
    for element in children(tree):
        name = local(element)
        if name in ("sp", "graphicFrame", "cxnSp"):
            shapes.append(_Shape(element, _placeholder(element), group or _place(element)))
        elif name == "grpSp":
            shapes += _shapes(element, group or _place(element))
        elif name == "AlternateContent":
            shapes += _shapes(child(element, "Choice"), group)
    return sorted(shapes, key=lambda shape: shape.place)


def _content(package: Package, part: str, element: Element, page: int, out: TextBuilder) -> None:
    if local(element) != "graphicFrame":
        out.add("text", _lines(element), page=page)
        return
    for each in element.iter():
        name = local(each)
        if name == "tbl":
            out.add("table", table_text(_rows(each)), page=page)
        elif name == "chart":
            chart = package.optional_part(package.relations(part).get(attribute(each, "id"), ("", ""))[1])
            if chart is not None:
                out.add("text", _chart_title(chart), page=page)
                out.add("table", table_text(chart_rows(chart)), page=page)
        elif name == "relIds":
            # A SmartArt drawing: its words are in a part of its own.
            drawing = package.optional_part(package.relations(part).get(attribute(each, "dm"), ("", ""))[1])
            words = [inner_text(text) for text in (drawing.iter() if drawing is not None else ()) if local(text) == "t"]
            out.add("text", "\n".join(f"- {word}" for word in words if word), page=page)


def _rows(table: Element) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in children(table, "tr"):
        cells: list[str] = []
        for cell in children(row, "tc"):
            text = _lines(cell, plain=True)
            if not text and cell.get("hMerge", "") in ("1", "true") and cells:
                text = cells[-1]
            elif not text and cell.get("vMerge", "") in ("1", "true") and rows and len(cells) < len(rows[-1]):
                text = rows[-1][len(cells)]
            cells.append(text)
        rows.append(cells)
    return rows


def _lines(element: Element, *, plain: bool = False) -> str:
    """The paragraphs of a shape or cell, one a line, list items marked unless `plain`."""
    body = child(element, "txBody")
    lines: list[str] = []
    count: dict[int, int] = {}
    for paragraph in children(body, "p"):
        text = _paragraph(paragraph).strip()
        if not text:
            continue
        properties = child(paragraph, "pPr")
        level = min(max(number(attribute(properties, "lvl")), 0), 8) if properties is not None else 0
        numbered = child(properties, "buAutoNum") if properties is not None else None
        marked = properties is not None and (child(properties, "buChar") is not None)
        count = {depth: value for depth, value in count.items() if depth <= level}
        if plain:
            lines.append(text)
        elif numbered is not None:
            count[level] = count.get(level, number(attribute(numbered, "startAt"), 1) - 1) + 1
            lines.append(f"{'  ' * level}{count[level]}. {text}")
        else:
            lines.append(f"{'  ' * level}- {text}" if marked or level else text)
    return "\n".join(lines)


def _paragraph(paragraph: Element) -> str:
    parts: list[str] = []
    for each in children(paragraph):
        name = local(each)
        if name in ("r", "fld"):
            parts.append("".join(text.text or "" for text in children(each, "t")))
        elif name == "br":
            parts.append("\n")
        elif name in ("m", "oMath", "oMathPara"):
            parts.append(f" ${latex(each).strip()}$ ")
        elif name in ("AlternateContent", "Choice"):
            parts.append(_paragraph(each))
    return "".join(parts).replace("\v", "\n")


def _comments(root: Element | None) -> list[str]:
    """Both the old form (`cm` with `text`) and the threaded one (`cm` and `reply` with `txBody`)."""
    comments = (each for each in (root.iter() if root is not None else ()) if local(each) in ("cm", "reply"))
    found = (inner_text(child(each, "text")) or _lines(each, plain=True) for each in comments)
    return [" ".join(text.split()) for text in found if text]


def _chart_title(chart: Element) -> str:
    title = descend(chart, "chart", "title")
    return "".join(text.text or "" for text in (title.iter() if title is not None else ()) if local(text) == "t")


def _placeholder(element: Element) -> str:
    for each in element.iter():
        if local(each) == "ph":
            return attribute(each, "type") or "body"
        if local(each) == "txBody":
            break
    return ""


def _place(element: Element) -> tuple[int, int]:
    """Down, then across; a placeholder that leaves its place to the layout comes first, as the layout has it."""
    offset = next((each for each in element.iter() if local(each) == "off"), None)
    return (number(attribute(offset, "y")) // ROW, number(attribute(offset, "x"))) if offset is not None else (0, 0)
