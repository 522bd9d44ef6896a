"""How API descriptions are loaded, and whether requests built from them are understood.

    python -m bench.specs [--eval PATH] [--github FILE] [--requests N] [--json]

Ends with 1 when a description ended as anything but loaded or a typed error. Every operation is tried against
schemathesis; `--requests 10` tries every tenth, `--requests 0` none. `--github` is GitHub's whole description
(generated/api.github.com.json of the npm package @octokit/openapi).
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import orjson
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.spec_requests import Tried, try_operations
from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import compile_api
from knowgate.apis.operation import Api
from knowgate.apis.spec.folder import folder_reader
from knowgate.apis.spec.load import load
from knowgate.errors import KnowgateError

EVAL = Path(__file__).parents[2] / "shared" / "eval"
T = TypeVar("T")


@dataclass(slots=True)
class Loaded:
    files: int = 0
    loaded: int = 0
    errors: dict[str, str] = field(default_factory=dict[str, str])
    """Typed, by file."""
    broken: dict[str, str] = field(default_factory=dict[str, str])
    operations: int = 0
    quarantined: int = 0
    bad_names: int = 0
    megabytes: float = 0
    seconds: float = 0
    slowest: str = ""
    slowest_seconds: float = 0

    def add(self, name: str, size: int, work: Callable[[], Api]) -> None:
        self.files += 1
        self.megabytes += size / 1e6
        start = time.process_time()
        try:
            api = work()
        except KnowgateError as error:
            self.errors[name] = f"{error.code}: {error.message[:200]}"
        except Exception as error:  # noqa: BLE001 - that nothing else comes out is what is measured
            self.broken[name] = repr(error)[:300]
        else:
            self.loaded += 1
            self.operations += len(api.operations)
            self.quarantined += len(api.quarantined)
            ids = [each.id for each in api.operations]
            self.bad_names += len(ids) - len({id for id in ids if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id)})
        took = time.process_time() - start
        self.seconds += took
        if took > self.slowest_seconds:
            self.slowest, self.slowest_seconds = name, took


@dataclass(frozen=True, slots=True)
class Warmth:
    operations: int
    cold_seconds: float
    warm_seconds: float
    """From reading the file to a catalogue that lists."""
    cache_megabytes: float


def measure_files(label: str, files: list[Path]) -> Loaded:
    result = Loaded()
    for path in progress(label, files):
        data = path.read_bytes()
        read = folder_reader(path.parent)
        result.add(path.name, len(data), lambda data=data, path=path, read=read: _load(data, path.name, read))
    return result


def measure_references(folder: Path) -> Loaded:
    """Files that test references are not descriptions, so each is the schema of a body here."""
    result = Loaded()
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".json")]
    for path in progress("references", files):
        name = path.relative_to(folder).as_posix()
        top = folder / name.split("/")[0]
        reference = {"$ref": path.relative_to(top).as_posix().replace("%", "%25")}
        body = {"content": {"application/json": {"schema": reference}}}
        data = orjson.dumps({"openapi": "3.1.0", "paths": {"/x": {"post": {"requestBody": body}}}})
        read = folder_reader(top)
        result.add(name, path.stat().st_size, lambda data=data, read=read: _load(data, "", read))
    return result


def measure_bombs() -> Loaded:
    result = Loaded()
    for name, make in bombs().items():
        data = make()
        result.add(name, len(data), lambda data=data: _load(data, "x", None))
    return result


def bombs() -> dict[str, Callable[[], bytes]]:
    def link(number: int) -> dict[str, str]:
        return {"$ref": f"#/components/schemas/S{number}"}

    def described(schemas: dict[str, Any]) -> bytes:
        body = {"content": {"application/json": {"schema": link(0)}}}
        paths = {"/x": {"post": {"requestBody": body}}}
        return orjson.dumps({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}})

    nested = [f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]" for n in range(1, 10)]
    many = {f"/{n}": {"get": {"operationId": "same"}} for n in range(19_000)}
    return {
        "aliases": lambda: "\n".join(["openapi: 3.1.0", "k0: &k0 [a]", *nested]).encode(),
        "long aliases": lambda: f"openapi: 3.1.0\na: &a {'x' * 99_999}\nb: [{', '.join(['*a'] * 19_999)}]".encode(),
        "deep json": lambda: b'{"openapi": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "deep flow": lambda: b"openapi: 3.1.0\nx: " + b"{a: " * 100_000,
        "deep block": lambda: b"openapi: 3.1.0\nx:\n  " + b"- " * 100_000,
        "many objects": lambda: b'{"openapi": "3.1.0", "x": [' + b"{}," * 9_999_999 + b"{}]}",
        "100,000 operations": lambda: orjson.dumps(
            {"openapi": "3.1.0", "paths": {f"/{n}": {"get": {}} for n in range(100_000)}}
        ),
        "one name for all": lambda: orjson.dumps({"openapi": "3.1.0", "paths": many}),
        "long chain": lambda: described({f"S{n}": {"items": link(n + 1)} for n in range(50_000)} | {"S50000": {}}),
        "cycle": lambda: described({"S0": link(1), "S1": link(0)}),
        "allOf": lambda: described({f"S{n}": {"allOf": [link(n + 1)] * 20} for n in range(200)} | {"S200": {}}),
        "all to all": lambda: described({f"S{n}": {"anyOf": [link(m) for m in range(400)]} for n in range(400)}),
        "patterns": lambda: described({"S0": {"properties": {f"p{n}": {"pattern": "(a+)+$"} for n in range(9_999)}}}),
    }


def measure_warmth(path: Path) -> Warmth:
    def ready(folder: Path) -> tuple[float, int]:
        start = time.perf_counter()
        catalogue = Catalogue([compile_api(path.read_bytes(), name="github", source=str(path), folder=folder)])
        count = len(catalogue.list())
        return time.perf_counter() - start, count

    with tempfile.TemporaryDirectory() as name:
        cold, count = ready(Path(name))
        warm = min(ready(Path(name))[0] for _ in range(5))
        size = sum(each.stat().st_size for each in Path(name).iterdir())
    return Warmth(count, cold, warm, size / 1e6)


def measure_memory(files: list[Path]) -> float:
    """Peak megabytes of Python objects per megabyte of description, over the largest."""
    peak = size = 0
    for path in sorted(files, key=lambda each: each.stat().st_size)[-3:]:
        data = path.read_bytes()
        tracemalloc.start()
        _load(data, path.name, None)
        peak += tracemalloc.get_traced_memory()[1]
        size += len(data)
        tracemalloc.stop()
    return peak / size


def measure_requests(files: list[Path], each: int) -> list[Tried]:
    return [tried for path in progress("requests", files) for tried in try_operations(path, each)]


def _load(data: bytes, name: str, read: Any) -> Api:
    return load(data, name="x", source=name, read=read)


def progress(label: str, items: list[T]) -> Iterable[T]:
    return track(items, label, console=Console(stderr=True))


def loading_table(results: dict[str, Loaded]) -> Table:
    columns = ("set", "files", "loaded", "typed errors", "broken", "operations", "quarantined", "bad names")
    table = Table(*columns, "MB", "s per MB", "slowest", title="Loading")
    for name, one in results.items():
        counts = (
            one.files,
            one.loaded,
            len(one.errors),
            len(one.broken),
            one.operations,
            one.quarantined,
            one.bad_names,
        )
        speed = (f"{one.megabytes:.1f}", f"{one.seconds / max(one.megabytes, 1e-9):.2f}")
        table.add_row(name, *map(str, counts), *speed, f"{one.slowest} {one.slowest_seconds:.1f} s")
    return table


def print_report(results: dict[str, Loaded], memory: float, warmth: Warmth | None, tried: list[Tried]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False)
    console.print(loading_table(results))
    for one in results.values():
        for name, message in {**one.errors, **one.broken}.items():
            console.print(f"  {name}: {message[:160]}")
    console.print(f"memory: {memory:.1f} MB per MB of description")
    if warmth:
        times = f"cold {warmth.cold_seconds:.2f} s, warm {warmth.warm_seconds:.3f} s"
        console.print(f"GitHub: {warmth.operations} operations, {times}, cache {warmth.cache_megabytes:.1f} MB")
    if tried:
        counts = Counter(each.result for each in tried)
        shares = ", ".join(f"{name} {count} ({count / len(tried):.2%})" for name, count in counts.most_common())
        console.print(f"requests: {len(tried)}, {shares}")
        for each in tried:
            if each.result in ("refused", "not built"):
                console.print(f"  {each.result} {each.file} {each.operation}: {each.why[:300]}")


def main(
    eval_folder: Annotated[Path, typer.Option("--eval", help="The evaluation data.")] = EVAL,
    github: Annotated[Path | None, typer.Option(help="GitHub's whole description.")] = None,
    requests: Annotated[int, typer.Option(help="Try every n-th operation; 0: none.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
) -> None:
    folder = eval_folder / "openapi"
    if not folder.is_dir():
        typer.echo(f"There is no {folder}. Give the evaluation data with --eval PATH.", err=True)
        raise typer.Exit(2)
    specs, hard = sorted((folder / "specs").iterdir()), sorted((folder / "yaml_hard").iterdir())
    examples = [each for each in sorted((folder / "testsets" / "oai_examples").rglob("*")) if each.suffix != ".md"]
    results = {
        "specs": measure_files("specs", specs),
        "yaml_hard": measure_files("yaml_hard", hard),
        "examples": measure_files("examples", [each for each in examples if each.is_file()]),
        "references": measure_references(folder / "testsets" / "ref_parser_specs" / "test" / "specs"),
        "bombs": measure_bombs(),
    }
    memory = measure_memory(specs)
    warmth = measure_warmth(github) if github else None
    tried = measure_requests([*specs, *hard], requests) if requests else []
    if as_json:
        report = {"loading": results, "memory": memory, "github": warmth, "requests": tried}
        sys.stdout.buffer.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        print_report(results, memory, warmth, tried)
    if any(one.broken or one.bad_names for one in results.values()):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
