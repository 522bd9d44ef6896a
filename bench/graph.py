"""What extraction finds with no model: `python -m bench.graph [--eval ../shared/eval] [--json] [--details SYSTEM]`.

Architecture documents are read the product's own way and united to a graph; its parts and their relations are compared
with a graph that people drew. A part is an entity of a component's type that is sure enough; whatever else is found
counts as invented. Beside it stand two baselines that are *told* the right names and relate those in one sentence or in
one passage. The other sets have names and relations marked in running text.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from knowgate.errors import DocumentError
from knowgate.knowledge.chunk import chunk
from knowgate.knowledge.extract import DEFAULT_SCHEMA, Extraction, extract, key
from knowgate.knowledge.graph.facts import kept_facts
from knowgate.knowledge.graph.view import View
from knowgate.knowledge.parse import parse
from knowgate.knowledge.parse.reader import ParseOptions, TextBuilder
from knowgate.model import EVERYTHING, Chunk, Document, Entity, Parsed, Relation
from knowgate.store.port import Batch, DocumentWrite
from knowgate.store.sqlite.store import SqliteStore

EVAL = Path(__file__).parents[2] / "shared" / "eval"
PARTS = ("SERVICE", "DATABASE")
SURE = 0.5
NO_NAMES = frozenset({"TIME", "NUM", "Value", "Version", "Code_Block", "Output_Block"})
"""Types of marked text that no graph needs as entities."""
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
Edges = set[frozenset[str]]


@dataclass(frozen=True)
class Figures:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return (
            2 * self.precision * self.recall / (self.precision + self.recall) if self.precision + self.recall else 0.0
        )


@dataclass(frozen=True)
class System:
    name: str
    nodes: Figures
    invented: list[str]
    edges: Figures
    among_gold: Figures
    """Of edges between right nodes only."""
    sentence: Figures
    passage: Figures
    gold_edges: int
    wrong: list[str]
    missing: list[str]


@dataclass(frozen=True)
class Names:
    name: str
    exact: Figures
    overlapping: Figures
    proper_recall: float
    """Of exact names, without dates, numbers and blocks of code."""
    relation_recall: float | None


@dataclass(frozen=True)
class Read:
    parsed: Parsed
    chunks: list[Chunk]
    extraction: Extraction


def words(text: str) -> int:
    return len(text.split())


def read(parsed: Parsed, name: str) -> Read:
    chunks = chunk(parsed, name, parsed.title or Path(name).stem, words, 300)
    return Read(parsed, chunks, extract(parsed, chunks, DEFAULT_SCHEMA, name))


def read_folder(folder: Path) -> Iterator[Read]:
    for path in sorted(folder.iterdir()):
        try:
            yield read(parse(path.read_bytes(), path.name, ParseOptions()), path.name)
        except DocumentError:
            continue  # an empty file says nothing


def figures(found: int, right: int, gold: int, met: int | None = None) -> Figures:
    return Figures(right / found if found else 0.0, (right if met is None else met) / gold if gold else 0.0)


def measure_system(folder: Path) -> System:
    gold = orjson.loads((folder / "gold.json").read_bytes())
    documents = list(read_folder(folder / "docs"))
    entities, relations = unite(documents)
    by_key = {key(node["name"]): node["name"] for node in gold["nodes"]}
    parts = {each.name: keys_of(each) for each in entities if each.type in PARTS and each.confidence >= SURE}
    means = {name: next((by_key[one] for one in keys if one in by_key), "") for name, keys in parts.items()}
    met = {name for name in means.values() if name}
    wanted = {frozenset((edge["from"], edge["to"])) for edge in gold["edges"]}
    drawn = edges_of(relations, means)
    among = {edge for edge in drawn if all(end in met for end in edge)}
    patterns = {name: name_pattern(name) for name in by_key.values()}
    texts = [each.parsed.text for each in documents]
    return System(
        folder.name,
        figures(len(parts), sum(map(bool, means.values())), len(by_key), len(met)),
        sorted(name for name, right in means.items() if not right),
        compare(drawn, wanted),
        compare(among, wanted),
        compare(together(patterns, (one for text in texts for one in SENTENCE.split(text))), wanted),
        compare(together(patterns, (one.text for each in documents for one in each.chunks)), wanted),
        len(wanted),
        sorted(" - ".join(sorted(edge)) for edge in drawn - wanted),
        sorted(" - ".join(sorted(edge)) for edge in wanted - drawn),
    )


def unite(documents: list[Read]) -> tuple[list[Entity], list[Relation]]:
    """The graph as the product keeps it and shows it."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder))
        for number, each in enumerate(documents):
            name = f"{number}"
            about = Document(
                name, name, f"bench:{name}", each.parsed.type, each.parsed.mime, "", "", "", 0, "bench", 0, 0
            )
            chunks = [replace(one, id=f"{name}:{one.ordinal}", document_id=name) for one in each.chunks]
            store.apply(Batch(documents=[DocumentWrite(about, chunks, kept_facts(each.extraction))]))
        pages = list(View(store, EVERYTHING, DEFAULT_SCHEMA, []).pages())
        store.close()
    return [one for page in pages for one in page[0]], [one for page in pages for one in page[1]]


