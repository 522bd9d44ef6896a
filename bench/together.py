"""Several processes on one data folder: `python -m bench.together [--files 1000] [--readers 2]`.

One process ingests, the others search all the while, by words and by vector, without a model. Printed are the errors
and how long single calls of the store took; a call that waits for the writer would show as a long one.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import orjson
from rich.console import Console
from rich.table import Table

from bench.crash import WORDS, finish, start, write_files
from knowgate.errors import KnowgateError
from knowgate.store.sqlite.store import SqliteStore


def read(data: Path, seed: int) -> None:
    """A reader: search until standard input ends, then say what was seen."""
    store = SqliteStore(data)
    chance = random.Random(seed)
    vectors = np.random.default_rng(seed).standard_normal((50, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    waits: list[float] = []
    errors: list[str] = []
    stop = Path(data / "stop")
    while not stop.exists():
        for call in (
            lambda: store.search_text(" ".join(chance.choices(WORDS, k=4)), 20),
            lambda: store.search_vector(vectors[chance.randrange(50)], 20),
        ):
            begin, busy = time.perf_counter(), time.thread_time()
            try:
                call()
            except KnowgateError as error:
                errors.append(error.code)
            # What the call itself computed is not waiting.
            waits.append((time.perf_counter() - begin - (time.thread_time() - busy)) * 1000)
        time.sleep(0.005)
    store.close()
    sys.stdout.write(orjson.dumps({"waits": waits, "errors": errors}).decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read, random.randrange(1000))
        return
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        write_files(root / "docs", arguments.files, random.Random(7))
        data = root / "data"
        SqliteStore(data).close()
        command = [sys.executable, "-m", "bench.together", "--read", str(data)]
        readers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(arguments.readers)]
        finish(start(root / "docs", data))
        (data / "stop").touch()
        told = [orjson.loads(reader.communicate()[0]) for reader in readers]
    table = Table("reader", "calls", "errors", "p50 ms waited", "p99", "longest", "over 100 ms")
    for number, seen in enumerate(told):
        waits = np.array(seen["waits"])
        middle, high = np.percentile(waits, [50, 99])
        late = int((waits > 100).sum())
        table.add_row(
            str(number), str(len(waits)), str(len(seen["errors"])), f"{middle:.2f}", f"{high:.2f}",
            f"{waits.max():.1f}", str(late),
        )  # fmt: skip
    Console().print(table)
    sys.exit(1 if any(seen["errors"] for seen in told) else 0)


if __name__ == "__main__":
    main()
