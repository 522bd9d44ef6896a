"""`mrapids-agent auth`: profiles that name where a secret is, never the secret."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from knowgate.cli.agent.folder import ConfigDir, find_folder, make_folder, still_trusted, write_private
from knowgate.config.mrapids import AUTH, CONFIG, read_auth, read_mrapids
from knowgate.config.values import toml_text
from knowgate.errors import ConflictError, InputError, NotFoundError

app = typer.Typer(help="Credentials with which the API is called.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A profile's name.")]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEYS = {"bearer": "token_env", "api_key": "key_env", "basic": "password_env"}


@app.command("list")
def list_profiles(config_dir: ConfigDir = None) -> None:
    """List the profiles."""
    files = sorted((find_folder(config_dir) / AUTH).glob("*.toml"))
    for file in files:
        name, table = read_auth(file)
        typer.echo(f"{name}  {table['type']}  {_state(table)}")
    if not files:
        typer.echo("There are no profiles. Add one: mrapids-agent auth add NAME --env VARIABLE", err=True)


@app.command()
def add(
    name: Name,
    env: Annotated[str, typer.Option("--env", metavar="VARIABLE", help="The variable that holds the secret.")],
    type: Annotated[str, typer.Option("--type", metavar="TYPE", help="bearer, api_key or basic.")] = "bearer",
    header: Annotated[str, typer.Option("--header", metavar="NAME", help="Header of an API key.")] = "X-API-Key",
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="User name, of basic.")] = "",
    config_dir: ConfigDir = None,
) -> None:
    """Add a profile."""
    kind = type.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise InputError("bad_name", f"{name} cannot be a profile's name.", "Use letters, digits, - and _.")
    if kind not in _KEYS:
        raise InputError("bad_type", f"There is no type {type}.", f"Use {', '.join(_KEYS)}.")
    if kind == "basic" and not user:
        raise InputError("user_missing", "basic needs a user name.", "Add --user NAME.")
    file = _file(config_dir, name)
    if file.exists():
        raise ConflictError("profile_exists", f"There is a profile {name}.", f"Run `mrapids-agent auth remove {name}`.")
    table = {"name": name, "type": kind, _KEYS[kind]: env}
    table |= {"api_key": {"header": header}, "basic": {"user": user}}.get(kind, {})
    make_folder(file.parent)
    lines = [f"{key} = {toml_text(value)}" for key, value in table.items()]
    folder = find_folder(config_dir)
    with still_trusted(folder):
        write_private(file, "\n".join(["[profile]", *lines, ""]).encode())
    typer.echo(f"{name}  {kind}  {_state(read_auth(file)[1])}")
    if read_mrapids(folder).auth_profile != name:
        place = f'auth_profile = "{name}" under [defaults] in {folder / CONFIG}'
        typer.echo(f"To have it sent to the API, write {place}, then: knowgate config trust {folder}", err=True)


@app.command()
def show(name: Name, config_dir: ConfigDir = None) -> None:
    """Show a profile, and whether its secret is there."""
    found, table = read_auth(_existing(config_dir, name))
    typer.echo(f"name = {toml_text(found)}")
    for key, value in table.items():
        typer.echo(f"{key} = {toml_text(value)}")
    typer.echo(f"# {_state(table)}")


@app.command()
def remove(name: Name, config_dir: ConfigDir = None) -> None:
    """Remove a profile."""
    with still_trusted(find_folder(config_dir)):
        _existing(config_dir, name).unlink()
    typer.echo(f"{name} is removed")


def _file(config_dir: Path | None, name: str) -> Path:
    return find_folder(config_dir) / AUTH / f"{name}.toml"


def _existing(config_dir: Path | None, name: str) -> Path:
    files = sorted((find_folder(config_dir) / AUTH).glob("*.toml"))
    found = next((file for file in files if name in (file.stem, read_auth(file)[0])), None)
    if found is None:
        known = ", ".join(file.stem for file in files) or "none"
        raise NotFoundError("unknown_profile", f"There is no profile {name}.", f"There are: {known}.")
    return found


def _state(table: dict[str, object]) -> str:
    variable = table.get("secret_env")
    if not variable:
        return "its secret is elsewhere"
    return f"{variable} is set" if os.environ.get(str(variable)) else f"{variable} is not set"
