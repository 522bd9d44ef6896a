"""How files are read: hostile ones safely, foreign encodings rightly, office files fully.

    python -m bench.documents [--eval PATH] [--json]

Ends with 1 when a hostile file ended as anything but text or a typed error.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Annotated, TypeVar

import orjson
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.charsets import reference_texts, same_letters, same_text
from bench.similarity import order_ratio, word_f1, words
from knowgate.errors import DocumentError
from knowgate.knowledge.parse.decode import decode
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sandbox import Sandbox
from knowgate.model import Parsed

EVAL = Path(__file__).parents[2] / "shared" / "eval"
T = TypeVar("T")
WORTH_A_LOOK = ("parse_crash", "parse_timeout", "parse_memory")


@dataclass(frozen=True, slots=True)
class Outcome:
    path: Path
    seconds: float
    result: str
    """`text`, an error's code, or `BROKEN` with what should never have come out of the sandbox."""
    message: str = ""
    parsed: Parsed | None = None


@dataclass(frozen=True, slots=True)
class Hostile:
    counts: dict[str, dict[str, int]]
    slowest: str
    slowest_seconds: float
    peak_child_bytes: int
    """0 where the system does not tell."""
    worth_a_look: dict[str, str]
    broken: dict[str, str]


@dataclass(frozen=True, slots=True)
class Encodings:
    files: int
    decoded: float
    """Share whose bytes became exactly the right text, with no declaration to help."""
    parsed: float
    """Share whose letters are right in what the reader made of the file."""
    wrong: dict[str, list[str]]
    no_codec: list[str]


@dataclass(frozen=True, slots=True)
class Conversion:
    files: int
    compared: int
    failed: dict[str, str]
    word_f1: float
    order_ratio: float
    median_ms: float
    seconds_per_mb: float
    worst: str


def read(sandbox: Sandbox, path: Path) -> Outcome:
    data = path.read_bytes()
    start = time.perf_counter()
    try:
        parsed = sandbox.parse(data, path.name, ParseOptions())
    except DocumentError as error:
        return Outcome(path, time.perf_counter() - start, error.code, error.message)
    except Exception as error:  # noqa: BLE001 - that nothing else comes out is what is measured
        return Outcome(path, time.perf_counter() - start, "BROKEN", repr(error))
    return Outcome(path, time.perf_counter() - start, "text", parsed=parsed)


def measure_hostile(folder: Path, sandbox: Sandbox) -> Hostile:
    files = sorted(path for path in folder.glob("*/*") if path.is_file())
    with ThreadPoolExecutor(2) as pool, peak_memory_of_children() as peak:
        outcomes = list(progress("hostile", pool.map(partial(read, sandbox), files), len(files)))
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        counts[outcome.path.relative_to(folder).parts[0]][outcome.result] += 1
    slowest = max(outcomes, key=lambda outcome: outcome.seconds)

    def told(results: tuple[str, ...]) -> dict[str, str]:
        return {str(one.path.relative_to(folder)): one.message for one in outcomes if one.result in results}

    return Hostile(
        {category: dict(results) for category, results in sorted(counts.items())},
        str(slowest.path.relative_to(folder)),
        slowest.seconds,
        peak(),
        told(WORTH_A_LOOK),
        told(("BROKEN",)),
    )


def measure_encodings(folder: Path, sandbox: Sandbox) -> Encodings:
    files = sorted(folder.glob("*/*"))
    total = decoded = parsed = 0
    wrong: defaultdict[str, list[str]] = defaultdict(list)
    no_codec: list[str] = []
    for path in progress("encodings", files, len(files)):
        name, data = str(path.relative_to(folder)), path.read_bytes()
        references = reference_texts(data, path.parent.name)
        if not references:
            no_codec.append(name)
            continue
        total += 1
        if same_text(decode(data), references):
            decoded += 1
        else:
            wrong[name].append("decoded")
        outcome = read(sandbox, path)
        if outcome.parsed is not None and same_letters(outcome.parsed.text, references):
            parsed += 1
        else:
            wrong[name].append("parsed" if outcome.parsed else outcome.result)
    return Encodings(total, decoded / total, parsed / total, dict(wrong), no_codec)


