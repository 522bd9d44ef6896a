"""What a model found in a passage, in its own words; read tolerantly, because a model promises nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from knowgate.knowledge.extract.names import key

_MOST = 200
"""Items of a kind in a passage; a model that goes round in circles gives more."""
_LONGEST_NAME = 80
_LONGEST_TEXT = 400
_KEYWORDS = 10


@dataclass(frozen=True, slots=True)
class FoundEntity:
    name: str
    type: str = ""
    description: str = ""
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class FoundRelation:
    source: str
    target: str
    type: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Found:
    entities: tuple[FoundEntity, ...] = ()
    relations: tuple[FoundRelation, ...] = ()
    cut: bool = False
    """Whether the model stopped before it was done."""

    def with_new(self, more: Found) -> Found:
        """And what another pass found that is not here yet."""
        names = {key(each.name) for each in self.entities}
        triples = {_triple(each) for each in self.relations}
        return Found(
            (*self.entities, *(each for each in more.entities if key(each.name) not in names)),
            (*self.relations, *(each for each in more.relations if _triple(each) not in triples)),
            self.cut or more.cut,
        )


def read_answer(text: str) -> Found | None:
    """As much as can be made of an answer; None when there is no JSON object in it."""
    from pydantic_core import from_json

    start, end = text.find("{"), text.rfind("}") + 1
    for said in (text[start:], text[start:end]) if start >= 0 else ():
        try:
            # What is cut off in the middle is as good as what stands before it.
            value = from_json(said, allow_partial=True)
        except ValueError:
            continue
        return read_found(value)
    return None


def read_found(value: object) -> Found:
    """From an answer, or from what was kept of one."""
    told = _mapping(value)
    entities = [_entity(each) for each in _items(told.get("entities"))]
    relations = [_relation(each) for each in _items(told.get("relations"))]
    return Found(
        tuple({key(each.name): each for each in reversed(entities) if each.name}.values())[::-1],
        tuple({_triple(each): each for each in reversed(relations) if each.source and each.target}.values())[::-1],
        told.get("cut") is True,
    )


def _triple(relation: FoundRelation) -> tuple[str, str, str]:
    return key(relation.source), key(relation.type), key(relation.target)


def _entity(item: Mapping[str, Any]) -> FoundEntity:
    return FoundEntity(
        _name(item.get("name")), _text(item.get("type")), _text(item.get("description")), _fields(item.get("fields"))
    )


def _relation(item: Mapping[str, Any]) -> FoundRelation:
    keywords = item.get("keywords")
    said = cast("list[object]", keywords)[:_KEYWORDS] if isinstance(keywords, list) else []
    return FoundRelation(
        _name(item.get("source")),
        _name(item.get("target")),
        _text(item.get("type")),
        _text(item.get("description")),
        tuple(word for word in map(_text, said) if word),
        _fields(item.get("fields")),
    )


def _fields(value: object) -> dict[str, str]:
    return {name: said for name, each in _mapping(value).items() if (said := _text(each))}


def _items(value: object) -> list[Mapping[str, Any]]:
    return [_mapping(each) for each in cast("list[object]", value)[:_MOST]] if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _name(value: object) -> str:
    said = _text(value)
    return said if len(said) <= _LONGEST_NAME else ""


def _text(value: object) -> str:
    """On one line, and nothing that no store can keep."""
    if not isinstance(value, str):
        return ""
    said = " ".join(value.encode("utf-8", "ignore").decode().replace("\0", " ").split())
    return said if len(said) <= _LONGEST_TEXT else said[:_LONGEST_TEXT].rstrip() + "…"
