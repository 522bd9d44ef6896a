"""What every command can be told: which configuration, which data folder, and to answer in JSON."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.screen import Screen

if TYPE_CHECKING:
    from knowgate.config.load import Loaded
    from knowgate.engine import Engine

Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="The configuration file, if not the nearest knowgate.toml."),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="The folder that holds the index, if not the configured one."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON document on stdout.")]


@dataclass(frozen=True)
class Call:
    config: Path | None = None
    data: Path | None = None
    json: bool = False
    warned: list[str] = field(default_factory=list[str], compare=False)
    """Once is enough."""

    @classmethod
    def of(cls, ctx: typer.Context, config: Path | None, data: Path | None, json: bool = False) -> Call:
        """What stands behind the command's name counts before what stands in front of it."""
        before = ctx.find_object(cls) or cls()
        return cls(config or before.config, data or before.data, json or before.json)

    @cached_property
    def screen(self) -> Screen:
        return Screen(self.json)

    def command(self, *rest: str) -> str:
        """A command to type that means the same configuration and data folder."""
        given = [
            part
            for flag, path in (("--config", self.config), ("--data", self.data))
            if path
            for part in (flag, str(path))
        ]
        return shlex.join([_program(), *given, *rest])

    def load(self, flags: Mapping[str, object] | None = None) -> Loaded:
        from knowgate.config.load import load

        given = str(self.data) if self.data else None
        loaded = load(self.config, {"data": given, **(flags or {})})
        if loaded.ignored and not self.warned:
            self.warned.append(
                f"{loaded.file} was found here, and nobody has trusted it as it is now: "
                f"[{'] and ['.join(loaded.ignored)}] are ignored. If you have read it: knowgate config trust"
            )
            self.screen.warn(self.warned[0])
        return loaded

    def engine(self) -> Engine:
        from knowgate.engine import Engine

        return Engine(self.load().settings)


def _program() -> str:
    """How this program is called; one that no path leads to is called as it was this time."""
    called = sys.argv[0]
    known = not Path(called).name.startswith("knowgate") or shutil.which("knowgate")
    return "knowgate" if known else called
