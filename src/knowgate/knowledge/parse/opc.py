"""What DOCX and PPTX share: parts, the relations between them, core properties, drawn text, charts."""

from __future__ import annotations

import posixpath

from knowgate.knowledge.parse.about import fields_of
from knowgate.knowledge.parse.archive import Archive, corrupt
from knowgate.knowledge.parse.xml import Element, attribute, child, children, inner_text, local, number, parse_xml
from knowgate.model import FieldValue

_CORE = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "created": "created",
    "modified": "modified",
}


class Package:
    """An Office Open XML file: parts by name, and from a part to its neighbours by relation."""

    def __init__(self, data: bytes, kind: str, limit: int) -> None:
        self.kind = kind
        self.archive = Archive(data, kind, limit)
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}

    def part(self, name: str) -> Element:
        return parse_xml(self.archive.read(name), self.kind)

    def optional_part(self, name: str) -> Element | None:
        data = self.archive.get(name) if name else None
        return parse_xml(data, self.kind) if data else None

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id -> (type's last word, target part); links that lead out of the file are left out."""
        known = self._relations.get(part)
        if known is None:
            folder, base = posixpath.split(part)
            root = self.optional_part(posixpath.join(folder, "_rels", base + ".rels"))
            known = {}
            for relation in children(root):
                if relation.get("TargetMode", "") != "External":
                    kind = relation.get("Type", "").rpartition("/")[2]
                    known[relation.get("Id", "")] = (kind, _target(folder, relation.get("Target", "")))
            self._relations[part] = known
        return known

    def related(self, part: str, kind: str) -> str:
        """The part that `part` relates to in this way, or an empty name."""
        return next((target for each, target in self.relations(part).values() if each == kind), "")

    def main_part(self) -> str:
        name = self.related("", "officeDocument")
        if name not in self.archive:
            raise corrupt(self.kind)
        return name

    def properties(self) -> dict[str, FieldValue]:
        core = self.optional_part(self.related("", "core-properties") or "docProps/core.xml")
        said = {local(each): inner_text(each) for each in children(core)}
        return fields_of(**{name: said.get(key) for key, name in _CORE.items()})


def chart_rows(chart: Element) -> list[list[str]]:
    """The numbers behind a chart: categories down, series across."""
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in chart.iter():
        if local(series) == "ser":
            names.append(" ".join(_points(child(series, "tx")).values()))
            categories |= _points(child(series, "cat")) or _points(child(series, "xVal"))
            columns.append(_points(child(series, "val")) or _points(child(series, "yVal")))
    rows = sorted({index for column in columns for index in column})
    if not rows:
        return []
    return [["", *names], *([categories.get(row, ""), *(column.get(row, "") for column in columns)] for row in rows)]


def _points(element: Element | None) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in element.iter() if element is not None else ():
        if local(point) == "pt":
            points[number(attribute(point, "idx"))] = inner_text(child(point, "v"))
    return points


def _target(folder: str, target: str) -> str:
    return posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))
