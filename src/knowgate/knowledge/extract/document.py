"""From a parsed document to what it says: the walk over its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from knowgate.knowledge.extract.also import other_names
from knowgate.knowledge.extract.configuration import read_configuration, read_example
from knowgate.knowledge.extract.diagrams import is_diagram, read_diagram
from knowgate.knowledge.extract.draft import GUESSED, INTRODUCED, LISTED, NAMED, STATED, Draft, Name, finish
from knowgate.knowledge.extract.entries import entries_of, looks_like_settings, yaml_entries
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, is_technology, kind_of, team_name, types_of
from knowgate.knowledge.extract.labels import labels
from knowgate.knowledge.extract.lists import introduced_kind, listed
from knowgate.knowledge.extract.names import parts
from knowgate.knowledge.extract.openapi import is_openapi, read_openapi
from knowgate.knowledge.extract.prose import find_names
from knowgate.knowledge.extract.sentences import read_sentences, sentences
from knowgate.knowledge.extract.shapes import Extraction
from knowgate.knowledge.extract.subjects import heading_text, introduces, is_about_folder, names_component, place_of
from knowgate.knowledge.extract.tables import (
    Cell,
    ColumnRelation,
    cell_name,
    column_relation,
    is_description,
    row_kind,
    rows_of,
)
from knowgate.model import Block, Chunk, Parsed, Schema

_PODS = re.compile(r"^[ \t]*(?:pod/)?([a-z][a-z0-9-]*?)-[0-9a-f]{8,10}-[a-z0-9]{5}\s", re.M)
_DATA = frozenset({"yaml", "json", "toml", "jsonl"})
_NAMED = ("service", "component", "system", "application")
_LONGEST_NAME = 4
_NEEDS = re.compile(r"prerequisit|pre-requisit|depend|started before|requires|upstream", re.I)
_DEPENDS = re.compile(r"(?:[\w-]+ )?(?:dependenc(?:y|ies)|depends on)$", re.I)
_ITEMS = re.compile(r"[^\W_](?:[^,;/|\n()\[\]`*]*[^\W_])?")
_ITEM = re.compile(r"\s*[-*+•][ ]+")
_KEY = re.compile(r"^[^\s:]+:", re.M)
_NO_ANSWER = re.compile(r"(?:\w+ )?(?:owned|maintained|operated|run) by\b|[A-Z][\w -]{1,20}:\s", re.I)
"""Sentences that do not say what a thing is."""


def extract(parsed: Parsed, chunks: Sequence[Chunk], schema: Schema, name: str = "") -> Extraction:
    """The document's names, relations and aliases. `name` is its path, which tells whose README it is."""
    draft = Draft()
    _Walk(draft, parsed, name).read()
    return finish(draft, chunks, types_of(schema))


