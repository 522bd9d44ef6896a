"""`mrapids-agent init`: the folder, with a policy that lets an assistant read and asks a person before it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.agent.example import EXAMPLE
from knowgate.cli.agent.folder import ConfigDir, back_up, config_text, make_folder, write_private
from knowgate.cli.agent.reach import unreachable
from knowgate.cli.sizes import counted
from knowgate.config.mrapids import AUTH, CONFIG, FOLDER, POLICY, SPECS
from knowgate.config.trust import trust
from knowgate.errors import ConflictError, DocumentError, InputError

if TYPE_CHECKING:
    from knowgate.apis.operation import Api


def init(
    from_url: Annotated[str, typer.Option("--from-url", metavar="URL", help="Fetch the API's description.")] = "",
    example: Annotated[bool, typer.Option("--example", help="Begin with a small API to play with.")] = False,
    spec: Annotated[
        Path | None, typer.Option("--spec", metavar="FILE", help="Copy the API's description from here.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8080,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Call the API although its address is private or of this machine.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there, after a backup.")] = False,
    config_dir: ConfigDir = None,
) -> None:
    """Make the folder .mrapids with a configuration, a policy and the API's description."""
    if sum((bool(from_url), example, spec is not None)) != 1:
        raise InputError("usage", "Where is the API's description?", "Give one of --from-url, --spec and --example.")
    from knowgate.guard.policy.starter import STARTER
    from knowgate.net import NetRules

    folder = config_dir or Path(FOLDER)
    described = EXAMPLE.encode() if example else _fetched(from_url) if from_url else _copied(spec or Path())
    api = _read(described, from_url or str(spec or "example"))
    name = SPECS[2] if described.lstrip().startswith(b"{") else SPECS[0]
    files = {
        CONFIG: config_text(host, port, allow_private=example or allow_private).encode(),
        POLICY: STARTER.encode(),
        name: described,
    }
    old = [folder / each for each in {*files, *SPECS} if (folder / each).exists()]
    if old and not force:
        fix = "Use --force to replace them; a backup is kept."
        raise ConflictError("config_exists", f"{folder} holds {old[0].name} already.", fix)
    make_folder(folder)
    kept = back_up(folder, old)
    for each in old:
        each.unlink()
    for inner in (AUTH, "audit"):
        make_folder(folder / inner)
    for each, content in files.items():
        write_private(folder / each, content)
    trust(folder)
    count = counted(len(api.operations), "operation")
    typer.echo(f"{folder}: {count} behind a policy that allows reading and asks before writing.")
    if kept:
        typer.echo(f"What was there is kept in {kept}.", err=True)
    # The agent reads the copy, which does not tell where it came from.
    for warning in unreachable(replace(api, source=name), "", NetRules(example or allow_private), folder):
        typer.echo(warning, err=True)
    typer.echo("Next: mrapids-agent validate, then: mrapids-agent start", err=True)


def _copied(spec: Path) -> bytes:
    try:
        return spec.expanduser().read_bytes()
    except OSError as error:
        raise InputError("spec_missing", f"{spec} cannot be read ({error.strerror}).", "Check the path.") from None


def _fetched(url: str) -> bytes:
    from knowgate.cli.apis_specs import fetch_spec

    return fetch_spec(url)


def _read(described: bytes, source: str) -> Api:
    from knowgate.apis.spec.load import load

    api = load(described, name="api", source=source)
    for each in api.quarantined:
        typer.echo(f"Cannot be used: {each.method} {each.path}: {each.reason}", err=True)
    if not api.operations:
        raise DocumentError("spec_unusable", f"{source} has no operation that can be used.", "Correct it.")
    return api
