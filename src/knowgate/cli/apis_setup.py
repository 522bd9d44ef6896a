"""`knowgate apis add`: an API is looked at, and written into the configuration."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.progress import progress
from knowgate.cli.sizes import counted
from knowgate.errors import ConflictError, DocumentError, InputError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call it, such as shop.")],
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Its OpenAPI description: a path or an address.")],
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Where it is called, if not where its server is.")
    ] = None,
    auth: Annotated[
        list[str] | None,
        typer.Option("--auth", metavar="PROFILE", help="Credentials of [auth] that it may use, several times."),
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Call it although its address is private or of this machine.")
    ] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Write an API into knowgate.toml, after a look at what it offers."""
    call = Call.of(ctx, config, data, json)
    from knowgate.config.add import add_table, place_of
    from knowgate.config.trust import not_trusted, trust
    from knowgate.engine import Engine

    if not _NAME.fullmatch(name):
        raise InputError("bad_name", f"{name} cannot be an API's name.", "Use letters, digits, - and _.")
    if not spec.startswith(("http://", "https://")):
        spec = str(Path(spec).expanduser().absolute())
    values = {"spec": spec, "base_url": base_url, "auth": auth, "allow_private": allow_private or None}
    given = {key: value for key, value in values.items() if value}
    loaded = call.load()
    if loaded.file and loaded.ignored:
        raise not_trusted(loaded.file)
    if name in loaded.settings.apis:
        fix = f"Choose another name, or change [apis.{name}] in {loaded.file}."
        raise ConflictError("api_exists", f"There is an API {name} already.", fix)
    with Engine(call.load({"apis": {name: given}}).settings) as engine:
        info = next(each for each in engine.apis() if each.name == name)
    if not info.operations:
        said = " ".join((*info.warnings, *info.quarantined)) or "It has no operation."
        raise DocumentError("spec_unusable", f"{spec}: {said}", "Nothing was changed. Correct the description.")
    file = loaded.file or place_of(call.config, os.environ, Path.cwd())
    add_table(file, ("apis", name), given)
    trust(file)
    # So that operations are found by meaning, too, from the first search on.
    with Engine(call.load().settings) as engine, progress(call.screen) as report:
        engine.index_apis()
        engine.embed_pending(report)
    if call.json:
        call.screen.answer({"api": asdict(info), "file": str(file)})
        return
    call.screen.show(f"{name}: {info.title} {info.version}, {counted(info.operations, 'operation')}, in {file}")
    for each in (*info.quarantined, *info.warnings):
        call.screen.warn(each)
    call.screen.note(f"See what it can do: {call.command('apis', 'list', name)}")
