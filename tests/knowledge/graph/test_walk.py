"""Walks, against plain ones that look at every edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import LimitError
from knowgate.knowledge.graph import walk
from knowgate.knowledge.graph.walk import Expand, reachable, shortest_path
from knowgate.store.port import Edge

Pairs = set[tuple[str, str]]
NODES = st.sampled_from("ABCDEFGHIJ")
GRAPHS = st.sets(st.tuples(NODES, NODES).filter(lambda pair: pair[0] != pair[1]), max_size=30)


def edge(source: str, target: str) -> Edge:
    return Edge(source, target, "USES", 1.0, 1)


def ahead(pairs: Pairs) -> Expand:
    def expand(nodes: Sequence[str]) -> Iterator[tuple[str, Edge]]:
        for source, target in sorted(pairs):
            if source in nodes:
                yield target, edge(source, target)

    return expand


def back(pairs: Pairs) -> Expand:
    def expand(nodes: Sequence[str]) -> Iterator[tuple[str, Edge]]:
        for source, target in sorted(pairs):
            if target in nodes:
                yield source, edge(source, target)

    return expand


def both(pairs: Pairs) -> Expand:
    def expand(nodes: Sequence[str]) -> Iterator[tuple[str, Edge]]:
        yield from ahead(pairs)(nodes)
        yield from back(pairs)(nodes)

    return expand


def distances(pairs: Pairs, start: str) -> dict[str, int]:
    found, frontier, step = {start: 0}, {start}, 0
    while frontier:
        step += 1
        frontier = {target for source, target in pairs if source in frontier} - found.keys()
        found |= dict.fromkeys(frontier, step)
    return found


@given(GRAPHS, NODES, NODES, st.integers(1, 9))
def test_a_path_is_as_short_as_can_be(pairs: Pairs, start: str, end: str, depth: int) -> None:
    found = shortest_path(start, end, depth, ahead(pairs), back(pairs))
    distance = distances(pairs, start).get(end)
    if distance is None or distance > depth:
        assert found is None
        return
    assert found is not None
    assert len(found) == distance
    place = start
    for each in found:
        assert (each.source, each.target) in pairs
        assert each.source == place
        place = each.target
    assert place == end


@given(GRAPHS, NODES, NODES)
def test_in_any_direction_edges_are_crossed_both_ways(pairs: Pairs, start: str, end: str) -> None:
    found = shortest_path(start, end, 9, both(pairs), both(pairs))
    distance = distances(pairs | {(target, source) for source, target in pairs}, start).get(end)
    assert (None if found is None else len(found)) == distance
    place = start
    for each in found or []:
        place = each.target if each.source == place else each.source
    assert found is None or place == end


def test_a_path_takes_the_surest_of_several_edges() -> None:
    def expand(nodes: Sequence[str]) -> Iterator[tuple[str, Edge]]:
        for type, sure in (("KNOWS", 0.5), ("USES", 0.9), ("WANTS", 0.7)):
            if "A" in nodes:
                yield "B", Edge("A", "B", type, sure, 1)

    found = shortest_path("A", "B", 1, expand, expand)
    assert found is not None
    assert [each.type for each in found] == ["USES"]


def test_a_walk_that_would_see_the_whole_graph_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_VISITED", 10)
    pairs = {("A", f"n{number}") for number in range(20)}
    with pytest.raises(LimitError, match="More than 10"):
        shortest_path("A", "Z", 5, ahead(pairs | {("y", "Z"), ("x", "y"), ("w", "y")}), back(pairs | {("y", "Z")}))


@given(GRAPHS, NODES, st.integers(1, 6))
def test_a_trace_reaches_all_within_its_depth_and_counts_the_rest(pairs: Pairs, start: str, depth: int) -> None:
    tree = reachable(start, depth, 1000, ahead(pairs))
    reached = {start} | {node for steps in tree.steps.values() for node, _ in steps}
    assert reached == {node for node, steps in distances(pairs, start).items() if steps <= depth}
    for node, steps in tree.steps.items():
        assert {each for each, _ in steps} <= {target for source, target in pairs if source == node}
    assert bool(sum(tree.more.values())) == (max(distances(pairs, start).values()) > depth)
    away = distances(pairs, start)
    assert all(away[node] < depth for node in tree.steps)
    assert all(away[node] == away[above] + 1 for node, above in tree.first.items() if above)


@given(GRAPHS, NODES, st.integers(1, 5))
def test_a_trace_ends_when_there_are_enough(pairs: Pairs, start: str, most: int) -> None:
    tree = reachable(start, 20, most, ahead(pairs))
    reached = {start} | {node for steps in tree.steps.values() for node, _ in steps}
    assert len(reached) <= most + 1
    assert reached <= set(distances(pairs, start))