def keys_of(entity: Entity) -> list[str]:
    return sorted({key(name) for name in (entity.name, *entity.aliases)})


def edges_of(relations: list[Relation], means: dict[str, str]) -> Edges:
    ends = [(each.source, each.target) for each in relations if each.source in means and each.target in means]
    drawn = {frozenset((means[one] or f"?{one}", means[two] or f"?{two}")) for one, two in ends}
    return {edge for edge in drawn if len(edge) == 2}


def compare(drawn: Edges, wanted: Edges) -> Figures:
    return figures(len(drawn), len(drawn & wanted), len(wanted))


def name_pattern(name: str) -> re.Pattern[str]:
    spelled = r"[-_ ]?".join(map(re.escape, re.split(r"[-_ ]", name)))
    return re.compile(rf"(?<![A-Za-z0-9]){spelled}(?![A-Za-z0-9])", re.IGNORECASE)


def together(patterns: dict[str, re.Pattern[str]], units: Iterable[str]) -> Edges:
    found: Edges = set()
    for unit in units:
        there = [name for name, pattern in patterns.items() if pattern.search(unit)]
        found |= {frozenset(pair) for pair in combinations(there, 2)}
    return found


def measure_names(folder: Path) -> Names:
    """An entity is found when a name has its key; overlapping counts names that share characters with it, too."""
    found = right = near = gold = met = met_near = proper = proper_met = relations = related = 0
    for line in (folder / "docs.jsonl").read_bytes().splitlines():
        item = orjson.loads(line)
        if not item["text"].strip():
            continue
        builder = TextBuilder()
        builder.add("text", item["text"])
        text, blocks = builder.build()
        one = read(Parsed(text, blocks, "text", "text/plain"), item["id"])
        spans = {(one.chunks[each.chunk].start + each.start, one.chunks[each.chunk].start + each.end): each.name
                 for each in one.extraction.mentions}  # fmt: skip
        keys = {key(name) for name in spans.values()}
        names = [{key(text[low:high]) for low, high in entity["mentions"]} for entity in item["entities"]]
        wanted = {name for each in names for name in each}
        places = [tuple(place) for entity in item["entities"] for place in entity["mentions"]]
        found += len(keys)
        right += len(keys & wanted)
        near += len({key(name) for span, name in spans.items() if overlaps(span, places)} | (keys & wanted))
        gold += len(names)
        met += sum(bool(each & keys) for each in names)
        real = [each for each, entity in zip(names, item["entities"], strict=True) if entity["type"] not in NO_NAMES]
        proper += len(real)
        proper_met += sum(bool(each & keys) for each in real)
        met_near += sum(
            bool(each & keys) or any(overlaps(tuple(place), list(spans)) for place in entity["mentions"])
            for each, entity in zip(names, item["entities"], strict=True)
        )
        linked = {frozenset((key(each.source), key(each.target))) for each in one.extraction.relations}
        pairs = {frozenset((each["head"], each["tail"])) for each in item["relations"] if each["head"] != each["tail"]}
        relations += len(pairs)
        related += sum(is_linked(names, sorted(pair), linked) for pair in pairs)
    return Names(
        folder.name,
        figures(found, right, gold, met),
        figures(found, near, gold, met_near),
        proper_met / proper if proper else 0.0,
        related / relations if relations else None,
    )


