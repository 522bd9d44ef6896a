"""What a document adds to the graph, as the store keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowgate.knowledge.extract import Extraction, Schema, extract
from knowgate.knowledge.extract.kinds import head_kind, technology_in
from knowgate.knowledge.extract.names import key, parts
from knowgate.knowledge.graph.names import document_names
from knowgate.model import Chunk, Parsed
from knowgate.store.port import Clue, Facts, Link, Mention, Name

STATED = 0.5
"""Relations less sure than this are not kept: two things were merely named together."""
DECLARED, LISTED, INSTANCE = 0.9, 0.7, 0.6


def document_facts(parsed: Parsed, title: str, chunks: Sequence[Chunk], schema: Schema, name: str) -> Facts:
    """With no model: from its structure, its names and its verbs."""
    found = extract(parsed, chunks, schema, name)
    return kept_facts(found, document_names(parsed, title, chunks))


def kept_facts(found: Extraction, names: Sequence[Name] = ()) -> Facts:
    return Facts(
        names,
        [
            Mention(key(each.name), each.chunk, each.name, each.type, each.confidence, each.description)
            for each in found.mentions
        ],
        [
            Link(key(each.source), key(each.target), each.type, each.chunk, each.confidence, each.description)
            for each in found.relations
            if each.confidence >= STATED
        ],
        list(dict.fromkeys(_clues(found))),
    )


def relation_key(source: str, target: str, type: str) -> str:
    """By which clues speak of a relation."""
    return "\t".join((source, type, target))


def _clues(found: Extraction) -> Iterator[Clue]:
    for alias in found.aliases:
        yield Clue("alias", key(alias.other), key(alias.name))
    for each in found.inherited:
        yield Clue("inherited", key(each.source), key(each.target), each.type)
    for mention in found.mentions:
        words, named = parts(mention.name), key(mention.name)
        if mention.confidence >= INSTANCE and (product := technology_in(mention.name)):
            yield Clue("product", product, named)
        if mention.confidence >= DECLARED and words:
            yield Clue("part", key(words[0]), named, mention.type)
            if len(words) == 1:
                yield Clue("alone", words[0], named)
        elif mention.confidence >= LISTED:
            yield Clue("listed", "", named)
        if mention.confidence < DECLARED and len(words) in (2, 3) and head_kind(words[-1]):
            yield Clue("tail", words[-1], named)
