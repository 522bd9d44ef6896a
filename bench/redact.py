"""What redaction finds, what it spares and what it costs: `python -m bench.redact [--eval ../shared/eval] [--json]`.

Secrets: lines with and without one, by source; a line whose very text is also marked the other way cannot be judged and
is counted apart. Personal data, at the level `personal`: marked places in sentences; one counts as soon as it
is touched, even in part.
Benign: the examples of real API descriptions; every string that is touched counts as a false hit, though many of them
are real tokens and card numbers. Speed: those examples as one JSON document, beside orjson's parser and beside the same
rules run by `re` over the same bytes, all in processor time and the best of several rounds.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import orjson
import ryaml
import typer
from rich.console import Console
from rich.table import Table

from knowgate.guard.redact import Redactor, RedactRules
from knowgate.guard.redact.rules import FORMS
from knowgate.guard.redact.tokens import TOKENS

EVAL = Path(__file__).parents[2] / "shared" / "eval"
ROUNDS = 5
PLAIN_BYTES = 500_000
"""As much as plain `re` is given: it would take too long for the whole."""


@dataclass(frozen=True)
class Secrets:
    recall: dict[str, float]
    touched: float
    touched_by_rule: dict[str, int]
    missed_by_rule: dict[str, int]
    contradictory: int


@dataclass(frozen=True)
class Benign:
    responses: int
    strings: int
    touched: float
    kinds: dict[str, int]


@dataclass(frozen=True)
class Speed:
    megabytes: float
    redact: float
    redact_with_secrets: float
    loads: float
    plain_re: float
    """All in MB/s."""


def measure_secrets(path: Path) -> Secrets:
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    redactor = Redactor()
    labels: defaultdict[str, set[bool]] = defaultdict(set)
    for line in lines:
        labels[line["text"].strip()].add(line["is_secret"])
    clear = [line for line in lines if line["is_secret"] or len(labels[line["text"].strip()]) == 1]
    hit = {line["id"]: bool(redactor.text(line["text"]).counts) for line in clear}
    positive: defaultdict[str, list[bool]] = defaultdict(list)
    for line in clear:
        if line["is_secret"]:
            positive[line["source"]].append(hit[line["id"]])
    negative = [line for line in clear if not line["is_secret"]]
    return Secrets(
        {source: sum(found) / len(found) for source, found in positive.items()},
        sum(hit[line["id"]] for line in negative) / len(negative),
        dict(Counter(line["rule"] for line in negative if hit[line["id"]])),
        dict(Counter(line["rule"] for line in clear if line["is_secret"] and not hit[line["id"]])),
        len(lines) - len(clear),
    )


def measure_personal(folder: Path) -> dict[str, tuple[int, float]]:
    redactor = Redactor(RedactRules(personal=True))
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for line in map(orjson.loads, path.read_bytes().splitlines()):
            clean = redactor.text(line["text"]).value
            for span in line["spans"]:
                found[span["type"]].append(clean.count(span["text"]) < line["text"].count(span["text"]))
    return {kind: (len(hits), sum(hits) / len(hits)) for kind, hits in sorted(found.items())}


def responses(folder: Path) -> Iterator[Any]:
    """The examples of every description that can be read."""
    for path in sorted(folder.iterdir()):
        try:
            yield from _examples(orjson.loads(path.read_bytes()) if path.suffix == ".json" else _yaml(path))
        except (ValueError, OSError):
            continue


def _yaml(path: Path) -> Any:
    with path.open() as file:
        return ryaml.load(file)


def _examples(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        for item in cast(list[Any], node):
            yield from _examples(item)
    elif isinstance(node, dict):
        for key, item in cast(dict[str, Any], node).items():
            if key == "example" and isinstance(item, (dict, list)):
                yield item
            elif key == "examples" and isinstance(item, dict):
                yield from (each["value"] for each in cast(dict[str, Any], item).values() if "value" in each)
            else:
                yield from _examples(item)


def strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for item in cast(list[Any], node):
            yield from strings(item)
    elif isinstance(node, dict):
        for key, item in cast(dict[str, Any], node).items():
            yield key
            yield from strings(item)


def measure_benign(examples: list[Any]) -> Benign:
    redactor = Redactor()
    kinds: Counter[str] = Counter()
    touched = total = 0
    for example in examples:
        clean = redactor.json(example)
        kinds.update(clean.counts)
        before = list(strings(example))
        total += len(before)
        touched += sum(old != new for old, new in zip(before, strings(clean.value), strict=False))
    return Benign(len(examples), total, touched / total, dict(kinds))


def measure_speed(examples: list[Any]) -> Speed:
    data = orjson.dumps(examples)
    known = Redactor(secrets=[f"k{number}-{number * 7919:x}-canary" for number in range(20)])
    rules = re.compile("|".join(f"(?:{_for_re(rule.pattern)})" for rule in (*TOKENS, *FORMS)).encode())
    return Speed(
        len(data) / 1e6,
        _rate(len(data), lambda: Redactor().json_bytes, data),
        _rate(len(data), lambda: known.json_bytes, data),
        _rate(len(data), lambda: orjson.loads, data),
        _rate(PLAIN_BYTES, lambda: rules.findall, data[:PLAIN_BYTES], rounds=1),
    )


def _for_re(pattern: str) -> str:
    return re.sub(r"\(\?i:bearer\)", "[Bb]earer", pattern)


def _rate(size: int, prepare: Callable[[], Callable[[bytes], Any]], data: bytes, rounds: int = ROUNDS) -> float:
    run = prepare()
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        run(data)
        best = min(best, time.process_time() - begun)
    return size / 1e6 / best


def print_report(secrets: Secrets, personal: dict[str, tuple[int, float]], benign: Benign, speed: Speed) -> None:
    table = Table("what", "figure", "goal")
    for source, recall in secrets.recall.items():
        table.add_row(f"recall, {source}", f"{recall:.1%}", ">= 95 %")
    table.add_row("lines without a secret touched", f"{secrets.touched:.1%}", "<= 2 %")
    table.add_row("  by rule", ", ".join(f"{rule} {n}" for rule, n in secrets.touched_by_rule.items()))
    table.add_row("  missed", ", ".join(f"{rule} {n}" for rule, n in secrets.missed_by_rule.items()))
    table.add_row("  marked both ways, left out", str(secrets.contradictory))
    table.add_row(f"strings touched in {benign.responses} benign responses", f"{benign.touched:.2%}", "< 0.5 %")
    table.add_row("  by kind", ", ".join(f"{kind} {n}" for kind, n in benign.kinds.items()))
    for kind, (count, recall) in personal.items():
        table.add_row(f"recall, {kind} ({count})", f"{recall:.1%}")
    table.add_row(f"JSON, {speed.megabytes:.1f} MB", f"{speed.redact:.0f} MB/s", ">= 50 MB/s")
    table.add_row("  with 20 known secrets", f"{speed.redact_with_secrets:.0f} MB/s")
    table.add_row("  only parsing it (orjson)", f"{speed.loads:.0f} MB/s")
    table.add_row("  the same rules by plain re", f"{speed.plain_re:.1f} MB/s")
    Console().print(table)


def main(
    evaluation: Annotated[Path, typer.Option("--eval", help="Folder with the evaluation data.")] = EVAL,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    if not (evaluation / "secrets").is_dir():
        typer.echo(f"There is no {evaluation / 'secrets'}. Give the evaluation data with --eval PATH.", err=True)
        raise typer.Exit(2)
    examples = list(responses(evaluation / "openapi" / "specs"))
    secrets = measure_secrets(evaluation / "secrets" / "lines.jsonl")
    personal = measure_personal(evaluation / "pii")
    benign, speed = measure_benign(examples), measure_speed(examples)
    if as_json:
        report = {"secrets": secrets, "personal": personal, "benign": benign, "speed": speed}
        sys.stdout.buffer.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        print_report(secrets, personal, benign, speed)


if __name__ == "__main__":
    typer.run(main)
