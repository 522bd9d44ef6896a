"""What FlowRAG's model found in a document, put where our passages say it, beside what we find ourselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from knowgate.knowledge.extract import Extraction, Mention, Relation, Schema, key
from knowgate.knowledge.portable.flowrag import FlowragDocument, FlowragPiece
from knowgate.model import Chunk

FOUND_BY_MODEL = 0.8
"""Surer than a name in a sentence, less sure than a form made for it."""

Places = Mapping[int, Sequence[Chunk]]
"""Our passages that each of FlowRAG's pieces, by ordinal, was cut from."""


def find_places(pieces: Iterable[FlowragPiece], chunks: Sequence[Chunk], same_text: bool) -> Places:
    """Where the reader has changed the text, a piece may lie anywhere in it."""
    return {piece.ordinal: (same_text and _covered(piece, chunks)) or chunks for piece in pieces}


def _covered(piece: FlowragPiece, chunks: Sequence[Chunk]) -> list[Chunk]:
    if piece.start is None:
        return []
    end = piece.start + len(piece.text)
    return [chunk for chunk in chunks if chunk.start < end and piece.start < chunk.end]


def unite(own: Extraction, document: FlowragDocument, places: Places, schema: Schema) -> Extraction:
    """Where both found the same, the surer one counts; FlowRAG's descriptions are kept."""
    entity_types, relation_types = _spelled(schema.entity_types), _spelled(schema.relation_types)
    mentions: dict[tuple[int, str], Mention] = {}
    for each in (*own.mentions, *_mentions(document, places, entity_types)):
        spot = (each.chunk, key(each.name))
        before = mentions.get(spot, each)
        surer = max(before, each, key=lambda one: one.confidence)
        mentions[spot] = replace(surer, description=each.description or before.description)
    relations: dict[tuple[int, str, str, str], Relation] = {}
    for each in (*own.relations, *_relations(document, places, relation_types)):
        spot = (each.chunk, key(each.source), key(each.target), each.type)
        before = relations.get(spot, each)
        surer = max(before, each, key=lambda one: one.confidence)
        relations[spot] = replace(surer, description=each.description or before.description)
    return replace(own, mentions=tuple(mentions.values()), relations=tuple(relations.values()))


def _mentions(document: FlowragDocument, places: Places, types: Mapping[str, str]) -> Iterator[Mention]:
    for entity in document.entities:
        row = entity.row
        type_ = types.get(row.type.casefold(), row.type)
        for piece in entity.pieces:
            for chunk in _that_name([row.name], places[piece]):
                yield Mention(row.name, type_, chunk.ordinal, 0, 0, FOUND_BY_MODEL, row.description)


def _relations(document: FlowragDocument, places: Places, types: Mapping[str, str]) -> Iterator[Relation]:
    for relation in document.relations:
        row = relation.row
        type_ = types.get(row.type.casefold(), row.type)
        told = row.description or ", ".join(row.keywords)
        for piece in relation.pieces if key(row.source) != key(row.target) else ():
            for chunk in _that_name([row.source, row.target], places[piece]):
                yield Relation(row.source, row.target, type_, chunk.ordinal, FOUND_BY_MODEL, told)


def _that_name(names: Sequence[str], chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """A model may find what is not named in so many words: then the first passage stands for the piece."""
    wanted = [name.casefold() for name in names]
    return [chunk for chunk in chunks if all(name in chunk.text.casefold() for name in wanted)] or chunks[:1]


def _spelled(types: Iterable[str]) -> dict[str, str]:
    return {type.casefold(): type for type in types}
