"""What `knowgate doctor` finds out about the apps that start us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from knowgate.cli.apps.entries import Entry, entries, load, this_program
from knowgate.cli.apps.places import AppName, Machine, find_app
from knowgate.cli.apps.trial import try_out
from knowgate.cli.checks import Check
from knowgate.cli.sizes import counted
from knowgate.cli.start import serves_mcp
from knowgate.errors import KnowgateError


def app_checks(machine: Machine, project: Path) -> Iterator[Check]:
    """Of every app's configuration that names us, its own and that of the project in this folder."""
    found = False
    for name in AppName:
        app = find_app(name, machine)
        for path, trusted in ((app.user, True), (app.project and project / app.project, False)):
            if path and path.is_file():
                for check in _file(app.title, path, app.below, trusted, machine):
                    found = True
                    yield check
    if not found:
        yield Check("AI apps", "ok", "none starts Knowgate yet; `knowgate mcp install --client APP` sees to it")


def _file(title: str, path: Path, below: str, trusted: bool, machine: Machine) -> Iterator[Check]:
    try:
        listed = entries(load(path, below))
    except KnowgateError as error:
        if b"knowgate" in path.read_bytes():
            yield Check(title, "warning", error.message, "Start the app and see whether it lists the tools.")
        return
    for name, entry in listed.items():
        if not entry.ours:
            continue
        if trusted or _is_this_program(entry):
            yield _tried(f"{title}: {name}", entry, machine)
        else:
            told = f"{path} names another program, {entry.command}, which was not started"
            yield Check(f"{title}: {name}", "warning", told, "If it is yours, run it by hand.")


def _is_this_program(entry: Entry) -> bool:
    """A project may come from anybody, and looking at it must not run what he put there."""
    words, own = [entry.command, *entry.args], this_program()
    return words[: len(own)] == own and serves_mcp(words[len(own) :])


def _tried(name: str, entry: Entry, machine: Machine) -> Check:
    try:
        answered = try_out(entry, machine.environ)
    except KnowgateError as error:
        return Check(name, "wrong", error.message, error.fix)
    server = f"{answered.name} {answered.version}".strip()
    return Check(name, "ok", f"{server} answers in {answered.seconds:.1f} s with {counted(answered.tools, 'tool')}")
