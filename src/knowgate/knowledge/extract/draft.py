"""Findings on their way to an extraction: gathered by place in the document, handed out by passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from knowgate.knowledge.extract.kinds import Kind, Types, Verb, only_serves
from knowgate.knowledge.extract.names import key
from knowgate.knowledge.extract.shapes import Alias, Extraction, Mention, Relation
from knowgate.model import Chunk

_LONGEST = 80
_LONGEST_TOLD = 200
DECLARED, LISTED, STATED, INTRODUCED, NAMED, GUESSED, TOGETHER = 0.95, 0.85, 0.75, 0.7, 0.5, 0.3, 0.1
"""How sure we are: a form made for it; a table of parts; a heading; a list; a sentence; a hint; mere company."""


class Name(NamedTuple):
    """A name in the document's text."""

    text: str
    kind: Kind
    start: int
    end: int
    confidence: float


class _Link(NamedTuple):
    source: str
    target: str
    verb: Verb | None
    lemma: str
    at: int
    confidence: float
    description: str
    inherited: bool


@dataclass(slots=True)
class Draft:
    names: list[Name] = field(default_factory=list[Name])
    links: list[_Link] = field(default_factory=list[_Link])
    aliases: dict[tuple[str, str], Alias] = field(default_factory=dict[tuple[str, str], Alias])
    told: dict[str, str] = field(default_factory=dict[str, str])
    """What the document says things are, by key."""

    def name(self, text: str, kind: Kind, start: int, end: int, confidence: float) -> None:
        if text and len(text) <= _LONGEST:
            self.names.append(Name(text, kind, start, end, confidence))

    def name_within(self, text: str, kind: Kind, whole: str, start: int, end: int, confidence: float) -> None:
        """A name that stands somewhere between two places, or is only implied there."""
        at = whole.find(text, start, end)
        low, high = (at, at + len(text)) if at >= 0 else (start, start)
        self.name(text, kind, low, high, confidence)

    def link(
        self,
        source: str,
        target: str,
        verb: Verb | None,
        at: int,
        confidence: float,
        description: str = "",
        *,
        lemma: str = "",
        inherited: bool = False,
    ) -> None:
        """`verb` is None for things merely named together."""
        if source and target and len(source) <= _LONGEST and len(target) <= _LONGEST:
            self.links.append(_Link(source, target, verb, lemma, at, confidence, description, inherited))

    def alias(self, name: str, other: str) -> None:
        one, two = key(name), key(other)
        if one and two and one != two:
            self.aliases.setdefault((one, two), Alias(name, other))

    def describe(self, name: str, said: str) -> None:
        said = " ".join(said.split())
        if said:
            self.told.setdefault(key(name), said if len(said) <= _LONGEST_TOLD else said[:_LONGEST_TOLD].rstrip() + "…")

    def components(self) -> dict[str, str]:
        """Keys of the parts of a system that were named so far, with their names."""
        return {key(each.text): each.text for each in self.names if each.confidence >= INTRODUCED}


def finish(draft: Draft, chunks: Sequence[Chunk], types: Types) -> Extraction:
    if not chunks:
        return Extraction()
    starts = [chunk.start for chunk in chunks]
    kept = _fitting(draft, types)
    relations, inherited = _relations(draft, chunks, starts, types, kept)
    mentions = _mentions(draft, chunks, starts, types, kept)
    return Extraction(mentions, relations, tuple(draft.aliases.values()), inherited)


def _fitting(draft: Draft, types: Types) -> dict[str, str]:
    """Types by key, of what fits one of the schema's; what fits none is kept if it takes part in something."""
    kept: dict[str, str] = {}
    for link in draft.links:
        if link.confidence >= NAMED:
            kept.setdefault(key(link.target), types.entities["service"])
            kept.setdefault(key(link.source), types.entities["team" if link.verb == "owns" else "service"])
    for name in sorted(draft.names, key=lambda each: each.confidence):
        if types.fits(name.kind, name.text):
            kept[key(name.text)] = types.entity(name.kind, name.text)
        elif only_serves(name.kind, name.text):
            kept.pop(key(name.text), None)
    return kept


def _mentions(
    draft: Draft, chunks: Sequence[Chunk], starts: Sequence[int], types: Types, kept: dict[str, str]
) -> tuple[Mention, ...]:
    best: dict[tuple[int, str], Name] = {}
    for name in draft.names:
        named = key(name.text)
        spot = (_chunk_at(starts, name.start), named)
        before = best.get(spot)
        if named in kept and (before is None or name.confidence > before.confidence):
            best[spot] = name
    found: list[Mention] = []
    for (index, named), name in best.items():
        chunk = chunks[index]
        within = chunk.start <= name.start and name.end <= chunk.end
        start, end = (name.start - chunk.start, name.end - chunk.start) if within else (0, 0)
        fits = types.fits(name.kind, name.text)
        type_, told = types.entity(name.kind, name.text) if fits else kept[named], draft.told.get(named, "")
        found.append(Mention(name.text, type_, chunk.ordinal, start, end, name.confidence, told))
    return tuple(found)


def _relations(
    draft: Draft, chunks: Sequence[Chunk], starts: Sequence[int], types: Types, kept: dict[str, str]
) -> tuple[tuple[Relation, ...], tuple[Relation, ...]]:
    """One for each passage that says so; company counts only where nothing more is said of the two."""
    best: dict[tuple[int, str, str, str], _Link] = {}
    said: set[tuple[str, str]] = set()
    for link in draft.links:
        source, target = key(link.source), key(link.target)
        if source not in kept or target not in kept:
            continue
        if source == target or (link.verb is None and ((source, target) in said or (target, source) in said)):
            continue
        said.add((source, target))
        type_ = types.relation(link.verb, link.lemma) if link.verb else types.related
        spot = (_chunk_at(starts, link.at), source, target, type_)
        before = best.get(spot)
        if before is None or link.confidence > before.confidence:
            best[spot] = link
    found: list[Relation] = []
    inherited: list[Relation] = []
    for (index, _, _, type_), link in best.items():
        ordinal = chunks[index].ordinal
        relation = Relation(link.source, link.target, type_, ordinal, link.confidence, link.description)
        (inherited if link.inherited else found).append(relation)
    return tuple(found), tuple(inherited)


def _chunk_at(starts: Sequence[int], place: int) -> int:
    return max(bisect_right(starts, place) - 1, 0)
