"""Paths and traces in a large graph: `python -m bench.walks [--entities 1000000] [--relations 5] [--data FOLDER]`.

The graph is drawn at random, with a few hubs that many point to. Paths are compared with those of a plain
breadth-first search over the same pairs, in the same run.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from knowgate.knowledge.graph.view import View
from knowgate.model import DEFAULT_SCHEMA, EVERYTHING, Chunk, Document, Stream
from knowgate.store.port import Batch, DocumentWrite, Facts, Link, Mention
from knowgate.store.sqlite.store import SqliteStore

PAGE = 1000
notes = Console(stderr=True)


def targets(entities: int, relations: int) -> np.ndarray:
    """For each entity those it points to; one in twenty points to one of a hundred hubs."""
    drawn = np.random.default_rng(7)
    found = drawn.integers(0, entities, (entities, relations))
    hub = drawn.random((entities, relations)) < 0.05
    found[hub] = drawn.integers(0, 100, int(hub.sum()))
    return found


def fill(store: SqliteStore, pointed: np.ndarray) -> None:
    for first in track(range(0, len(pointed), PAGE), "writing", console=notes, transient=True):
        name = f"part{first}"
        document = Document(name, name, f"bench:{name}", "text", "text/plain", "", "", "", 0, "bench", 0, 0, chunks=1)
        numbers = range(first, min(first + PAGE, len(pointed)))
        facts = Facts(
            mentions=[Mention(f"e{number}", 0, f"E{number}", "SERVICE", 0.9) for number in numbers],
            links=[
                Link(f"e{number}", f"e{target}", "USES", 0, 0.9)
                for number in numbers
                for target in sorted(set(pointed[number].tolist()) - {number})
            ],
        )
        store.apply(Batch(documents=[DocumentWrite(document, [Chunk(f"{name}:0", name, 0, name, (), 0, 1)], facts)]))


def plain_distance(pointed: np.ndarray, start: int, end: int, depth: int) -> int | None:
    seen = np.zeros(len(pointed), dtype=bool)
    seen[start] = True
    frontier = np.array([start])
    for step in range(1, depth + 1):
        frontier = np.unique(pointed[frontier])
        frontier = frontier[~seen[frontier]]
        seen[frontier] = True
        if seen[end]:
            return step
    return None


def timed(work: Callable[[], object]) -> tuple[float, object]:
    began = time.perf_counter()
    found = work()
    return (time.perf_counter() - began) * 1000, found


def trace(view: View, entity: int, stream: Stream) -> float:
    return timed(lambda: view.trace(f"e{entity}", stream))[0]


def main(
    entities: Annotated[int, typer.Option(help="How many.")] = 1_000_000,
    relations: Annotated[int, typer.Option(help="Of each entity.")] = 5,
    rounds: Annotated[int, typer.Option(help="How many pairs.")] = 200,
    data: Annotated[Path | None, typer.Option(help="Keep the graph here.")] = None,
) -> None:
    with ExitStack() as stack:
        folder = data or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = SqliteStore(folder)
        stack.callback(store.close)
        pointed = targets(entities, relations)
        if not store.spellings([f"e{entities - 1}"]):
            fill(store, pointed)
        view = View(store, EVERYTHING, DEFAULT_SCHEMA, [])
        pairs = np.random.default_rng(8).integers(0, entities, (rounds, 2))
        table = Table("what", "p50 ms", "p95 ms", "largest ms", "right")
        for depth in (5, 10):
            spent: list[float] = []
            right = 0
            for start, end in pairs.tolist():
                took, path = timed(lambda: view.path(f"e{start}", f"e{end}", depth))  # noqa: B023
                spent.append(took)
                expected = 0 if start == end else plain_distance(pointed, start, end, depth)
                right += (None if path is None else len(path)) == expected  # type: ignore[arg-type]
            add(table, f"path, at most {depth}", spent, f"{right} of {rounds}")
        starts = pairs[:50, 0].tolist()
        add(table, "trace downstream", [trace(view, start, "downstream") for start in starts], "")
        add(table, "trace upstream", [trace(view, start, "upstream") for start in starts], "")
        add(table, "trace upstream of a hub", [trace(view, hub, "upstream") for hub in range(5)], "")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if data else 0
    Console().print(table)
    Console().print(f"{entities} entities, {entities * relations} relations" + (f", {size >> 20} MB" if size else ""))


def add(table: Table, what: str, spent: list[float], right: str) -> None:
    ordered = sorted(spent)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    table.add_row(what, f"{statistics.median(spent):.1f}", f"{p95:.1f}", f"{ordered[-1]:.1f}", right)


if __name__ == "__main__":
    typer.run(main)
