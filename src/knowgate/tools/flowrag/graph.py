"""flowrag_entities, flowrag_relations, flowrag_trace, flowrag_path and flowrag_stats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from knowgate.knowledge.graph.draw.tree import lines
from knowgate.model import Direction, Stream
from knowgate.tools.backend import Backend
from knowgate.tools.native.graph import Entities, Item, Related, Stated, Traced, Way, also_lines, item, state
from knowgate.tools.tool import Answer, Call, Given, Tool

if TYPE_CHECKING:
    from knowgate.model import Step

_MOST_RELATIONS = 200
_DEEPEST = 10
Name = Annotated[str, Field(min_length=1, max_length=500, description="Any spelling, or a part of the name.")]


class EntitiesInput(Given):
    type: Annotated[str | None, Field(description="Such as SERVICE.")] = None
    query: Annotated[str | None, Field(max_length=1000, description="A part of a name or description.")] = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 20


class RelationsInput(Given):
    entity: Name
    direction: Direction = "both"


class TraceInput(Given):
    entity: Name
    direction: Stream


class PathInput(Given):
    from_: Annotated[str, Field(alias="from", min_length=1, max_length=500)]
    to: Annotated[str, Field(min_length=1, max_length=500)]
    max_depth: Annotated[int, Field(alias="maxDepth", ge=1, le=20)] = 5


class StatsInput(Given):
    pass


@dataclass(frozen=True, slots=True)
class Stats:
    documents: int
    chunks: int
    entities: int
    relations: int
    vectors: int
    warnings: list[str] | None = None


async def _entities(backend: Backend, given: EntitiesInput, _: Call) -> Answer:
    page = await backend.entities(given.query or "", given.type or "", given.limit)
    found = [item(each) for each in page.entities]
    if not found:
        return Answer(Entities([]), "No entities found.")
    told = [f"{len(found)} entities:"]
    for each in found:
        told += [f"[{each.type}] {each.name}", *_told(each)]
    # Without the cursor, which nothing here could take: who wants more asks with a larger limit.
    return Answer(Entities(found), "\n".join(told))


async def _relations(backend: Backend, given: RelationsInput, _: Call) -> Answer:
    found = await backend.relations(given.entity, given.direction, _MOST_RELATIONS)
    stated = [state(each) for each in found.relations]
    name = found.entity.name
    shown = Related(name, stated, found.total, list(found.also) or None)
    told = [f'{found.total} relations for "{name}":'] if stated else [f'No relations found for "{name}".']
    for each in stated:
        told += [_arrow(each), *([f"  {each.description}"] if each.description else [])]
    if found.total > len(stated):
        told.append(f"... and {found.total - len(stated)} more")
    return Answer(shown, "\n".join([*told, *also_lines(given.entity, found.also)]))


async def _trace(backend: Backend, given: TraceInput, _: Call) -> Answer:
    found = await backend.trace(given.entity, given.direction, _DEEPEST)
    names = _names(found.tree)
    tree = lines(found.tree)
    shown = Traced(found.tree.name, found.direction, "\n".join(tree), names[1:], list(found.also) or None)
    if not found.tree.steps:
        told = [f'No {given.direction} flow found from "{found.tree.name}".']
    else:
        told = [f'{given.direction} flow from "{found.tree.name}":', " → ".join(names)]
        # A chain cannot show what hangs on what.
        told += ["", *tree]
    return Answer(shown, "\n".join([*told, *also_lines(given.entity, found.also)]))


async def _path(backend: Backend, given: PathInput, _: Call) -> Answer:
    found = await backend.path(given.from_, given.to, given.max_depth, False)
    stated = [state(each) for each in found.relations or ()]
    shown = Way(found.start, found.end, found.relations is not None, stated, list(found.also) or None)
    if stated:
        told = [f'Path from "{found.start}" to "{found.end}":', *map(_arrow, stated)]
    elif shown.found:
        told = [f'"{found.start}" and "{found.end}" are the same entity.']
    else:
        told = [f'No path found between "{found.start}" and "{found.end}".']
    return Answer(shown, "\n".join([*told, *also_lines(f"{given.from_} or {given.to}", found.also)]))


async def _stats(backend: Backend, _given: StatsInput, _: Call) -> Answer:
    counts = await backend.graph_stats()
    warnings = list(counts.warnings)
    shown = Stats(counts.documents, counts.chunks, counts.entities, counts.relations, counts.vectors, warnings or None)
    told = [
        f"Documents: {counts.documents}",
        f"Chunks: {counts.chunks}",
        f"Entities: {counts.entities}",
        f"Relations: {counts.relations}",
        f"Vectors: {counts.vectors}",
        *(f"Warning: {each}" for each in warnings),
    ]
    return Answer(shown, "\n".join(told))


def _told(each: Item) -> list[str]:
    return [f"  {each.description}"] if each.description else []


def _arrow(each: Stated) -> str:
    return f"{each.source} --[{each.type}]--> {each.target}"


def _names(step: Step) -> list[str]:
    """Of all that is reached, the start first, each once."""
    found = [step.name]
    for each in step.steps:
        found += _names(each)
    return list(dict.fromkeys(found))


ENTITIES = Tool(
    name="flowrag_entities",
    does="knowgate_entities",
    title="List entities",
    description='Entities by type, or by a part of their name or description. Example: {"type": "SERVICE"}',
    input=EntitiesInput,
    output=Entities,
    run=_entities,
)
RELATIONS = Tool(
    name="flowrag_relations",
    does="knowgate_relations",
    title="Relations of an entity",
    description='The relations that leave or reach an entity. Example: {"entity": "orders", "direction": "in"}',
    input=RelationsInput,
    output=Related,
    run=_relations,
)
TRACE = Tool(
    name="flowrag_trace",
    does="knowgate_trace",
    title="Trace a data flow",
    description=(
        "Everything up- or downstream of an entity, with branches. "
        'Example: {"entity": "orders", "direction": "downstream"}'
    ),
    input=TraceInput,
    output=Traced,
    run=_trace,
)
PATH = Tool(
    name="flowrag_path",
    does="knowgate_path",
    title="Path between entities",
    description='The shortest path along relations. Example: {"from": "web", "to": "ledger-db", "maxDepth": 5}',
    input=PathInput,
    output=Way,
    run=_path,
)
STATS = Tool(
    name="flowrag_stats",
    does="knowgate_stats",
    title="Statistics",
    description="How many documents, chunks, entities, relations and vectors there are.",
    input=StatsInput,
    output=Stats,
    run=_stats,
)
