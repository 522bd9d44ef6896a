"""`knowgate mcp install`: our entry in the configuration of an AI app."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from knowgate.cli.apps.entries import Entry, Held, load, save, this_program, with_entry
from knowgate.cli.apps.places import App, AppName, Machine, find_app
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.mcp import ReadOnly, Toolset, ToolsetName, Url, mcp
from knowgate.cli.screen import clean
from knowgate.errors import InputError

app = typer.Typer(help="Serve an AI app over stdin and stdout (MCP). The app starts this command by itself.")
app.callback(invoke_without_command=True)(mcp)


@app.command()
def install(
    ctx: typer.Context,
    client: Annotated[
        list[AppName],
        typer.Option("--client", metavar="APP", help=f"{', '.join(AppName)}; more than one may be given."),
    ],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the app calls it.")] = "knowgate",
    project: Annotated[
        bool, typer.Option("--project", help="Only for the project in this folder, in a file of its own.")
    ] = False,
    show: Annotated[bool, typer.Option("--print", help="Show the entry and change nothing.")] = False,
    toolset: Toolset = ToolsetName.native,
    read_only: ReadOnly = False,
    url: Url = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Make an AI app start this server.

    Adds an entry to the app's configuration, with the paths and options of this call. The rest of the file stays as it
    is, and a backup lies beside it.
    """
    call = Call.of(ctx, config, data, json)
    entry = _entry(call, toolset, read_only, url)
    machine = Machine(sys.platform, Path.home(), os.environ)
    apps = {each: find_app(each, machine) for each in client}
    if show:
        alone = Held(Path(), "", {}, {})
        for text in dict.fromkeys(with_entry(alone, found, name, entry) for found in apps.values()):
            typer.echo(text, nl=False)
        for found in apps.values():
            call.screen.note(f"{found.title}: paste it into {_file(found, project)}")
        _tell_of_key(call, url)
        return
    # All are read before the first is changed, so that a refusal changes nothing.
    planned = {
        each: (held := load(_file(found, project), found.below), with_entry(held, found, name, entry))
        for each, found in apps.items()
    }
    done: list[dict[str, object]] = []
    for each, (held, text) in planned.items():
        changed = text != held.text
        backup = save(held.path, text) if changed else None
        done.append({"client": each, "file": str(held.path), "changed": changed, "backup": backup and str(backup)})
        kept = f"; what was there before is in {backup.name}" if backup else ""
        told = f"written to {held.path}{kept}" if changed else f"is in {held.path} already"
        if not call.json:
            call.screen.show(clean(f"{apps[each].title}: {told}"))
    if call.json:
        call.screen.answer({"installed": done})
    _tell_of_key(call, url)
    call.screen.note(f"Restart the app, then see whether all is well: {call.command('doctor')}")


def _tell_of_key(call: Call, url: str | None) -> None:
    if url:
        call.screen.note('If the server wants a key, add "env": {"KNOWGATE_API_KEY": "..."} to the entry.')


def _entry(call: Call, toolset: ToolsetName, read_only: bool, url: str | None) -> Entry:
    command, *args = this_program()
    args.append("mcp")
    if toolset is not ToolsetName.native:
        args += ["--toolset", toolset.value]
    if read_only:
        args.append("--read-only")
    if url:
        return Entry(command, [*args, "--url", url])
    # An app starts us in a folder and with an environment of its own, so what was found here is told.
    loaded = call.load()
    if loaded.file:
        args += ["--config", str(loaded.file)]
    if loaded.origins["data"].kind in ("flag", "env", "dotenv"):
        args += ["--data", str(loaded.settings.data)]
    return Entry(command, args)


def _file(found: App, project: bool) -> Path:
    if not project:
        return found.user
    if found.project is None:
        raise InputError("no_project_file", f"{found.title} knows no projects.", "Leave --project out.")
    return Path.cwd() / found.project
