"""knowgate_entities, knowgate_relations, knowgate_trace and knowgate_path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.knowledge.graph.draw.tree import lines
from knowgate.model import Direction, Stream
from knowgate.tools.backend import Backend
from knowgate.tools.text import counted, fit
from knowgate.tools.tool import Answer, Call, Given, Tool

if TYPE_CHECKING:
    from knowgate import model

Name = Annotated[str, Field(min_length=1, max_length=500, description="Any spelling, or a part of the name.")]


class EntitiesInput(Given):
    query: Annotated[str, Field(max_length=1000, description="A part of a name or description.")] = ""
    type: Annotated[str, Field(description="Such as SERVICE; knowgate_stats lists the types.")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    cursor: Annotated[str, Field(description="From the last answer.")] = ""


class RelationsInput(Given):
    entity: Name
    direction: Direction = "both"
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class TraceInput(Given):
    entity: Name
    direction: Annotated[Stream, Field(description="downstream: where things flow to; upstream: where from.")]
    depth: Annotated[int, Field(ge=1, le=20)] = 10


class PathInput(Given):
    from_: Annotated[str, Field(alias="from", min_length=1, max_length=500)]
    to: Annotated[str, Field(min_length=1, max_length=500)]
    max_depth: Annotated[int, Field(alias="maxDepth", ge=1, le=20)] = 5
    any_direction: Annotated[bool, Field(description="Also against the direction of relations.")] = False


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    type: str
    documents: int
    passages: int
    confidence: float
    description: str | None = None
    aliases: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Entities:
    entities: list[Item]
    cursor: str | None = None
    left_out: int | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    source: str
    type: str
    target: str
    confidence: float
    description: str | None = None
    said_in: list[str] | None = None
    """Files, with page and heading."""


@dataclass(frozen=True, slots=True)
class Related:
    entity: str
    relations: list[Stated]
    total: int
    also: list[str] | None = None
    """What else the name may mean."""


@dataclass(frozen=True, slots=True)
class Traced:
    entity: str
    direction: str
    tree: str
    """One line for each entity that is reached, with the relations that lead there."""
    reached: list[str]
    also: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Way:
    start: str
    end: str
    found: bool
    relations: list[Stated]
    also: list[str] | None = None


async def _entities(backend: Backend, given: EntitiesInput, _: Call) -> Answer:
    page = await backend.entities(given.query, given.type, given.limit, given.cursor)
    items = [item(each) for each in page.entities]
    kept = fit(items, lambda each: len(_line(each)) + 1)
    left_out = len(items) - len(kept)
    shown = Entities(kept, None if left_out else page.cursor or None, left_out or None)
    if not kept:
        return Answer(shown, "No entity fits. Call without query and type for all, or search with knowgate_search.")
    lines = [f"{counted(len(kept), 'entity').replace('entitys', 'entities')}:", *map(_line, kept)]
    if shown.left_out:
        lines.append(f"{shown.left_out} more had no room: call again with limit {len(kept)}.")
    if shown.cursor:
        lines.append(f'More: call again with cursor "{shown.cursor}".')
    return Answer(shown, "\n".join(lines))


async def _relations(backend: Backend, given: RelationsInput, _: Call) -> Answer:
    found = await backend.relations(given.entity, given.direction, given.limit)
    stated = [state(each) for each in found.relations]
    kept = fit(stated, lambda each: len(_sentence(each)) + 1)
    shown = Related(found.entity.name, kept, found.total, list(found.also) or None)
    if not kept:
        told = [f'No relations are stated for "{shown.entity}".']
    else:
        told = [f'{counted(found.total, "relation")} of "{shown.entity}":', *map(_sentence, kept)]
    if found.total > len(kept) > 0:
        told.append(f"{found.total - len(kept)} more: ask for one direction, or for the other entity.")
    return Answer(shown, "\n".join([*told, *also_lines(given.entity, found.also)]))


async def _trace(backend: Backend, given: TraceInput, _: Call) -> Answer:
    found = await backend.trace(given.entity, given.direction, given.depth)
    tree = lines(found.tree)
    reached = sorted({step.name for step in _steps(found.tree)} - {found.tree.name})
    shown = Traced(found.tree.name, found.direction, "\n".join(tree), reached, list(found.also) or None)
    told = [f'What lies {found.direction} of "{found.tree.name}":', *tree]
    if not reached:
        told = [f'Nothing is stated to lie {found.direction} of "{found.tree.name}".']
    return Answer(shown, "\n".join([*told, *also_lines(given.entity, found.also)]))


async def _path(backend: Backend, given: PathInput, _: Call) -> Answer:
    found = await backend.path(given.from_, given.to, given.max_depth, given.any_direction)
    stated = [state(each) for each in found.relations or ()]
    shown = Way(found.start, found.end, found.relations is not None, stated, list(found.also) or None)
    if stated:
        told = [f'Path from "{found.start}" to "{found.end}":', *map(_sentence, stated)]
    elif shown.found:
        told = [f'"{found.start}" and "{found.end}" are the same.']
    else:
        told = [f'No path found between "{found.start}" and "{found.end}" with at most {given.max_depth} relations.']
        if not given.any_direction:
            told.append("Try any_direction true, or a larger maxDepth.")
    return Answer(shown, "\n".join([*told, *also_lines(f"{given.from_} or {given.to}", found.also)]))


def item(entity: model.Entity) -> Item:
    return Item(
        entity.name,
        entity.type,
        entity.documents,
        entity.mentions,
        round(entity.confidence, 2),
        entity.description or None,
        list(entity.aliases) or None,
    )


def state(relation: model.Relation) -> Stated:
    said_in = list(dict.fromkeys(place(each) for each in relation.passages))
    return Stated(
        relation.source,
        relation.type,
        relation.target,
        round(relation.confidence, 2),
        relation.description or None,
        said_in or None,
    )


def place(passage: model.Passage) -> str:
    where = f"{passage.document}, page {passage.page}" if passage.page else passage.document
    return f"{where}: {passage.headings[-1]}" if passage.headings else where


def also_lines(name: str, others: Sequence[str]) -> list[str]:
    return [f'"{name}" may also mean {", ".join(others[:10])}; name one exactly to see it.'] if others else []


def _steps(step: model.Step) -> list[model.Step]:
    return [step, *(one for each in step.steps for one in _steps(each))]


def _line(each: Item) -> str:
    told = f"- [{each.type}] {each.name}"
    told += f" (also {', '.join(each.aliases)})" if each.aliases else ""
    told += f", in {counted(each.passages, 'passage')} of {counted(each.documents, 'document')}"
    return told + (f": {each.description}" if each.description else "")


def _sentence(each: Stated) -> str:
    told = f"- {each.source} --[{each.type}]--> {each.target}"
    told += f": {each.description}" if each.description else ""
    return told + (f" ({'; '.join(each.said_in)})" if each.said_in else "")


ENTITIES = Tool(
    name="knowgate_entities",
    title="List entities",
    description=(
        "What the documents name: services, databases, teams, concepts. For passages use knowgate_search. "
        'Example: {"type": "SERVICE"}'
    ),
    input=EntitiesInput,
    output=Entities,
    run=_entities,
)
RELATIONS = Tool(
    name="knowgate_relations",
    title="Relations of an entity",
    description='How one entity is related to others, and where it says so. Example: {"entity": "checkout"}',
    input=RelationsInput,
    output=Related,
    run=_relations,
)
TRACE = Tool(
    name="knowgate_trace",
    title="Trace a flow",
    description=(
        "Everything up- or downstream of an entity, as a tree: what a change would reach, where data comes from. "
        'Example: {"entity": "orders", "direction": "downstream"}'
    ),
    input=TraceInput,
    output=Traced,
    run=_trace,
)
PATH = Tool(
    name="knowgate_path",
    title="Path between entities",
    description='The shortest chain of relations between two entities. Example: {"from": "web", "to": "ledger-db"}',
    input=PathInput,
    output=Way,
    run=_path,
)
