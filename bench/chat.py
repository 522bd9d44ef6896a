"""Whether the answer without a model is honest: `python -m bench.chat [SET] [--eval ../shared/eval] [--cache FOLDER]`.

Every question of the set is put to the whole corpus. Printed are the share of the unanswerable questions on which it
abstains, the share of the answerable ones on which it does so wrongly, how often the first passage it cites is the
right one and the quotes hold the answer, and what other thresholds would do. A set's queries have `answers` and
`answerable`; where it is missing, all are.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.retrieval import index, judgements, lines, notes
from knowgate.config.settings import Settings
from knowgate.engine import Engine
from knowgate.knowledge.chat.extract import THRESHOLD, Extract, extract
from knowgate.model import Hit

LIMIT = 10
THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


@dataclass(frozen=True)
class Case:
    """A question of the set and what search found."""

    text: str
    answerable: bool
    answers: tuple[str, ...]
    gold: frozenset[str]
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class Outcome:
    answerable: bool
    confidence: float
    answered: bool
    cited: bool
    """The first passage cited is the gold passage."""
    quoted: bool
    """One of the quotes holds a gold answer."""
    milliseconds: float


@contextmanager
def opened(folder: Path, cache: Path | None) -> Generator[Engine]:
    with tempfile.TemporaryDirectory() as scratch:
        tokens = Settings().chunk.tokens
        with Engine(Settings(data=(cache or Path(scratch)) / f"{folder.name}-{tokens}")) as engine:
            index(folder, engine)
            yield engine


def cases(folder: Path, engine: Engine) -> Iterator[Case]:
    relevant = judgements(folder / "qrels.tsv")
    queries: list[dict[str, Any]] = list(lines(folder / "queries.jsonl"))
    for query in track(queries, f"{folder.name}: asking", console=notes, transient=True):
        hits = engine.search(query["text"], limit=LIMIT).hits
        gold = frozenset(relevant.get(query["id"], {}))
        yield Case(query["text"], query.get("answerable", True), tuple(query.get("answers", ())), gold, hits)


def ask(case: Case, engine: Engine) -> tuple[Extract, float]:
    begin = time.process_time()
    answer = extract(case.text, case.hits, engine.embedder())
    return answer, (time.process_time() - begin) * 1000


def outcome(case: Case, engine: Engine) -> Outcome:
    answer, spent = ask(case, engine)
    cited = [case.hits[quote.hit] for quote in answer.quotes]
    quoted = [hit.chunk.text[quote.start : quote.end] for hit, quote in zip(cited, answer.quotes, strict=True)]
    return Outcome(
        case.answerable,
        answer.confidence,
        bool(cited),
        bool(cited) and cited[0].document.id in case.gold,
        any(holds(text, case.answers) for text in quoted),
        spent,
    )


def holds(text: str, answers: Sequence[str]) -> bool:
    return any(answer.casefold() in text.casefold() for answer in answers)


def area(confidence: np.ndarray[Any, Any], answerable: np.ndarray[Any, Any]) -> float:
    """The chance that an answerable question has more confidence than an unanswerable one."""
    high, low = confidence[answerable], confidence[~answerable]
    if not len(high) or not len(low):
        return float("nan")
    ahead = np.searchsorted(np.sort(low), high, "left") + np.searchsorted(np.sort(low), high, "right")
    return float(ahead.mean() / 2 / len(low))


def share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else float("nan")


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    answerable = [each for each in outcomes if each.answerable]
    unanswerable = [each for each in outcomes if not each.answerable]
    answered = [each for each in answerable if each.answered]
    confidence = np.array([each.confidence for each in outcomes])
    return {
        "abstains on unanswerable": share([not each.answered for each in unanswerable]),
        "abstains on answerable": share([not each.answered for each in answerable]),
        "answered: first cited passage is gold": share([each.cited for each in answered]),
        "answered: quotes hold the answer": share([each.quoted for each in answered]),
        "area under the curve": area(confidence, np.array([each.answerable for each in outcomes])),
        "milliseconds of CPU a question": sum(each.milliseconds for each in outcomes) / len(outcomes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", default="squad2_1500")
    parser.add_argument("--eval", type=Path, default=Path(__file__).parents[2] / "shared" / "eval")
    parser.add_argument("--cache", type=Path, help="keep the index here")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    folder: Path = arguments.eval / "retrieval" / arguments.set
    if not folder.is_dir():
        parser.error(f"no evaluation data in {folder}; name its folder with --eval")
    with opened(folder, arguments.cache) as engine:
        outcomes = [outcome(case, engine) for case in cases(folder, engine)]
    figures = summary(outcomes)
    if arguments.json:
        print(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode())
        return
    table = Table("figure", arguments.set)
    for name, value in figures.items():
        table.add_row(name, f"{value:.3f}")
    curve = Table("threshold", "abstains on unanswerable", "abstains on answerable")
    for threshold in sorted({*THRESHOLDS, THRESHOLD}):
        abstained = [
            [each.confidence < threshold for each in outcomes if each.answerable is has] for has in (False, True)
        ]
        chosen = " ←" if threshold == THRESHOLD else ""
        curve.add_row(f"{threshold:.2f}{chosen}", *(f"{share(flags):.3f}" for flags in abstained))
    Console().print(table, curve)


if __name__ == "__main__":
    main()
