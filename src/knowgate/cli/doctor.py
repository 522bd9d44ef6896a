"""`knowgate doctor`: is everything in order, and if not, what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import Screen, clean
from knowgate.errors import KnowgateError

if TYPE_CHECKING:
    from knowgate.cli.checks import Check


def doctor(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Check that everything is in order.

    Installation, configuration, data folder, index, embedder, reader and the AI apps that start Knowgate, whose servers
    are started for a moment: what is wrong is told with its fix.
    """
    call = Call.of(ctx, config, data, json)
    checks: list[Check] = []
    for check in _examine(call):
        checks.append(check)
        if not call.json:
            show(call.screen, check)
    healthy = all(check.status != "wrong" for check in checks)
    if call.json:
        call.screen.answer({"healthy": healthy, "checks": checks})
    if not healthy:
        raise typer.Exit(1)


def _examine(call: Call) -> Iterator[Check]:
    from knowgate.cli import checks
    from knowgate.cli.apps.check import app_checks
    from knowgate.cli.apps.places import Machine
    from knowgate.engine import Engine

    yield from checks.installation()
    try:
        loaded = call.load()
    except KnowgateError as error:
        yield checks.Check("configuration", "wrong", error.message, error.fix)
        return
    yield from checks.configuration(loaded)
    with Engine(loaded.settings) as engine:
        folder = list(checks.data_folder(loaded.settings.data))
        yield from folder
        if all(check.status != "wrong" for check in folder):
            yield from checks.cluster(engine)
            yield from checks.index(engine)
        yield from checks.embedder(engine)
    yield from checks.reader(loaded.settings)
    yield from app_checks(Machine(sys.platform, Path.home(), os.environ), Path.cwd())


def show(screen: Screen, check: Check) -> None:
    from rich.text import Text

    sign, style = {
        "ok": (screen.mark("✓", "ok"), "green"),
        "warning": (screen.mark("!", "!"), "yellow"),
        "wrong": (screen.mark("✗", "WRONG"), "bold red"),
    }[check.status]
    screen.show(Text.assemble((f"{sign} ", style), (check.name, "bold"), "  ", clean(check.found)))
    if check.fix:
        screen.show(Text(f"  Fix: {clean(check.fix)}"))