def overlaps(span: tuple[int, ...], places: list[Any]) -> bool:
    return any(span[0] < place[1] and place[0] < span[1] for place in places)


def is_linked(names: list[set[str]], pair: list[int], linked: Edges) -> bool:
    return any(frozenset((one, two)) in linked for one in names[pair[0]] for two in names[pair[1]])


def measure_speed(folder: Path) -> tuple[int, float]:
    """Passages, and CPU milliseconds for each: extraction alone, of all architecture documents."""
    documents = [each for system in sorted(folder.iterdir()) for each in read_folder(system / "docs")]
    count = sum(len(each.chunks) for each in documents)
    rounds = 5
    begun = time.process_time()
    for _ in range(rounds):
        for each in documents:
            extract(each.parsed, each.chunks, DEFAULT_SCHEMA)
    return count, (time.process_time() - begun) / rounds / max(count, 1) * 1000


def shown(value: Figures) -> str:
    return f"{value.f1:.2f} ({value.precision:.2f}/{value.recall:.2f})"


def print_report(systems: list[System], names: list[Names], speed: tuple[int, float], details: str) -> None:
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False)
    columns = ("system", "nodes F1 (P/R)", "invented", "edges F1 (P/R)", "among right nodes")
    table = Table(*columns, "same sentence", "same passage", "gold edges", title="Graphs of systems")
    for each in systems:
        has = each.gold_edges > 0
        edges = (each.edges, each.among_gold, each.sentence, each.passage)
        table.add_row(
            each.name, shown(each.nodes), str(len(each.invented)), *(shown(one) if has else "" for one in edges),
            str(each.gold_edges or ""),
        )  # fmt: skip
    drawn = [each for each in systems if each.gold_edges]
    if drawn:
        every = zip(*((one.edges.f1, one.among_gold.f1, one.sentence.f1, one.passage.f1) for one in drawn), strict=True)
        nodes = fmean(each.nodes.f1 for each in systems)
        table.add_row("mean", f"{nodes:.3f}", "", *(f"{fmean(each):.3f}" for each in every), "")
    console.print(table)
    columns = ("set", "exact F1 (P/R)", "overlapping F1 (P/R)", "recall of proper names", "relation recall")
    text = Table(*columns, title="Names in text")
    for one in names:
        recall = "" if one.relation_recall is None else f"{one.relation_recall:.2f}"
        text.add_row(one.name, shown(one.exact), shown(one.overlapping), f"{one.proper_recall:.2f}", recall)
    console.print(text)
    console.print(f"{speed[0]} passages, {speed[1]:.3f} ms of CPU each")
    for each in systems:
        if details and details in each.name:
            console.print(f"{each.name}\n invented {each.invented}\n wrong {each.wrong}\n missing {each.missing}")


def main(
    eval_folder: Annotated[Path, typer.Option("--eval", help="The evaluation data.")] = EVAL,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
    details: Annotated[str, typer.Option(help="Show what is wrong with systems of this name.")] = "",
) -> None:
    if not (eval_folder / "arch").is_dir():
        typer.echo(f"There is no {eval_folder / 'arch'}. Give the evaluation data with --eval PATH.", err=True)
        raise typer.Exit(2)
    systems = [measure_system(folder) for folder in sorted((eval_folder / "arch").iterdir())]
    names = [measure_names(folder) for folder in sorted((eval_folder / "ie").iterdir())]
    speed = measure_speed(eval_folder / "arch")
    if as_json:
        report = {"systems": [asdict(one) for one in systems], "names": [asdict(one) for one in names], "speed": speed}
        sys.stdout.buffer.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        print_report(systems, names, speed, details)


if __name__ == "__main__":
    typer.run(main)