class _Walk:
    def __init__(self, draft: Draft, parsed: Parsed, name: str) -> None:
        self.draft = draft
        self.parsed = parsed
        self.text = parsed.text
        self.place = place_of(name)
        self.subject = ""
        self.section = ""
        self.above: list[tuple[int, str]] = []
        """Headings with the parts they name, the outermost first."""
        self.named: dict[int, str] = {}
        """What the headings name, by where they stand."""
        self.needs = False
        self.depends = False
        self.fresh = False
        """Right below a heading that names a part: what follows says what it is."""
        self.lower: frozenset[str] = frozenset()
        self.tables: dict[int, tuple[list[list[Cell]], list[str], Kind | None]] = {}

    def read(self) -> None:
        parsed = self.parsed
        if is_openapi(parsed):
            read_openapi(self.draft, parsed)
            return
        if parsed.type in _DATA or (parsed.type in ("text", "code") and looks_like_settings(self.text)):
            entries = entries_of(self.text, 0, len(self.text))
            if read_configuration(self.draft, self.text, entries, self.place) or parsed.type == "code":
                return
        if is_diagram(self.text):
            read_diagram(self.draft, self.text, 0, len(self.text))
            return
        if parsed.type == "code":
            return
        self.lower = frozenset(self.text.split())
        self._document_subject()
        announced: Kind | None = None
        for block, following in zip_longest(parsed.blocks, parsed.blocks[1:]):
            if block.kind == "table":
                self._first_column(block)
            elif block.kind == "heading":
                self._heading_name(block, following)
            elif block.kind == "text":
                for each in listed(self.text, block.start, block.end, announced):
                    self.draft.name(each.name, each.kind, each.start, each.end, INTRODUCED)
                    self.draft.describe(each.name, each.description)
                    self.draft.alias(each.folder, each.name)
            announced = introduced_kind(self.text, block.start, block.end) if block.kind == "text" else None
        self._front_matter()
        stems = self.draft.components()
        for block in parsed.blocks:
            self._block(block, stems)

    def _document_subject(self) -> None:
        place = self.place
        if place.folder and is_about_folder(place):
            self.subject = place.folder
            self.draft.name(place.folder, "service", 0, 0, GUESSED)
        elif names_component(" ".join(parts(place.stem))):
            self.subject = place.stem
            self.draft.name(place.stem, kind_of(place.stem), 0, 0, NAMED)
        fields = {name: str(value) for name, value in self.parsed.fields.items()}
        named = next((fields[name] for name in _NAMED if fields.get(name)), "")
        if named and len(named.split()) <= _LONGEST_NAME:
            self.subject = named
            self.draft.name(named, kind_of(named) if kind_of(named) in COMPONENTS else "service", 0, 0, STATED)
        self.section = self.subject

    def _front_matter(self) -> None:
        """What a document says of its subject before it begins: `owner`, `depends_on`, `database` and the like."""
        first = next((block.start for block in self.parsed.blocks if block.kind == "heading"), -1)
        subject = self.subject or self.named.get(first, "")
        for name, value in self.parsed.fields.items() if subject else ():
            relation = column_relation(name.replace("_", " ").replace("-", " "))
            for each in str(value).split(",") if relation else ():
                other = each.strip()
                if relation and other and len(other.split()) <= _LONGEST_NAME:
                    kind: Kind = "team" if relation.verb == "owns" and relation.back else kind_of(other)
                    other = team_name(other) if kind == "team" else other
                    self.draft.name(other, kind, 0, 0, STATED)
                    ends = (other, subject) if relation.back else (subject, other)
                    self.draft.link(*ends, relation.verb, 0, STATED, name)

    def _heading_name(self, block: Block, following: Block | None) -> None:
        said = heading_text(self.text[block.start : block.end])
        below = self.text[following.start : following.end] if following and following.kind == "text" else ""
        known = names_component(said)
        if known or introduces(said, below):
            self.named[block.start] = said
            kind = kind_of(said)
            confidence = STATED if known else NAMED
            kind = kind if kind in COMPONENTS else "service"
            self.draft.name_within(said, kind, self.text, block.start, block.end, confidence)
            if block.level == 1 and self.subject:
                self.draft.alias(self.subject, said)

    def _block(self, block: Block, stems: Mapping[str, str]) -> None:
        if block.kind == "heading":
            self._heading(block)
        elif block.kind == "text":
            if self.fresh and self.section:
                self._describe(block)
            self.fresh = False
            names = self._prose(block.start, block.end, self.section, stems)
            if self.section and (self.needs or self.depends):
                self._needed(self.section, names)
        elif block.kind == "table":
            self._table(block, stems)
        else:
            self._code(block)

    def _heading(self, block: Block) -> None:
        said = heading_text(self.text[block.start : block.end])
        named = self.named.get(block.start, "")
        while self.above and self.above[-1][0] >= block.level:
            self.above.pop()
        if named:
            self.above.append((block.level, named))
        self.section = self.above[-1][1] if self.above else self.subject
        self.needs, self.depends = bool(_NEEDS.search(said)), bool(_DEPENDS.fullmatch(said))
        self.fresh = bool(named)
        for each in find_names(self.text, block.start, block.end, self.lower):
            self.draft.name(each.text, each.kind, each.start, each.end, each.confidence)

    def _describe(self, block: Block) -> None:
        told = (self.text[low:high] for low, high in sentences(self.text, block.start, block.end))
        self.draft.describe(self.section, next((each for each in told if not _NO_ANSWER.match(each)), ""))

    def _prose(self, start: int, end: int, subject: str, stems: Mapping[str, str]) -> list[Name]:
        names = find_names(self.text, start, end, self.lower)
        marked = labels(self.text, start, end)
        keys = [(each.at, each.start) for each in marked]
        if self.parsed.type in _DATA:
            keys += [match.span() for match in _KEY.finditer(self.text, start, end)]
        if keys:
            names = [each for each in names if not any(low <= each.start < high for low, high in keys)]
        for each in names:
            self.draft.name(each.text, each.kind, each.start, each.end, each.confidence)
        for one, two in other_names(self.text, start, end, names):
            self.draft.alias(one, two)
        for label in marked:
            relation = column_relation(label.said)
            if relation and subject:
                self._related(subject, relation, Cell(label.start, label.end))
        read_sentences(self.draft, self.text, start, end, names, subject, stems)
        return names

    def _needed(self, subject: str, names: Sequence[Name]) -> None:
        """Below "Prerequisites" parts are needed, below "Dependencies" whatever an item begins with."""
        for each in names:
            line = self.text[self.text.rfind("\n", 0, each.start) + 1 : each.start]
            first = self.depends and _ITEM.fullmatch(line.rstrip("`*[")) and not is_technology(each.text)
            if each.kind in COMPONENTS or first:
                self.draft.link(subject, each.text, "depends", each.start, NAMED)

    def _rows(self, block: Block) -> tuple[list[list[Cell]], list[str], Kind | None]:
        """A table's rows, its head, and what its first column names."""
        if block.start not in self.tables:
            rows = rows_of(self.text, block.start, block.end)
            heads = [self.text[cell.start : cell.end] for cell in rows[0]] if rows else []
            self.tables[block.start] = rows[1:], heads, row_kind(heads[0]) if heads else None
        return self.tables[block.start]

    def _first_column(self, block: Block) -> None:
        rows, _, kind = self._rows(block)
        for row in rows if kind else ():
            if row and (found := cell_name(self.text, row[0], self.lower)):
                said, start, end = found
                if kind == "team":
                    self._name_team(said, start, end, LISTED)
                else:
                    own = kind_of(said)
                    self.draft.name(said, own if own in COMPONENTS else kind or "service", start, end, LISTED)

    def _table(self, block: Block, stems: Mapping[str, str]) -> None:
        rows, heads, kind = self._rows(block)
        needed = self.section if self.depends else ""
        if not kind and not needed:
            self._prose(rows[0][0].start if rows and rows[0] else block.start, block.end, "", {})
            return
        relations = [column_relation(head) for head in heads]
        for row in rows:
            found = cell_name(self.text, row[0], self.lower) if row else None
            if not found:
                continue
            name = team_name(found[0]) if kind == "team" else found[0]
            if needed:
                self._related(needed, ColumnRelation("depends", back=False), row[0])
            for number, cell in enumerate(row[1:], 1):
                relation = relations[number] if number < len(relations) else None
                if number < len(heads) and is_description(heads[number]):
                    self.draft.describe(name, self.text[cell.start : cell.end])
                if relation is not None:
                    self._related(name, relation, cell)
                else:
                    self._prose(cell.start, cell.end, needed or name, stems)

    def _related(self, name: str, relation: ColumnRelation, cell: Cell) -> None:
        if relation.verb == "owns" and relation.back:
            for owner in _ITEMS.finditer(self.text, cell.start, cell.end):
                if len(owner[0].split()) <= _LONGEST_NAME:
                    team = self._name_team(owner[0], *owner.span(), NAMED)
                    self.draft.link(team, name, "owns", cell.start, STATED)
            return
        for each in find_names(self.text, cell.start, cell.end, self.lower):
            self.draft.name(each.text, each.kind, each.start, each.end, each.confidence)
            ends = (each.text, name) if relation.back else (name, each.text)
            self.draft.link(*ends, relation.verb, cell.start, STATED)

    def _name_team(self, said: str, start: int, end: int, confidence: float) -> str:
        team = team_name(said)
        self.draft.name(team, "team", start, end if team == said else start, confidence)
        return team

    def _code(self, block: Block) -> None:
        source = self.text[block.start : block.end]
        if is_diagram(source):
            read_diagram(self.draft, self.text, block.start, block.end)
            return
        for pod in _PODS.finditer(self.text, block.start, block.end):
            kind = kind_of(pod[1])
            self.draft.name(pod[1], kind if kind in COMPONENTS else "service", pod.start(1), pod.end(1), STATED)
        inner = re.match(r"\s*(?:```+|~~~+)\s*(\w*)[^\n]*\n", source)
        if inner and inner[1].lower() in ("yaml", "yml", "properties"):
            start = block.start + inner.end()
            end = block.start + source.rstrip().rfind("\n") + 1
            entries = yaml_entries(self.text, start, end) or entries_of(self.text, start, end)
            read_example(self.draft, self.text, entries, self.section)
