"""How well search finds: `python -m bench.retrieval [SETS…] [--eval ../shared/eval] [--cache FOLDER] [--opensearch]`.

Every passage of a set becomes a document and goes the product's own way: cut, stored, embedded, searched. A document's
rank is that of its best passage. Sets are folders with corpus.jsonl, queries.jsonl and qrels.tsv. With --cache the
indexes are kept, and a second run embeds nothing. With --opensearch each index is copied to the cluster at
OPENSEARCH_FOR_TESTS, searched there as well, and the differences are shown.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeRemainingColumn, track
from rich.table import Table

from knowgate.config.settings import Chunk as ChunkSettings
from knowgate.config.settings import Settings
from knowgate.config.settings import Store as StoreSettings
from knowgate.engine import Engine
from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.embedding import Embedding
from knowgate.knowledge.graph.facts import document_facts
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.parse.reader import TextBuilder
from knowgate.model import DEFAULT_SCHEMA, Document, Parsed, SearchMode
from knowgate.rooms import cluster_address
from knowgate.store.copy import copy
from knowgate.store.opensearch.connection import Cluster
from knowgate.store.port import Batch, DocumentWrite

MODES: tuple[SearchMode, ...] = ("keyword", "naive", "local", "global", "hybrid")
DEPTH = 50
notes = Console(stderr=True)


@dataclass(frozen=True)
class Figures:
    ndcg: float
    recall: float
    milliseconds: float

    def __sub__(self, other: Figures) -> Figures:
        return Figures(self.ndcg - other.ndcg, self.recall - other.recall, self.milliseconds - other.milliseconds)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in file:
            yield orjson.loads(line)


def judgements(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        found.setdefault(query, {})[document] = int(grade)
    return found


def document(item: dict[str, Any], engine: Engine) -> DocumentWrite:
    builder = TextBuilder()
    builder.add("heading", item["title"], level=1)
    builder.add("text", item["text"])
    text, blocks = builder.build()
    parsed = Parsed(text, blocks, "text", "text/plain", item["title"])
    chunks = chunk(parsed, item["id"], item["title"], engine.embedder().count, engine.settings.chunk.tokens)
    return DocumentWrite(
        Document(
            item["id"], item["id"], f"bench:{item['id']}", "text", "text/plain", item["title"], item["id"],
            str(engine.settings.chunk.tokens), len(text), "bench", 0.0, 0.0, chunks=len(chunks),
        ),
        chunks,
        document_facts(parsed, item["title"], chunks, DEFAULT_SCHEMA, item["id"]),
    )  # fmt: skip


def index(folder: Path, engine: Engine) -> None:
    items = list(lines(folder / "corpus.jsonl"))
    if engine.stats().documents != len(items) or not engine.store.count_graph()[0]:
        for item in track(items, f"{folder.name}: reading", console=notes, transient=True):
            engine.store.apply(Batch(documents=[document(item, engine)]))
    leases = Leases(engine.store)
    columns = (TextColumn("{task.description}"), *Progress.get_default_columns()[1:], TimeRemainingColumn())
    with Progress(*columns, console=notes, transient=True) as progress:
        bar = progress.add_task(f"{folder.name}: embedding")
        Embedding(engine.store, leases, engine.embedder).run(
            lambda done, total: progress.update(bar, completed=done, total=total), lambda: False
        )
    leases.close()


def ranking(engine: Engine, text: str, mode: SearchMode) -> list[str]:
    hits = engine.search(text, mode=mode, limit=DEPTH).hits
    return list(dict.fromkeys(hit.document.id for hit in hits))


def ndcg(ranked: list[str], relevant: dict[str, int], depth: int = 10) -> float:
    gain = sum(relevant.get(id, 0) / math.log2(place + 2) for place, id in enumerate(ranked[:depth]))
    ideal = sorted(relevant.values(), reverse=True)[:depth]
    return gain / sum(grade / math.log2(place + 2) for place, grade in enumerate(ideal))


@contextmanager
def on_a_cluster(engine: Engine, name: str) -> Generator[Engine]:
    """Another engine, on a copy of the index."""
    urls = tuple(os.environ["OPENSEARCH_FOR_TESTS"].split(","))
    store = StoreSettings(provider="opensearch", url=urls, prefix=f"bench-{name.lower()}", replicas=0)
    cluster = Cluster(cluster_address(store))
    try:
        with Engine(engine.settings.model_copy(update={"store": store})) as there:
            with Progress(console=notes, transient=True) as progress:
                bar = progress.add_task(f"{name}: copying")
                copy(
                    engine.store, there.store, (),
                    lambda done, total: progress.update(bar, completed=done, total=total),
                )  # fmt: skip
            yield there
    finally:
        cluster.ask("DELETE", f"/{store.prefix}-*", missing_ok=True)
        cluster.close()


def measure(folder: Path, engine: Engine) -> dict[SearchMode, Figures]:
    relevant = judgements(folder / "qrels.tsv")
    queries = [query for query in lines(folder / "queries.jsonl") if query["id"] in relevant]
    results: dict[SearchMode, Figures] = {}
    for mode in MODES:
        begin = time.process_time()
        ranked = [
            (ranking(engine, query["text"], mode), relevant[query["id"]])
            for query in track(queries, f"{folder.name}: {mode}", console=notes, transient=True)
        ]
        spent = (time.process_time() - begin) * 1000 / len(queries)
        results[mode] = Figures(
            sum(ndcg(found, wanted) for found, wanted in ranked) / len(ranked),
            sum(len(set(found[:5]) & set(wanted)) / min(5, len(wanted)) for found, wanted in ranked) / len(ranked),
            spent,
        )
    return results


def show(table: Table, name: str, figures: dict[SearchMode, Figures]) -> None:
    spent = f"{figures['hybrid'].milliseconds:.1f}"
    table.add_row(name, "nDCG@10", *(f"{figures[mode].ndcg:.4f}" for mode in MODES), spent)
    table.add_row("", "recall@5", *(f"{figures[mode].recall:.4f}" for mode in MODES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="names of sets; all when none is named")
    parser.add_argument("--eval", type=Path, default=Path(__file__).parents[2] / "shared" / "eval")
    parser.add_argument("--cache", type=Path, help="keep the indexes here")
    parser.add_argument("--tokens", type=int, default=ChunkSettings().tokens, help="size of passages")
    parser.add_argument("--opensearch", action="store_true", help="the same on a cluster, too")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    root: Path = arguments.eval / "retrieval"
    if not root.is_dir():
        parser.error(f"no evaluation data in {root}; name its folder with --eval")
    folders = [root / name for name in arguments.sets] or sorted(path.parent for path in root.glob("*/corpus.jsonl"))
    table = Table("set", "figure", *MODES, "ms a query (hybrid)")
    everything: dict[str, dict[SearchMode, Figures]] = {}
    for folder in folders:
        with tempfile.TemporaryDirectory() as scratch:
            data = (arguments.cache or Path(scratch)) / f"{folder.name}-{arguments.tokens}"
            with Engine(Settings(data=data, chunk=ChunkSettings(tokens=arguments.tokens))) as engine:
                index(folder, engine)
                ours = everything[folder.name] = measure(folder, engine)
                show(table, folder.name, ours)
                if arguments.opensearch:
                    with on_a_cluster(engine, folder.name) as there:
                        theirs = everything[f"{folder.name} (cluster)"] = measure(folder, there)
                    show(table, f"{folder.name} (cluster)", theirs)
                    show(table, "difference", {mode: theirs[mode] - ours[mode] for mode in MODES})
        notes.print(f"{folder.name}: done")
    if arguments.json:
        print(orjson.dumps(everything, option=orjson.OPT_INDENT_2).decode())
    else:
        Console().print(table)


if __name__ == "__main__":
    main()
