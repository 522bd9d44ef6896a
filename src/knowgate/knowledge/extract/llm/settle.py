"""From a model's words to what the graph keeps: names that the passage holds, types that the schema has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from knowgate.knowledge.chunk import passage
from knowgate.knowledge.extract.kinds import kind_of, types_of
from knowgate.knowledge.extract.llm.found import Found, FoundEntity, FoundRelation
from knowgate.knowledge.extract.names import key, parts
from knowgate.knowledge.extract.shapes import Extraction, Mention, Relation
from knowgate.knowledge.extract.verbs import verb_in
from knowgate.knowledge.graph.facts import kept_facts, relation_key
from knowgate.model import Chunk, Schema, SchemaField
from knowgate.store.port import Clue, Facts, Link
from knowgate.store.port import Mention as KeptMention

Kept = TypeVar("Kept", KeptMention, Link)
SURE = 0.75
"""As sure as a heading; what a form made for it declares is surer."""
_WORD = re.compile(r"[\w+#]+")
_NEAR = 0.75
_LONGEST = 8
"""In words, of a name."""
_REST = ("other", "misc", "thing")


def facts_of(found: Mapping[int, Found], chunks: Sequence[Chunk], schema: Schema) -> Facts:
    """What the model adds, by the ordinals of the passages it was asked about."""
    mentions: list[Mention] = []
    relations: list[Relation] = []
    clues: list[Clue] = []
    for chunk in chunks:
        told = _held(found.get(chunk.ordinal, Found()), chunk)
        for each in told.entities:
            mentions.append(_mention(each, chunk.ordinal, schema))
            fields = _checked(each.fields, schema.entity_fields)
            clues += [Clue("entity_field", name, key(each.name), value) for name, value in fields.items()]
        for each in told.relations:
            relation = _relation(each, chunk.ordinal, schema)
            relations.append(relation)
            spot = relation_key(key(relation.source), key(relation.target), relation.type)
            fields = _checked(each.fields, schema.relation_fields)
            clues += [Clue("relation_field", name, spot, value) for name, value in fields.items()]
    kept = kept_facts(Extraction(tuple(mentions), tuple(relations)))
    return Facts(kept.names, kept.mentions, kept.links, [*kept.clues, *clues])


def unite(rules: Facts, model: Facts) -> Facts:
    """Both; where they speak of the same in a passage, the surer one, with whatever description there is."""
    mentions: dict[tuple[str, int], KeptMention] = {}
    for each in (*rules.mentions, *model.mentions):
        spot = (each.key, each.ordinal)
        mentions[spot] = _surer(mentions[spot], each) if spot in mentions else each
    links: dict[tuple[str, str, str, int], Link] = {}
    for each in (*rules.links, *model.links):
        spot = (each.source, each.target, each.type, each.ordinal)
        links[spot] = _surer(links[spot], each) if spot in links else each
    clues = list(dict.fromkeys((*rules.clues, *model.clues)))
    return Facts(rules.names, list(mentions.values()), list(links.values()), clues)


def _surer(one: Kept, two: Kept) -> Kept:
    sure, other = (one, two) if one.confidence >= two.confidence else (two, one)
    return sure if sure.description else replace(sure, description=other.description)


def _held(found: Found, chunk: Chunk) -> Found:
    """Without what the passage does not name; the ends of a relation are entities, whether listed or not."""
    holds = _Names(passage(chunk))
    entities = {key(each.name): each for each in found.entities if holds(each.name)}
    relations = [
        each
        for each in found.relations
        if key(each.source) != key(each.target) and holds(each.source) and holds(each.target)
    ]
    for each in relations:
        for name in (each.source, each.target):
            entities.setdefault(key(name), FoundEntity(name))
    return Found(tuple(entities.values()), tuple(relations))


class _Names:
    """Whether a text holds a name, in any of the spellings that mean the same."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = _WORD.findall(text)
        self._keys: dict[int, set[str]] = {}

    def __call__(self, name: str) -> bool:
        if not key(name):
            return False
        if not name.isascii() and name.casefold() in self._text.casefold():
            return True  # scripts without spaces have no words to compare
        # "OrderService" may be what the passage calls the order service, and the other way round.
        most = min(max(len(_WORD.findall(name)), len(parts(name))) + 1, _LONGEST)
        return any(key(name) in self._of(length) for length in range(1, most + 1))

    def _of(self, length: int) -> set[str]:
        if length not in self._keys:
            starts = range(len(self._words) - length + 1)
            self._keys[length] = {key(" ".join(self._words[at : at + length])) for at in starts}
        return self._keys[length]


def _mention(entity: FoundEntity, ordinal: int, schema: Schema) -> Mention:
    type_ = entity_type(entity.type, entity.name, schema)
    return Mention(entity.name, type_, ordinal, 0, 0, SURE, entity.description)


def _relation(relation: FoundRelation, ordinal: int, schema: Schema) -> Relation:
    said = relation.description
    missing = [word for word in relation.keywords if word.casefold() not in said.casefold()]
    told = f"{said} ({', '.join(missing)})".strip() if missing else said
    return Relation(relation.source, relation.target, relation_type(relation.type, schema), ordinal, SURE, told)


def entity_type(said: str, name: str, schema: Schema) -> str:
    """The schema's own, the one that means the same, the nearest in spelling, else the most general."""
    types = types_of(schema)
    if own := _own(said, schema.entity_types):
        return own
    # Without a word of the model's, the name itself may tell.
    kind = kind_of(said or name)
    if kind != "concept":
        return types.entity(kind, name)
    return _near(said, schema.entity_types) or types.entity("concept", name)


def relation_type(said: str, schema: Schema) -> str:
    if own := _own(said, schema.relation_types):
        return own
    types = types_of(schema)
    verb = verb_in(" ".join(parts(said)))
    if verb:
        return types.relation(verb.verb, verb.lemma)
    return _near(said, schema.relation_types) or _first(_REST, schema.relation_types) or types.related


def _own(said: str, types: Iterable[str]) -> str:
    return next((each for each in types if key(each) == key(said)), "") if said else ""


def _first(words: Iterable[str], types: Sequence[str]) -> str:
    return next((found for word in words if (found := _own(word, types))), "")


def _near(said: str, types: Sequence[str]) -> str:
    by_key = {key(each): each for each in reversed(types)}
    near = get_close_matches(key(said), by_key, n=1, cutoff=_NEAR) if said else []
    return by_key[near[0]] if near else ""


def _checked(said: Mapping[str, str], fields: Mapping[str, SchemaField]) -> dict[str, str]:
    """The configured fields with their defaults; an enum is one of its values, in any case."""
    checked: dict[str, str] = {}
    for name, field in fields.items():
        value = said.get(name, "")
        if field.type == "enum":
            value = next((each for each in field.values if each.casefold() == value.casefold()), "")
        if value := value or field.default or "":
            checked[name] = value
    return checked
