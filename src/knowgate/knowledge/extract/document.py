"""From a parsed document to what it says: the walk over its blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from knowgate.knowledge.extract.also import other_names
from knowgate.knowledge.extract.configuration import read_configuration, read_example
from knowgate.knowledge.extract.diagrams import is_diagram, read_diagram
from knowgate.knowledge.extract.draft import GUESSED, INTRODUCED, LISTED, NAMED, STATED, Draft, finish
from knowgate.knowledge.extract.entries import entries_of, looks_like_settings, yaml_entries
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, Verb, kind_of, types_of
from knowgate.knowledge.extract.lists import introduced_kind, listed
from knowgate.knowledge.extract.names import parts
from knowgate.knowledge.extract.openapi import is_openapi, read_openapi
from knowgate.knowledge.extract.prose import find_names
from knowgate.knowledge.extract.sentences import read_sentences, sentences
from knowgate.knowledge.extract.shapes import Extraction
from knowgate.knowledge.extract.subjects import heading_text, is_about_folder, names_component, place_of
from knowgate.knowledge.extract.tables import Cell, cell_name, column_verb, is_description, row_kind, rows_of
from knowgate.model import Block, Chunk, Parsed, Schema

_PODS = re.compile(r"^[ \t]*(?:pod/)?([a-z][a-z0-9-]*?)-[0-9a-f]{8,10}-[a-z0-9]{5}\s", re.M)
_DATA = frozenset({"yaml", "json", "toml", "jsonl"})
_NAMED = ("service", "component", "system", "application")
_LONGEST_NAME = 4
_NEEDS = re.compile(r"prerequisit|pre-requisit|depend|started before|requires|upstream", re.I)


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
        self.needs = False
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
        for block in parsed.blocks:
            if block.kind == "table":
                self._first_column(block)
            elif block.kind == "heading":
                self._heading_name(block)
            elif block.kind == "text":
                for each in listed(self.text, block.start, block.end, announced):
                    self.draft.name(each.name, each.kind, each.start, each.end, INTRODUCED)
                    self.draft.describe(each.name, each.description)
                    self.draft.alias(each.folder, each.name)
            announced = introduced_kind(self.text, block.start, block.end) if block.kind == "text" else None
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
        self._front_matter()
        self.section = self.subject

    def _front_matter(self) -> None:
        """What a document says of its subject before it begins: `owner`, `depends_on`, `database` and the like."""
        fields = {name: str(value) for name, value in self.parsed.fields.items()}
        named = next((fields[name] for name in _NAMED if fields.get(name)), "")
        if named and len(named.split()) <= _LONGEST_NAME:
            self.subject = named
            self.draft.name(named, kind_of(named) if kind_of(named) in COMPONENTS else "service", 0, 0, STATED)
        for name, value in fields.items():
            verb = column_verb(name.replace("_", " ").replace("-", " ")) if self.subject else None
            for each in value.split(",") if verb else ():
                other = each.strip()
                if verb and other and len(other.split()) <= _LONGEST_NAME:
                    kind: Kind = "team" if verb == "owns" else kind_of(other)
                    self.draft.name(other, kind, 0, 0, STATED)
                    ends = (other, self.subject) if verb == "owns" else (self.subject, other)
                    self.draft.link(*ends, verb, 0, STATED, name)

    def _heading_name(self, block: Block) -> None:
        said = heading_text(self.text[block.start : block.end])
        if names_component(said):
            self.draft.name_within(said, kind_of(said), self.text, block.start, block.end, STATED)
            if block.level == 1 and self.subject:
                self.draft.alias(self.subject, said)

    def _block(self, block: Block, stems: Mapping[str, str]) -> None:
        if block.kind == "heading":
            said = heading_text(self.text[block.start : block.end])
            self.section = said if names_component(said) else self.subject
            self.needs = bool(_NEEDS.search(said))
            self.fresh = self.section == said
            for each in find_names(self.text, block.start, block.end, self.lower):
                self.draft.name(each.text, each.kind, each.start, each.end, each.confidence)
        elif block.kind == "text":
            if self.fresh and self.section:
                first = sentences(self.text, block.start, block.end)[0]
                self.draft.describe(self.section, self.text[first[0] : first[1]])
            self.fresh = False
            self._prose(block.start, block.end, self.section, stems)
        elif block.kind == "table":
            self._table(block, stems)
        else:
            self._code(block)

    def _prose(self, start: int, end: int, subject: str, stems: Mapping[str, str]) -> None:
        names = find_names(self.text, start, end, self.lower)
        for each in names:
            self.draft.name(each.text, each.kind, each.start, each.end, each.confidence)
        for one, two in other_names(self.text, start, end, names):
            self.draft.alias(one, two)
        read_sentences(self.draft, self.text, start, end, names, subject, stems)
        if self.needs and subject:
            for each in names:
                if each.kind in COMPONENTS:
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
                own = kind_of(said)
                self.draft.name(said, own if own in COMPONENTS else kind or "service", start, end, LISTED)

    def _table(self, block: Block, stems: Mapping[str, str]) -> None:
        rows, heads, kind = self._rows(block)
        if not kind:
            self._prose(block.start, block.end, "", {})
            return
        verbs: list[Verb | None] = [column_verb(head) for head in heads]
        for row in rows:
            found = cell_name(self.text, row[0], self.lower) if row else None
            if not found:
                continue
            for number, cell in enumerate(row[1:], 1):
                verb = verbs[number] if number < len(verbs) else None
                if number < len(heads) and is_description(heads[number]):
                    self.draft.describe(found[0], self.text[cell.start : cell.end])
                if verb is not None:
                    self._related(found[0], verb, cell)
                else:
                    self._prose(cell.start, cell.end, found[0], stems)

    def _related(self, name: str, verb: Verb, cell: Cell) -> None:
        for each in find_names(self.text, cell.start, cell.end, self.lower):
            kind: Kind = "team" if verb == "owns" and each.kind == "concept" else each.kind
            self.draft.name(each.text, kind, each.start, each.end, each.confidence)
            ends = (each.text, name) if verb == "owns" else (name, each.text)
            self.draft.link(*ends, verb, cell.start, STATED)

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
