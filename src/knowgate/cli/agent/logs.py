"""`mrapids-agent logs`: what was called, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from knowgate.cli.agent.folder import ConfigDir, ConfigFile, read_folder
from knowgate.cli.agent.settings import load_settings
from knowgate.cli.screen import one_line

if TYPE_CHECKING:
    from knowgate.guard.audit.read import Record

_PAUSE_SECONDS = 0.5


class Level(StrEnum):
    info = "info"
    warn = "warn"
    error = "error"


def logs(
    tail: Annotated[int, typer.Option("--tail", metavar="N", min=1, help="How many at most.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", help="Go on with new ones. Ctrl-C ends it.")] = False,
    level: Annotated[
        Level, typer.Option("--level", metavar="LEVEL", help="info: all; warn: refused or failed; error: failed.")
    ] = Level.info,
    search: Annotated[str, typer.Option("--search", metavar="TEXT", help="Only records with this in them.")] = "",
    config: ConfigFile = None,
    config_dir: ConfigDir = None,
) -> None:
    """Show the audit trail, oldest first."""
    settings = load_settings(read_folder(config_dir, config))
    folder = settings.audit.folder or settings.data / "audit"
    for record in _records(folder, tail, follow):
        if list(Level).index(level_of(record)) >= list(Level).index(level) and search in orjson.dumps(record).decode():
            typer.echo(line_of(record))


def level_of(record: Record) -> Level:
    if record.get("event") == "refused" or _at(record, "policy", "decision") == "deny":
        return Level.warn
    return Level.error if _at(record, "response", "status") in ("error", "outcome_unknown") else Level.info


def line_of(record: Record) -> str:
    response: dict[str, Any] = record.get("response", {})
    said = response.get("status_code") or response.get("error") or response.get("status") or record.get("event", "")
    parts = (
        str(record.get("timestamp", ""))[:19],
        level_of(record).value,
        str(record.get("agent_id", "")),
        str(_at(record, "policy", "decision")),
        str(_at(record, "operation", "operation_id")),
        f"{_at(record, 'operation', 'method')} {_at(record, 'operation', 'url')}".strip(),
        str(said),
    )
    return one_line("  ".join(part for part in parts if part))


def _records(folder: Path, tail: int, follow: bool) -> Iterator[Record]:
    from knowgate.guard.audit.read import read

    last = -1
    fresh = read(folder, limit=tail).records
    while True:
        for record in reversed(fresh):
            if record["sequence"] > last:
                last = record["sequence"]
                yield record
        if not follow:
            return
        time.sleep(_PAUSE_SECONDS)
        fresh = read(folder, limit=1000).records


def _at(record: Record, *names: str) -> Any:
    from knowgate.guard.audit.read import at

    return at(record, *names) or ""
