"""Walks over a graph that is asked for its edges one frontier at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowgate.errors import LimitError
from knowgate.store.port import Edge

Expand = Callable[[Sequence[str]], Iterable[tuple[str, Edge]]]
"""For each of these nodes, the nodes it leads to and the edges that lead there."""
MOST_VISITED = 200_000


def shortest_path(start: str, end: str, depth: int, ahead: Expand, back: Expand) -> list[Edge] | None:
    """From both ends at once, the narrower frontier first; None when no path has so few edges.

    Of several edges to a node, the surest.
    """
    if start == end:
        return []
    came: tuple[dict[str, Edge | None], dict[str, Edge | None]] = {start: None}, {end: None}
    frontiers = [[start], [end]]
    for _ in range(depth):
        side = 0 if len(frontiers[0]) <= len(frontiers[1]) else 1
        seen, other = came[side], came[1 - side]
        reached: dict[str, Edge] = {}
        for node, edge in (ahead, back)[side](frontiers[side]):
            if node not in seen and (node not in reached or edge.confidence > reached[node].confidence):
                reached[node] = edge
        seen.update(reached)
        # All nodes of this frontier are as far from their end, so any meeting is on a shortest path.
        meeting = next((node for node in reached if node in other), None)
        if meeting is not None:
            return _backwards(meeting, came[0])[::-1] + _backwards(meeting, came[1])
        if not reached:
            return None
        if len(seen) + len(other) > MOST_VISITED:
            raise LimitError(
                "path_too_wide",
                f"More than {MOST_VISITED} entities lie within {depth} steps of the two.",
                "Ask for a path with a smaller depth.",
            )
        frontiers[side] = list(reached)
    return None


def _backwards(node: str, came: Mapping[str, Edge | None]) -> list[Edge]:
    steps: list[Edge] = []
    while (edge := came[node]) is not None:
        steps.append(edge)
        node = edge.source if edge.target == node else edge.target
    return steps


@dataclass(frozen=True, slots=True)
class Tree:
    steps: Mapping[str, Sequence[tuple[str, Sequence[Edge]]]]
    """What each node leads to, with all edges between the two."""
    first: Mapping[str, str]
    """From where each node was reached first, on one of the shortest ways."""
    more: Mapping[str, int]
    """How many further nodes a node leads to that were left out."""


def reachable(start: str, depth: int, most: int, expand: Expand) -> Tree:
    """Level by level, the surest edges first, until the depth is reached or there are so many nodes."""
    steps: dict[str, list[tuple[str, list[Edge]]]] = {}
    more: Counter[str] = Counter()
    first = {start: ""}
    frontier = [start]
    for level in range(depth + 1):
        found: defaultdict[str, defaultdict[str, list[Edge]]] = defaultdict(lambda: defaultdict(list))
        for node, edge in expand(frontier) if frontier else ():
            found[edge.source if edge.target == node else edge.target][node].append(edge)
        reached: list[str] = []
        for node in frontier:
            for each, edges in found[node].items():
                new = each not in first
                if new and (level == depth or len(first) > most):
                    more[node] += 1
                    continue
                if new:
                    reached.append(each)
                    first[each] = node
                if level < depth:
                    steps.setdefault(node, []).append((each, edges))
        frontier = reached
    return Tree(steps, first, more)
