"""The embedded store and the cluster at OPENSEARCH_FOR_TESTS, side by side: `python -m bench.store --opensearch`.

The same passages, vectors and facts go into both, in batches as `knowgate store copy` writes them. Every passage is
about a thing of its own and states relations to three others, one in twenty of them to one of a hundred hubs. A call
costs the milliseconds of CPU that this process and the nodes spend on it; in brackets stands the clock, half of the
calls within. As many other calls of the kind go before, unmeasured.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.store import CHUNKS_PER_DOCUMENT, DIMENSION, Corpus, batches
from bench.walks import targets
from knowgate.knowledge.graph.view import View
from knowgate.model import DEFAULT_SCHEMA, EVERYTHING, EmbedderIdentity, Filter
from knowgate.store.opensearch.connection import Address, Cluster
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Batch, DocumentWrite, Facts, Link, Matrix, Mention, Name, Store, Vector, VectorWrite
from knowgate.store.sqlite.store import SqliteStore

PREFIX = "bench-both"
AT_ONCE = 20
RELATIONS = 3
ROUNDS = 100
notes = Console(stderr=True)
Given = TypeVar("Given")


@dataclass(frozen=True)
class Cost:
    cpu: float
    clock: float


Figures = dict[str, "Cost | float"]


def with_facts(write: DocumentWrite, number: int, pointed: np.ndarray) -> DocumentWrite:
    names: list[Name] = []
    mentions: list[Mention] = []
    links: list[Link] = []
    for ordinal in range(CHUNKS_PER_DOCUMENT):
        own = number * CHUNKS_PER_DOCUMENT + ordinal
        others = sorted(set(pointed[own].tolist()) - {own})
        names.append(Name(f"e{own}", ordinal, 1.0))
        mentions += [Mention(f"e{each}", ordinal, f"E{each}", "SERVICE", 0.9) for each in (own, *others)]
        links += [Link(f"e{own}", f"e{each}", "USES", ordinal, 0.9) for each in others]
    return DocumentWrite(write.document, write.chunks, Facts(names, mentions, links))


def clock(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


@dataclass(frozen=True)
class Place:
    """A store, and what it costs."""

    store: Store
    folder: Path
    cluster: Cluster | None = None

    def of_nodes(self) -> float:
        """Milliseconds of CPU so far."""
        if self.cluster is None:
            return 0.0
        time.sleep(1.5)  # a node looks at itself once a second
        nodes = self.cluster.ask("GET", "/_nodes/stats/process")["nodes"].values()
        return sum(node["process"]["cpu"]["total_in_millis"] for node in nodes)

    def cost(self, action: Callable[[Given], object], over: Sequence[Given]) -> Cost:
        half = len(over) // 2
        for each in over[:half]:
            action(each)
        nodes = self.of_nodes()
        begin = time.process_time()
        spent = [clock(lambda each=each: action(each)) for each in over[half:]]
        cpu = (time.process_time() - begin) * 1000 + self.of_nodes() - nodes
        return Cost(cpu / len(spent), statistics.median(spent))

    def kilobytes(self) -> float:
        if self.cluster is None:
            return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file()) / 1000
        stats = self.cluster.ask("GET", f"/{PREFIX}-knowledge/_stats/store")
        return stats["_all"]["primaries"]["store"]["size_in_bytes"] / 1000

    def merge(self) -> None:
        """What a cluster does by itself in the course of time."""
        if self.cluster:
            # It keeps every row as it was sent until it is sure that no copy needs it; it looks twice a minute.
            self.cluster.ask("POST", f"/{PREFIX}-knowledge/_flush")
            time.sleep(75)
            self.cluster.ask("POST", f"/{PREFIX}-knowledge/_forcemerge", None, {"max_num_segments": 1})
            self.store.refresh()
            self.cluster.ask("POST", f"/{PREFIX}-knowledge/_flush", None, {"force": "true"})


def load(places: Sequence[Place], corpus: Corpus, size: int, matrix: Matrix, pointed: np.ndarray) -> list[Figures]:
    cpu, spent = [-place.of_nodes() for place in places], [0.0] * len(places)

    def timed(number: int, action: Callable[[], object]) -> None:
        begin = time.process_time()
        spent[number] += clock(action)
        cpu[number] += (time.process_time() - begin) * 1000

    pages = batches(corpus, size // CHUNKS_PER_DOCUMENT, AT_ONCE)
    for page in track(pages, "documents", size // CHUNKS_PER_DOCUMENT // AT_ONCE, console=notes, transient=True):
        batch = Batch(documents=[with_facts(write, int(write.document.id[3:]), pointed) for write in page])
        for number, place in enumerate(places):
            timed(number, lambda place=place, batch=batch: place.store.apply(batch))
    for number, place in enumerate(places):
        timed(number, lambda place=place: embed(place.store, matrix))
        timed(number, place.store.maintain)
        place.merge()
        cpu[number] += place.of_nodes()
    return [{"load a passage": Cost(cpu[number] / size, spent[number] / size)} for number in range(len(places))]


def embed(store: Store, matrix: Matrix) -> None:
    space = store.start_space(EmbedderIdentity("bench", "bench", DIMENSION))
    after = ""
    while waiting := store.pending(100, after):
        after = waiting[-1].document_id
        first = [int(each.document_id[3:]) * CHUNKS_PER_DOCUMENT for each in waiting]
        rows = [matrix[row : row + CHUNKS_PER_DOCUMENT] for row in first]
        store.apply(
            Batch(
                vectors=[
                    VectorWrite(each.document_id, each.revision, space.generation, vectors)
                    for each, vectors in zip(waiting, rows, strict=True)
                ]
            )
        )


def ask(place: Place, corpus: Corpus, size: int, matrix: Matrix) -> Figures:
    store, cost = place.store, place.cost
    questions = [corpus.question() for _ in range(2 * ROUNDS)]
    looks = list(corpus.vectors(2 * ROUNDS))
    pairs: list[list[int]] = np.random.default_rng(9).integers(0, size, (2 * ROUNDS, 2)).tolist()
    owner = Filter(owners=("owner3",))
    view = View(store, EVERYTHING, DEFAULT_SCHEMA, [])
    extra = [corpus.document(size // CHUNKS_PER_DOCUMENT + number) for number in range(20)]
    near = [
        len({hit.chunk_id for hit in store.search_vector(look, 10)} & set(nearest(matrix, look))) / 10
        for look in looks[:ROUNDS]
    ]
    return {
        "on disk, KB a passage": place.kilobytes() / size,
        "share of the ten nearest found": statistics.mean(near),
        "word search": cost(lambda q: store.search_text(q, 10), questions),
        "word search, 1 % filter": cost(lambda q: store.search_text(q, 10, owner), questions),
        "vector search": cost(lambda v: store.search_vector(v, 10), looks),
        "vector search, 1 % filter": cost(lambda v: store.search_vector(v, 10, owner), looks),
        "both lists of 100": cost(
            lambda both: (store.search_text(both[0], 100), store.search_vector(both[1], 100)),
            list(zip(questions, looks, strict=True)),
        ),
        "relations of 10 things": cost(lambda pair: store.neighbours(around(pair[0], size), "out"), pairs),
        "passages of 10 things": cost(lambda pair: store.passages_of(around(pair[0], size)), pairs),
        "path, at most 5": cost(lambda pair: view.path(f"e{pair[0]}", f"e{pair[1]}", 5), pairs),
        "path, at most 10": cost(lambda pair: view.path(f"e{pair[0]}", f"e{pair[1]}", 10), pairs[:40]),
        "trace downstream": cost(lambda pair: view.trace(f"e{pair[0]}", "downstream"), pairs[:40]),
        "add a document": cost(lambda write: store.apply(Batch(documents=[write])), extra),
        "delete a document": cost(lambda write: store.apply(Batch(delete=[write.document.id])), extra),
    }


def nearest(matrix: Matrix, look: Vector) -> list[str]:
    rows: list[int] = np.argsort(-(matrix @ look))[:10].tolist()
    return [f"doc{row // CHUNKS_PER_DOCUMENT:07d}:{row % CHUNKS_PER_DOCUMENT}" for row in rows]


def around(entity: int, size: int) -> list[str]:
    return [f"e{(entity + 97 * number) % size}" for number in range(10)]


def urls() -> tuple[str, ...]:
    return tuple(os.environ["OPENSEARCH_FOR_TESTS"].split(","))


def measure(size: int) -> list[Figures]:
    """Of the embedded store, and of the cluster."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="knowgate-bench-")))
        cluster = Cluster(Address(urls(), timeout_seconds=1800))
        stack.callback(cluster.close)
        stack.callback(cluster.ask, "DELETE", f"/{PREFIX}-*", missing_ok=True)
        cluster.ask("DELETE", f"/{PREFIX}-*", missing_ok=True)
        stores = [SqliteStore(folder), OpenSearchStore(Address(urls(), prefix=PREFIX, replicas=0))]
        for store in stores:
            stack.callback(store.close)
        places = [Place(stores[0], folder), Place(stores[1], folder, cluster)]
        corpus = Corpus()
        matrix, pointed = corpus.vectors(size), targets(size, RELATIONS)
        loaded = load(places, corpus, size, matrix, pointed)
        state = corpus.random.bit_generator.state
        figures: list[Figures] = []
        for place, each in zip(places, loaded, strict=True):
            corpus.random.bit_generator.state = state  # the same questions for both
            figures.append(each | ask(place, corpus, size, matrix))
        return figures


def compare(sizes: Sequence[int]) -> None:
    measured = [measure(size) for size in sizes]
    heads = [f"{size:,} {store}" for size in sizes for store in ("embedded", "cluster")]
    table = Table("what", *heads, "embedded grows", "cluster grows", "cluster / embedded")
    for name in measured[0][0]:
        cells = [figures[name] for pair in measured for figures in pair]
        values = [cell.cpu if isinstance(cell, Cost) else cell for cell in cells]
        ratios = (values[-2] / values[0], values[-1] / values[1], values[-1] / values[-2])
        table.add_row(name, *map(told, cells), *(f"× {ratio:.1f}" for ratio in ratios))
    Console(width=180).print(table)


def told(cell: Cost | float) -> str:
    return f"{cell.cpu:.2f} ({cell.clock:.2f})" if isinstance(cell, Cost) else f"{cell:.2f}"