def measure_conversion(folder: Path, sandbox: Sandbox) -> Conversion:
    files = sorted((folder / "sources").iterdir())
    read(sandbox, files[0])  # the reader's own import is not the file's time
    outcomes = [read(sandbox, path) for path in files]
    scores: list[tuple[float, float, str]] = []
    for outcome in outcomes:
        expected = expected_words(folder, outcome.path)
        if expected is not None:
            found = words(outcome.parsed.text) if outcome.parsed else []
            scores.append((order_ratio(found, expected), word_f1(found, expected), outcome.path.name))
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    return Conversion(
        len(files),
        len(scores),
        {one.path.name: f"{one.result}: {one.message}" for one in outcomes if one.parsed is None},
        fmean(score[1] for score in scores) if scores else 0.0,
        fmean(score[0] for score in scores) if scores else 0.0,
        median(outcome.seconds for outcome in outcomes) * 1000,
        sum(outcome.seconds for outcome in outcomes) / megabytes,
        f"{min(scores)[2]} {min(scores)[0]:.2f}" if scores else "",
    )


def expected_words(folder: Path, source: Path) -> list[str] | None:
    for name in (f"{source.name}.md", f"{source.stem}.md"):
        path = folder / "groundtruth" / name
        if path.exists():
            return words(path.read_text(encoding="utf-8"))
    return None


@contextmanager
def peak_memory_of_children() -> Generator[Callable[[], int]]:
    """Looks at every child of this process until the block ends; Linux only."""
    peak = 0
    done = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not done.wait(0.02):
            for children in Path("/proc/self/task").glob("*/children"):
                try:
                    for pid in children.read_text().split():
                        status = Path(f"/proc/{pid}/status").read_text()
                        peak = max(peak, int(status.partition("VmHWM:")[2].split()[0]) * 1024)
                except (OSError, IndexError):
                    continue  # it has just ended

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        yield lambda: peak
    finally:
        done.set()
        sampler.join()


def progress(label: str, items: Iterable[T], total: int) -> Iterable[T]:
    return track(items, label, total=total, console=Console(stderr=True))


def print_report(hostile: Hostile, encodings: Encodings, converted: dict[str, Conversion]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False)
    console.print(hostile_table(hostile))
    console.print(f"slowest {hostile.slowest} {hostile.slowest_seconds:.1f} s")
    console.print(f"peak memory of a worker {hostile.peak_child_bytes / 2**20:.0f} MB")
    for name, message in {**hostile.worth_a_look, **hostile.broken}.items():
        console.print(f"  {name}: {message}")
    shares = f"{encodings.decoded:.1%} decoded right, {encodings.parsed:.1%} parsed right"
    console.print(f"\nEncodings: {encodings.files} files, {shares}")
    for name, where in encodings.wrong.items():
        console.print(f"  {name}: {', '.join(where)}")
    if encodings.no_codec:
        console.print(f"  Python has no codec to check {', '.join(encodings.no_codec)}")
    console.print()
    console.print(conversion_table(converted))
    for name, one in converted.items():
        for file, message in one.failed.items():
            console.print(f"  {name}/{file}: {message}")


def hostile_table(result: Hostile) -> Table:
    kinds = sorted(
        {kind for counts in result.counts.values() for kind in counts}, key=lambda kind: (kind != "text", kind)
    )
    table = Table("category", "files", *kinds, title="Hostile files")
    for category, counts in result.counts.items():
        table.add_row(category, str(sum(counts.values())), *(str(counts.get(kind, "")) for kind in kinds))
    return table


def conversion_table(results: dict[str, Conversion]) -> Table:
    columns = ("format", "files", "failed", "word F1", "in order", "ms per file", "s per MB", "worst")
    table = Table(*columns, title="Converted files against the reference")
    for name, one in results.items():
        scores = (f"{one.word_f1:.3f}", f"{one.order_ratio:.3f}") if one.compared else ("", "")
        speed = (f"{one.median_ms:.1f}", f"{one.seconds_per_mb:.2f}")
        table.add_row(name, str(one.files), str(len(one.failed) or ""), *scores, *speed, one.worst)
    return table


def main(
    eval_folder: Annotated[Path, typer.Option("--eval", help="The evaluation data.")] = EVAL,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
) -> None:
    docs = eval_folder / "docs"
    if not docs.is_dir():
        typer.echo(f"There is no {docs}. Give the evaluation data with --eval PATH.", err=True)
        raise typer.Exit(2)
    with Sandbox() as sandbox:
        hostile = measure_hostile(docs / "hostile", sandbox)
    formats = sorted((docs / "converted").iterdir())
    with Sandbox() as sandbox:
        encodings = measure_encodings(docs / "encodings", sandbox)
        converted = {
            folder.name: measure_conversion(folder, sandbox) for folder in progress("converted", formats, len(formats))
        }
    if as_json:
        report = {"hostile": hostile, "encodings": encodings, "converted": converted}
        sys.stdout.buffer.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        print_report(hostile, encodings, converted)
    if hostile.broken:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
