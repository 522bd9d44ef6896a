"""How fast the store is: `python -m bench.store [--chunks 10000 100000] [--opensearch]`.

Text is drawn from a Zipf vocabulary, vectors from clusters; no model runs. Times are CPU milliseconds of one thread,
each also as a ratio to a BLAS scan (numpy, float32) of the same vectors in the same run. With --opensearch the cluster
at OPENSEARCH_FOR_TESTS is compared with the embedded store instead, graph included:
`python scripts/opensearch.py with --heap 1g -- python -m bench.store --opensearch`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
import orjson

from knowgate.model import Chunk, Document, EmbedderIdentity, Filter
from knowgate.store.port import Batch, DocumentWrite, Matrix, VectorWrite
from knowgate.store.sqlite.store import SqliteStore

DIMENSION = 384
CHUNKS_PER_DOCUMENT = 20
SOURCES = 100


class Corpus:
    def __init__(self, words: list[str] | None = None, seed: int = 7, clusters: int = 2_000) -> None:
        self.random = np.random.default_rng(seed)
        self.words = words or self._invented(120_000)
        weights = 1 / np.arange(1, len(self.words) + 1)
        self.cumulative = np.cumsum(weights / weights.sum())
        self.centres = self.random.standard_normal((clusters, DIMENSION)).astype(np.float32)
        self.directions = self.random.standard_normal((64, DIMENSION)).astype(np.float32) / 8

    def _invented(self, count: int) -> list[str]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        spelling: list[list[int]] = self.random.integers(0, 26, (count, 12)).tolist()
        return ["".join(letters[n] for n in word[: 3 + i % 9]) + str(i % 7) for i, word in enumerate(spelling)]

    def text(self, words: int) -> str:
        return self._drawn(self.random.random(words))

    def question(self, words: int = 6) -> str:
        """Content words: none of the hundred most frequent, as in a question freed of stop words."""
        return self._drawn(self.random.uniform(self.cumulative[100], 1, words))

    def _drawn(self, chances: npt.NDArray[np.float64]) -> str:
        places = np.minimum(np.searchsorted(self.cumulative, chances), len(self.words) - 1)
        return " ".join(self.words[int(place)] for place in places)

    def vectors(self, count: int) -> Matrix:
        centre = self.centres[self.random.zipf(1.3, count) % len(self.centres)]
        spread = self.random.standard_normal((count, 64)).astype(np.float32) @ self.directions
        found = centre + 0.9 * spread + 0.2 * self.random.standard_normal((count, DIMENSION)).astype(np.float32)
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)

    def document(self, number: int) -> DocumentWrite:
        id = f"doc{number:07d}"
        chunks: list[Chunk] = []
        start = 0
        for ordinal in range(CHUNKS_PER_DOCUMENT):
            text = self.text(int(self.random.integers(60, 140)))
            heading = (f"Document {number}", f"Part {ordinal}")
            chunks.append(Chunk(f"{id}:{ordinal}", id, ordinal, text, heading, start, start + len(text), tokens=150))
            start += len(text) + 2
        source = f"/bench/{number % SOURCES}/{number}.md"
        document = Document(
            id, f"{number}.md", source, "markdown", "text/markdown", f"Document {number}", id, "bench", start,
            f"owner{number % SOURCES}", 0.0, 0.0,
        )  # fmt: skip
        return DocumentWrite(document, chunks)


def cpu(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return (time.process_time() - begin) * 1000


def batches(corpus: Corpus, documents: int, size: int = 50) -> Iterator[list[DocumentWrite]]:
    for first in range(0, documents, size):
        yield [corpus.document(number) for number in range(first, min(first + size, documents))]


def memory_of_a_fresh_reader(folder: Path) -> float:
    """Private megabytes of a new process that opens the store and searches both ways."""
    script = (
        "import sys, pathlib, numpy as np\n"
        "from knowgate.store.sqlite.store import SqliteStore\n"
        "s = SqliteStore(pathlib.Path(sys.argv[1]))\n"
        "v = np.ones(384, dtype=np.float32) / 384 ** 0.5\n"
        "for _ in range(5): s.search_text('alpha beta gamma', 10); s.search_vector(v, 10)\n"
        "import re\n"
        "status = pathlib.Path('/proc/self/smaps_rollup').read_text()\n"
        "print(sum(int(n) for n in re.findall(r'Private_\\w+:\\s+(\\d+) kB', status)) / 1024)\n"
    )
    if not Path("/proc/self/smaps_rollup").exists():
        return float("nan")
    return float(subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, check=True).stdout)


def measure(size: int) -> dict[str, float]:
    corpus = Corpus()
    folder = Path(tempfile.mkdtemp(prefix="knowgate-bench-"))
    try:
        store = SqliteStore(folder)
        space = store.start_space(EmbedderIdentity("bench", "bench", DIMENSION))
        documents = size // CHUNKS_PER_DOCUMENT
        matrix = corpus.vectors(size)
        index = vectors = 0.0
        for batch in batches(corpus, documents):
            # One transaction a document, as ingest does it.
            index += cpu(lambda batch=batch: [store.apply(Batch(documents=[write])) for write in batch])
        for waiting in iter(lambda: store.pending(100), []):
            writes = [
                VectorWrite(
                    each.document_id, each.revision, space.generation,
                    matrix[int(each.document_id[3:]) * CHUNKS_PER_DOCUMENT :][:CHUNKS_PER_DOCUMENT],
                )
                for each in waiting
            ]  # fmt: skip
            vectors += cpu(lambda writes=writes: [store.apply(Batch(vectors=[write])) for write in writes])
        maintain = cpu(store.maintain)

        questions = [corpus.question() for _ in range(100)]
        looks = corpus.vectors(100)
        store.search_text(questions[0], 10)
        store.search_vector(looks[0], 10)
        blas = statistics.median(cpu(lambda v=v: np.argpartition(matrix @ v, -10)[-10:]) for v in looks)
        found = [[hit.chunk_id for hit in store.search_vector(v, 10)] for v in looks]
        exact = [np.argsort(-(matrix @ v))[:10] for v in looks]
        names = [{f"doc{row // CHUNKS_PER_DOCUMENT:07d}:{row % CHUNKS_PER_DOCUMENT}" for row in rows} for rows in exact]
        owner = Filter(owners=("owner3",))
        extra = [corpus.document(documents + i) for i in range(20)]
        results = {
            "chunks": float(size),
            "index: chunks per CPU second": size / (index + vectors + maintain) * 1000,
            "add one document": statistics.median(cpu(lambda w=w: store.apply(Batch(documents=[w]))) for w in extra),
            "first search after adding": cpu(lambda: store.search_text(questions[0], 10)),
            "delete one document": statistics.median(
                cpu(lambda n=n: store.apply(Batch(delete=[f"doc{n:07d}"]))) for n in range(20)
            ),
            "BLAS scan": blas,
            "vector search": statistics.median(cpu(lambda v=v: store.search_vector(v, 10)) for v in looks),
            "vector search, 1 % filter": statistics.median(
                cpu(lambda v=v: store.search_vector(v, 10, owner)) for v in looks
            ),
            "recall@10": statistics.mean(len(names[i].intersection(found[i])) / 10 for i in range(100)),
            "text search": statistics.median(cpu(lambda q=q: store.search_text(q, 10)) for q in questions),
            "text search, 1 % filter": statistics.median(
                cpu(lambda q=q: store.search_text(q, 10, owner)) for q in questions
            ),
            "both lists of 100, p50": statistics.median(
                cpu(lambda q=q, v=v: (store.search_text(q, 100), store.search_vector(v, 100)))
                for q, v in zip(questions, looks, strict=True)
            ),
            "database MB": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6,
            "memory of a reader MB": memory_of_a_fresh_reader(folder),
        }
        store.close()
        return results
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--opensearch", action="store_true", help="the embedded store and a cluster, side by side")
    arguments = parser.parse_args()
    if arguments.opensearch:
        from bench.both import compare

        compare(arguments.chunks)
        return
    measured = [measure(size) for size in arguments.chunks]
    if arguments.json:
        print(orjson.dumps(measured, option=orjson.OPT_INDENT_2).decode())
        return
    for results in measured:
        print(f"\n{results.pop('chunks'):,.0f} chunks")
        for name, value in results.items():
            timed = "search" in name or "document" in name or "lists" in name
            ratio = f"   {value / results['BLAS scan']:6.2f} × BLAS" if timed else ""
            print(f"  {name:32} {value:10.2f}{' ms' if timed or name == 'BLAS scan' else '   '}{ratio}")


if __name__ == "__main__":
    main()
