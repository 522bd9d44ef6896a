"""docs/cli.md, made from the commands themselves: python -m knowgate.cli.reference > docs/cli.md"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from knowgate.cli.main import app

_BEGINNING = """# Commands

Every command has `--help`. The result goes to stdout and everything else to stderr; `--json` makes the result one JSON
document. What the exit codes mean is told in [errors.md](errors.md).
"""
_EVERYWHERE = ("config", "data", "json")


def reference() -> str:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    parts = [_BEGINNING, *_options_for_all(root)]
    for name, command in root.commands.items():
        below = command.commands.items() if isinstance(command, TyperGroup) else ()
        parts += _section(f"knowgate {name}", command, 2)
        for inner, subcommand in below:
            parts += _section(f"knowgate {name} {inner}", subcommand, 3)
    return "\n".join(parts)


def _options_for_all(root: TyperGroup) -> Iterator[str]:
    yield "## For every command\n"
    yield "Before or after the command's name:\n"
    yield from _table([parameter for parameter in root.params if isinstance(parameter, TyperOption)])


def _section(path: str, command: object, level: int) -> Iterator[str]:
    assert isinstance(command, TyperCommand | TyperGroup)
    arguments = [parameter for parameter in command.params if isinstance(parameter, TyperArgument)]
    options = [
        parameter
        for parameter in command.params
        if isinstance(parameter, TyperOption) and parameter.name not in _EVERYWHERE
    ]
    yield f"{'#' * level} {path}\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    if isinstance(command, TyperCommand):
        shown = " ".join(_argument(argument) for argument in arguments)
        yield f"    {path}{' [options]' if options else ''} {shown}".rstrip() + "\n"
    if arguments or options:
        yield from _table([*arguments, *options])


def _table(parameters: list[TyperArgument | TyperOption] | list[TyperOption]) -> Iterator[str]:
    rows = [
        f"| {_name(parameter)} | {(parameter.help or '').replace('|', chr(92) + '|')} |" for parameter in parameters
    ]
    yield "\n".join(["| | |", "|---|---|", *rows]) + "\n"


def _name(parameter: TyperArgument | TyperOption) -> str:
    if isinstance(parameter, TyperArgument):
        return f"`{_argument(parameter)}`"
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return f"`{names}`" if parameter.is_flag else f"`{names} {parameter.metavar}`"


def _argument(argument: TyperArgument) -> str:
    name = argument.metavar or (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


if __name__ == "__main__":
    sys.stdout.write(reference())
