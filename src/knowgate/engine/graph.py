"""The knowledge graph, for one caller: nothing in it comes from documents that he may not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from knowgate.engine.gated import Gated, gated
from knowgate.engine.pages import cursor_at, offset_of
from knowgate.errors import InputError
from knowgate.model import Direction, Entity, EntityPage, GraphStats, Path, Relation, Relations, Schema, Stream, Trace

if TYPE_CHECKING:
    from knowgate.knowledge.graph.view import View

MAX_DEPTH = 20
MAX_LIMIT = 1000
_PASSAGES = 30
_NAMED = 1.0


class Graphs(Gated):
    @gated("entities")
    def entities(self, query: str = "", *, type: str = "", limit: int = 20, cursor: str = "") -> EntityPage:
        """The surest and most named first; the query is a part of a name or description, in any case."""
        self.may("read")
        offset = offset_of(cursor)
        _check_limit(limit)
        found = self._view().entities(query, self._type(type), offset, limit + 1)
        shown = map(self._showing().entity, found[:limit])
        return EntityPage(tuple(shown), cursor_at(offset + limit) if len(found) > limit else "")

    @gated("entities")
    def search_entities(self, query: str, *, type: str = "", limit: int = 10) -> list[tuple[Entity, float]]:
        """By meaning: what the question names, and what the passages that answer it name. Scores are 0 to 1."""
        from knowgate.knowledge.graph.modes import entities_of
        from knowgate.knowledge.search import Query

        self.may("read")
        _check_limit(limit)
        view, type = self._view(), self._type(type)
        scores = dict.fromkeys(entities_of(query, view), _NAMED)
        hits = self.rooms.search(Query(query, limit=_PASSAGES, where=self._visible())).hits
        passages = {hit.chunk.id: hit.score for hit in hits}
        for chunk_id, named in view.keys_in(list(passages)).items():
            for root, sure in named:
                scores[root] = max(scores.get(root, 0.0), passages[chunk_id] * sure)
        found = view.describe(sorted(scores, key=lambda root: (-scores[root], root)))
        shown = self._showing().entity
        fitting = [(shown(entity), scores[root]) for root, entity in found.items() if type in ("", entity.type)]
        return fitting[:limit]

    @gated("relations")
    def relations(self, entity: str, *, direction: Direction = "both", limit: int = 100) -> Relations:
        self.may("read")
        _check_limit(limit)
        view = self._view()
        resolved = view.resolve(entity)
        edges = view.edges([resolved.root], direction)
        shown = self._showing()
        told = tuple(map(shown.relation, view.tell(edges[:limit])))
        return Relations(shown.entity(resolved.entity), told, len(edges), shown.texts(resolved.also))

    @gated("trace")
    def trace(self, entity: str, *, direction: Stream, depth: int = 10) -> Trace:
        """Where things flow to (downstream) or come from (upstream), as a tree."""
        self.may("read")
        _check_depth(depth)
        view = self._view()
        resolved = view.resolve(entity)
        shown = self._showing()
        tree = view.trace(resolved.root, direction, depth)
        return Trace(direction, shown.step(tree), shown.texts(resolved.also))

    @gated("path")
    def path(self, start: str, end: str, *, max_depth: int = 5, any_direction: bool = False) -> Path:
        """The shortest way along relations, as they point or, if asked for, in any direction."""
        self.may("read")
        _check_depth(max_depth)
        view = self._view()
        first, last = view.resolve(start), view.resolve(end)
        found = view.path(first.root, last.root, max_depth, any_direction)
        shown = self._showing()
        return Path(
            shown.text(first.entity.name),
            shown.text(last.entity.name),
            None if found is None else tuple(map(shown.relation, found)),
            shown.texts(first.also + last.also),
        )

    @gated("stats")
    def graph_stats(self) -> GraphStats:
        self.may("read")
        counts = self.store.stats(self._visible())
        entities, relations = self._view().stats()
        return GraphStats(
            counts.documents,
            counts.chunks,
            sum(entities.values()),
            sum(relations.values()),
            counts.vectors,
            entities,
            relations,
            tuple(self.rooms.config_changes()) if self._bound() is None else (),
        )

    @gated("stats")
    def graph_schema(self) -> Schema:
        self.may("read")
        return self.rooms.schema

    @gated("graph")
    def graph_pages(self) -> Iterator[tuple[list[Entity], list[Relation]]]:
        """The whole graph that the caller may see, in parts: entities, each with the relations that leave it."""
        self.may("read")
        shown = self._showing()
        return (
            (list(map(shown.entity, entities)), list(map(shown.relation, relations)))
            for entities, relations in self._view().pages()
        )

    # What people decide about names; it outlives every new indexing.

    @gated("edit_graph", "admin", changes=True)
    def alias_entity(self, name: str, other: str) -> None:
        """The other name means the same, in whatever is or will be indexed."""
        self.may_rule()
        self.rooms.graph.alias(name, other)

    @gated("edit_graph", "admin", changes=True)
    def merge_entities(self, names: Sequence[str], into: str) -> None:
        self.may_rule()
        self.rooms.graph.merge(names, into)

    @gated("edit_graph", "admin", changes=True)
    def rename_entity(self, name: str, to: str) -> None:
        self.may_rule()
        self.rooms.graph.rename(name, to)

    @gated("edit_graph", "admin", changes=True)
    def forget_entity_name(self, name: str) -> bool:
        """Take back what was decided about a name; whether there was anything."""
        self.may_rule()
        return self.rooms.graph.forget(name)

    def _view(self) -> View:
        return self.rooms.graph.view(self._visible())

    def _type(self, given: str) -> str:
        """As the schema, or what was indexed under another one, spells it."""
        if not given:
            return ""
        known = dict.fromkeys((*self.rooms.schema.entity_types, *self._view().stats()[0]))
        for each in known:
            if each.casefold() == given.casefold():
                return each
        near = get_close_matches(given.upper(), known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
        raise InputError("unknown_type", f"There is no type {given!r} of entities.", hint)


def _check_limit(value: int) -> None:
    if not 1 <= value <= MAX_LIMIT:
        raise InputError("bad_limit", f"The limit {value} is out of range.", f"Use 1 to {MAX_LIMIT}.")


def _check_depth(value: int) -> None:
    if not 1 <= value <= MAX_DEPTH:
        raise InputError("bad_depth", f"The depth {value} is out of range.", f"Use 1 to {MAX_DEPTH}.")
