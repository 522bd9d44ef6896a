"""`knowgate`: the commands, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated

import typer
from typer.main import get_command

from knowgate.cli import (
    apis,
    approvals,
    audit,
    chat,
    config,
    doctor,
    documents,
    failure,
    graph,
    ingest,
    install,
    keys,
    move,
    policy,
    saved_filters,
    search,
    serve,
    store,
    tasks,
    watch,
)
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.errors import InputError, KnowgateError
from knowgate.version import __version__

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    ingest.ingest,
    search.search,
    chat.chat,
    documents.documents,
    documents.show,
    documents.delete,
    documents.stats,
    watch.watch,
    serve.serve,
):
    app.command()(command)
for group, name in (
    (graph, "graph"),
    (apis, "apis"),
    (install, "mcp"),
    (tasks, "tasks"),
    (keys, "keys"),
    (saved_filters, "filters"),
    (policy, "policy"),
    (approvals, "approvals"),
    (audit, "audit"),
    (config, "config"),
    (store, "store"),
):
    app.add_typer(group.app, name=name)
for command in (ingest.reembed, doctor.doctor, move.export):
    app.command()(command)
app.command("import")(move.import_)


@app.callback(invoke_without_command=True)
def knowgate(
    ctx: typer.Context,
    config: Config = None,
    data: Data = None,
    json: Json = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """One gate for AI assistants: what your documents say and what your APIs can do.

    Begin with: knowgate ingest FOLDER, then: knowgate search "a question"
    """
    ctx.obj = Call(config, data, json)
    if version:
        typer.echo(f"knowgate {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code."""
    json = "--json" in takewhile(lambda argument: argument != "--", arguments)
    _never_fail_to_print()
    if list(arguments) == ["--version"]:
        # Typer loads pydantic to read the plainest option, and this is asked by scripts.
        typer.echo(f"knowgate {__version__}")
        return 0
    try:
        _refuse_undecodable(arguments)
        code: object = get_command(app).main(list(arguments) or ["--help"], prog_name="knowgate", standalone_mode=False)
        sys.stdout.flush()
    except KnowgateError as error:
        return failure.known(error, json)
    except typer.Abort:
        return failure.INTERRUPTED
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        return failure.usage(error.format_message(), context.command_path if context else "knowgate", json)
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain when it flushes on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - nobody stands behind this door to catch it
        return failure.unexpected(error, json, debug=bool(os.environ.get("KNOWGATE_DEBUG")))
    return code if isinstance(code, int) else 0


def _refuse_undecodable(arguments: Sequence[str]) -> None:
    """Bytes that are no text arrive as lone surrogates, which neither a database nor JSON can hold."""
    for argument in arguments:
        shown = argument.encode("utf-8", "backslashreplace").decode()
        if shown != argument:
            raise InputError("bad_name", f"{shown} is not valid text.", "Rename the file, or type the text anew.")


def _never_fail_to_print() -> None:
    """A terminal that does not know a character gets a question mark, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
