"""How fast documents go in, models aside: `python -m bench.indexing [--chunks 10000 100000]`.

Markdown files with headings, paragraphs, lists and tables are read, parsed in worker processes, cut, and written with
their words; vectors are left out. Counted is the CPU time of this process and of its workers.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
from importlib.resources import files as files_of
from pathlib import Path

import orjson

from bench.store import Corpus
from knowgate.knowledge.embed import create_embedder
from knowgate.knowledge.embedding import Embedding
from knowgate.knowledge.ingest import Ingest
from knowgate.knowledge.leases import Leases
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sandbox import Sandbox
from knowgate.knowledge.reading import Reading, ReadRules
from knowgate.knowledge.tasks import Request, Tasks
from knowgate.model import EVERYTHING
from knowgate.net import NetRules
from knowgate.store.sqlite.store import SqliteStore

SECTIONS = 20


def write_files(folder: Path, files: int) -> None:
    # Words the built-in model knows whole, so that passages have as many words as in real text.
    known = orjson.loads(files_of("knowgate.knowledge.embed").joinpath("minilm", "tokenizer.json").read_bytes())
    words = [word for word in known["model"]["vocab"] if word.isascii() and word.isalpha() and len(word) > 2]
    corpus, chance = Corpus(words=words), random.Random(7)
    for number in range(files):
        parts = [f"# Document {number}\n\n{corpus.text(40)}.\n"]
        for section in range(SECTIONS):
            body = f"{corpus.text(chance.randint(50, 110)).capitalize()}."
            if section % 5 == 4:
                rows = "\n".join(f"| {corpus.text(2)} | {corpus.text(3)} |" for _ in range(6))
                body += f"\n\n| name | what |\n|---|---|\n{rows}"
            parts.append(f"## Part {section}\n\n{body}\n")
        path = folder / f"{number % 50:02d}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), encoding="utf-8")


def cpu_seconds() -> float:
    own, children = os.times()[:2], resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(own) + children.ru_utime + children.ru_stime


def measure(chunks: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        write_files(root / "docs", chunks // SECTIONS)
        store = SqliteStore(root / "data")
        leases, tasks, embedder = Leases(store), Tasks(store), create_embedder()
        begin = cpu_seconds()
        sandbox = Sandbox()
        rules = ReadRules(100_000_000, 250, ParseOptions(), NetRules())
        ingest = Ingest(
            store,
            leases,
            tasks,
            Reading(store, sandbox, rules, embedder.count),
            Embedding(store, leases, lambda: embedder),
            exclude=(),
            data=root / "data",
            workers=2,
            bound=lambda _: EVERYTHING,
        )
        task = tasks.create("ingest", Request((str(root / "docs"),)))
        ingest.bring_in(task.id, lambda _: None)
        sandbox.close()
        spent = cpu_seconds() - begin
        begin = cpu_seconds()
        again = tasks.create("ingest", Request((str(root / "docs"),)))
        ingest.bring_in(again.id, lambda _: None)
        unchanged = cpu_seconds() - begin
        found = store.stats()
        leases.close()
        store.close()
    return {
        "documents": found.documents,
        "chunks": found.chunks,
        "chunks per CPU second": found.chunks / spent,
        "unchanged files per CPU second": found.documents / unchanged,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    measured = [measure(size) for size in arguments.chunks]
    if arguments.json:
        print(orjson.dumps(measured, option=orjson.OPT_INDENT_2).decode())
        return
    for results in measured:
        print("  ".join(f"{name}: {value:,.0f}" for name, value in results.items()))


if __name__ == "__main__":
    main()
