"""`knowgate config`: the settings in force."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import Tail, one_line
from knowgate.errors import InputError

app = typer.Typer(help="The settings in force, and which files may set them.")


@app.callback(invoke_without_command=True)
def config(
    ctx: typer.Context,
    example: Annotated[bool, typer.Option("--example", help="Print a complete knowgate.toml to begin with.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Print every setting in force and where its value came from."""
    call = ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand:
        return
    from knowgate.config.settings import Settings
    from knowgate.config.show import as_toml, describe

    if example:
        typer.echo(as_toml(Settings()), nl=False)
        return
    loaded = call.load()
    rows = describe(loaded)
    if call.json:
        call.screen.answer({"file": loaded.file, "settings": rows})
        return
    # The value stands last: a long list of one setting must not push the others' origins out of sight.
    table = [(row.key, Tail(row.origin), row.value) for row in rows]
    call.screen.table(("setting", "from", "value"), table, long=("from", "value"))
    call.screen.note(f"File: {loaded.file}" if loaded.file else "There is no knowgate.toml; defaults are in force.")


@app.command("trust")
def trust_file(
    ctx: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="Another file, or a folder .mrapids.", show_default=False)
    ] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Let the nearest knowgate.toml say which APIs are called, with what and by which policy. Asks at the terminal.

    When the file is changed, it has to be trusted again. One that is named with --config needs no trust.
    """
    call = Call.of(ctx, config, data, json)
    from knowgate.config.files import FILE_NAME, find_config, read_config
    from knowgate.config.trust import trust
    from knowgate.engine import Engine

    path = path or find_config(call.config, os.environ, Path.cwd())
    if path is None or not path.exists():
        raise InputError("config_not_found", f"There is no {FILE_NAME} here.", "Run it where the file is.")
    files = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    for file in files:
        for line in _told(read_config(file).tree, all=path.is_dir()):
            call.screen.note(line)
    ask_a_person(f"Trust {path} as it is now?", "Run it in a terminal, or name the file with --config.")
    with Engine(call.load().settings) as engine, engine.configuring("trust_config", {"file": str(path)}):
        trust(path)
    if call.json:
        call.screen.answer({"trusted": str(path)})
    else:
        call.screen.show(f"{path} is trusted as it is now.")


def _told(tree: Mapping[str, Any], all: bool) -> Iterator[str]:
    """What in it a person should look at."""
    from knowgate.config.trust import sections_of

    for section in tree if all else sections_of(tree):
        yield from _lines(section, tree[section])


def _lines(name: str, value: object) -> Iterator[str]:
    from knowgate.config.values import toml_text

    if isinstance(value, Mapping):
        for below, each in cast("Mapping[str, object]", value).items():
            yield from _lines(f"{name}.{below}", each)
    else:
        yield one_line(f"{name} = {toml_text(value)}")
