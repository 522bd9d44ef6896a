"""Where the agent's files lie, and how they are written: for their owner's eyes only."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from knowgate.config.mrapids import CONFIG, FOLDER, Mrapids, read_mrapids
from knowgate.config.trust import is_trusted, not_trusted, trust

ConfigDir = Annotated[
    Path | None, typer.Option("--config-dir", metavar="FOLDER", help="The folder, if not the nearest .mrapids.")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The configuration, if not mcp-server.toml in it.")
]
BACKUPS = ".backups"


def find_folder(given: Path | None) -> Path:
    """The one that was named, else the nearest at or above the working directory, else the user's own.

    An AI app starts us wherever it likes.
    """
    if given:
        return given.expanduser()
    cwd = Path.cwd()
    near = [folder / FOLDER for folder in (cwd, *cwd.parents)]
    return next((folder for folder in (*near, Path.home() / FOLDER) if folder.is_dir()), cwd / FOLDER)


def read_folder(given: Path | None, config: Path | None = None) -> Mrapids:
    folder = find_folder(given)
    # What lies in the user's own folder is his; what was found elsewhere may have come along with something.
    if given is None and folder.is_dir() and folder != Path.home() / FOLDER and not is_trusted(folder):
        raise not_trusted(folder)
    found = read_mrapids(folder, config)
    for warning in found.warnings:
        typer.echo(f"mrapids-agent: {warning}", err=True)
    return found


@contextmanager
def still_trusted(folder: Path) -> Generator[None]:
    """What the user changes in a folder that he trusts makes no difference to that."""
    before = is_trusted(folder)
    yield
    if before:
        trust(folder)


def make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def write_private(file: Path, content: bytes) -> None:
    """All of it at once: others may be waiting for it."""
    fresh = file.with_name(f".{file.name}.{uuid4().hex}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)
    fresh.replace(file)


def back_up(folder: Path, files: Iterable[Path]) -> Path | None:
    """Copies of those that are there, in a folder that is named after the moment."""
    there = [file for file in files if file.exists()]
    if not there:
        return None
    make_folder(folder / BACKUPS)
    place = folder / BACKUPS / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    make_folder(place)
    for file in there:
        shutil.copy2(file, place / file.name)
        (place / file.name).chmod(0o600)
    return place


def config_text(host: str, port: int, allow_private: bool) -> str:
    return f"""\
# {CONFIG}: how the agent listens, and what it may be told.
[server]
host = "{host}"
port = {port}

[defaults]
# auth_profile = "github"    # the profile of auth/ that is sent to the API; without it none is
# base_url = "https://api.example.com"

[security]
allow_override_env = false
allow_override_auth = false
# true: the API may be on this machine or in a private network.
allow_private = {str(allow_private).lower()}

[audit]
enabled = true
rotation_size_mb = 100
max_files = 30
"""
