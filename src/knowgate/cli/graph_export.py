"""`knowgate graph export`: the graph as a file for other programs, or as a page to look at."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.errors import InputError, StorageError
from knowgate.model import Entity, Relation


class FormatName(StrEnum):
    html = "html"
    mermaid = "mermaid"
    dot = "dot"
    graphml = "graphml"
    jsonld = "jsonld"
    csv = "csv"
    jsonl = "jsonl"


_SUFFIXES = {".htm": "html", ".mmd": "mermaid", ".gv": "dot"}
_STDOUT = "-"


def export(
    ctx: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; a folder for csv; - for stdout, as when not set."
        ),
    ] = _STDOUT,
    format: Annotated[
        FormatName | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"{', '.join(FormatName)}; not set, what the file's name ends with, else mermaid.",
        ),
    ] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write the whole graph to a file; .html is a page to look at in a browser."""
    call = Call.of(ctx, config, data, json)
    on_stdout = FormatName.jsonld if call.json else FormatName.mermaid
    chosen = format or (on_stdout if to == _STDOUT else guess_format(to))
    if chosen is FormatName.csv and to == _STDOUT:
        raise InputError("folder_missing", "CSV is two files, which one output cannot take.", "Name a folder with -o.")
    entities: list[Entity] = []
    relations: list[Relation] = []
    with call.engine() as engine:
        for some, between in engine.graph_pages():
            entities += some
            relations += between
    files = draw(chosen, entities, relations)
    if to == _STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write("".join(files.values()).encode())
        sys.stdout.buffer.flush()
        return
    target = Path(to).expanduser()
    written = [target / name if name else target for name in files]
    _write(dict(zip(written, files.values(), strict=True)), folder=target if chosen is FormatName.csv else None)
    if call.json:
        call.screen.answer({"files": written, "entities": len(entities), "relations": len(relations)})
        return
    for path in written:
        call.screen.show(str(path))
    call.screen.note(f"{len(entities)} entities, {len(relations)} relations.")


def guess_format(to: str) -> FormatName:
    """By what the file's name ends with."""
    suffix = Path(to).suffix.lower()
    name = _SUFFIXES.get(suffix, suffix.removeprefix("."))
    if name not in set(FormatName):
        raise InputError(
            "unknown_format",
            f"The name {to} does not tell the format.",
            f"Add --format with one of {', '.join(FormatName)}.",
        )
    return FormatName(name)


def draw(format: FormatName, entities: Sequence[Entity], relations: Sequence[Relation]) -> dict[str, str]:
    """Texts by the names of their files below a folder; without a name, the one file."""
    match format:
        case FormatName.html:
            from knowgate.knowledge.graph.draw.page import page as drawn
        case FormatName.mermaid:
            from knowgate.knowledge.graph.draw.mermaid import mermaid as drawn
        case FormatName.dot:
            from knowgate.knowledge.graph.draw.dot import dot as drawn
        case FormatName.graphml:
            from knowgate.knowledge.graph.draw.graphml import graphml as drawn
        case FormatName.jsonld:
            from knowgate.knowledge.graph.draw.jsonld import jsonld as drawn
        case FormatName.jsonl:
            from knowgate.knowledge.graph.draw.jsonl import jsonl as drawn
        case FormatName.csv:
            from knowgate.knowledge.graph.draw.csv import tables

            return tables(entities, relations)
    return {"": drawn(entities, relations)}


def _write(files: dict[Path, str], folder: Path | None) -> None:
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            # As they are: a spreadsheet expects other ends of lines than this system may.
            path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        where = error.filename or folder
        raise StorageError(
            "cannot_write", f"{where} cannot be written: {error.strerror or error}.", "Choose another file or folder."
        ) from error
