"""`knowgate mcp`: the tools for an AI app, over stdin and stdout."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from typer.main import get_command

from knowgate.cli import failure
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.doors.mcp.pipe import take_stdout
from knowgate.errors import KnowgateError

if TYPE_CHECKING:
    from knowgate.doors.mcp.stdio import Offers
    from knowgate.engine import Engine
    from knowgate.tools.backend import Backend
    from knowgate.tools.tool import Tool

OpenBackend = Callable[[], Awaitable["Backend"]]
_PIPE = "knowgate.pipe"


class ToolsetName(StrEnum):
    native = "native"
    openrag = "openrag"
    flowrag = "flowrag"
    mrapids = "mrapids"


class ProtocolName(StrEnum):
    auto = "auto"
    legacy = "legacy"
    modern = "modern"


Toolset = Annotated[ToolsetName, typer.Option("--toolset", metavar="NAME", help="Which vocabulary to offer.")]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Only the tools that change nothing.")]
Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        envvar="KNOWGATE_URL",
        help="Use a server, with the key in KNOWGATE_API_KEY, instead of the data folder.",
    ),
]


def mcp(
    ctx: typer.Context,
    toolset: Toolset = ToolsetName.native,
    read_only: ReadOnly = False,
    url: Url = None,
    protocol: Annotated[
        ProtocolName,
        typer.Option("--protocol", metavar="ERA", help="Speak only one era of MCP, for a client that is confused."),
    ] = ProtocolName.auto,
    config: Config = None,
    data: Data = None,
) -> None:
    """Serve an AI app over stdin and stdout (MCP). The app starts this command by itself."""
    call = ctx.obj = Call.of(ctx, config, data)
    if ctx.invoked_subcommand:
        if toolset is not ToolsetName.native or read_only or protocol is not ProtocolName.auto:
            raise typer.BadParameter(f"These options go behind `{ctx.invoked_subcommand}`.", ctx)
        return
    pipe = ctx.meta.get(_PIPE) or take_stdout()
    if sys.stdin.isatty():
        call.screen.note("This speaks MCP on stdin and stdout; an AI app starts it by itself. Ctrl-C ends it.")
    closers = ExitStack()
    open_backend = partial(_remote, None, url) if url else partial(in_process, call, closers)
    # A server has a policy of its own.
    _serve(toolset, read_only, open_backend, closers.close, pipe, protocol, None if url else call)


def run(arguments: Sequence[str], pipe: BinaryIO) -> int:
    """`knowgate mcp` without the other commands, which take time to load."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(mcp)

    @app.callback()
    def before(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
        ctx.obj = Call(config, data, json)
        ctx.meta[_PIPE] = pipe

    _ = before
    try:
        get_command(app).main(list(arguments), prog_name="knowgate", standalone_mode=False)
    except KnowgateError as error:
        return failure.known(error, json=False)
    except typer.TyperException as error:
        return failure.usage(error.format_message(), "knowgate mcp", json=False)
    return 0


def run_openrag(key: str, url: str, pipe: BinaryIO) -> None:
    """`openrag-mcp`: OpenRAG's tools on a server."""
    _serve(ToolsetName.openrag, False, partial(_remote, key, url), lambda: None, pipe, ProtocolName.auto)


def run_flowrag(call: Call, pipe: BinaryIO) -> None:
    """`flowrag-mcp`: FlowRAG's tools on its data folder."""
    closers = ExitStack()
    _serve(ToolsetName.flowrag, False, partial(in_process, call, closers), closers.close, pipe, ProtocolName.auto, call)


def _serve(
    toolset: ToolsetName,
    read_only: bool,
    open_backend: OpenBackend,
    close: Callable[[], None],
    pipe: BinaryIO,
    protocol: ProtocolName,
    governed: Call | None = None,
) -> None:
    from knowgate.doors.mcp.stdio import serve_stdio
    from knowgate.tools.toolsets import find_toolset

    # A thread that waits for stdin cannot be interrupted; the work is on disk and is taken up again.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    chosen = find_toolset(toolset.value)
    chosen = chosen.reading() if read_only else chosen
    serve_stdio(chosen, open_backend, close, pipe, protocol.value, _offers(governed) if governed else None)


def _offers(call: Call) -> Offers:
    from knowgate.doors.mcp.stdio import Offers

    class Governed(Offers):
        """Which tools the configured policy leaves, before anything else is opened."""

        def holds(self, tool: Tool[Any]) -> bool:
            if tool.name.startswith("knowgate_") and tool.scope == "apis" and not self._has_apis:
                return False
            return super().holds(tool)

        def engine(self) -> Engine | None:
            return self._engine

        @cached_property
        def _has_apis(self) -> bool:
            return _speaks_of(call, "apis")

        @cached_property
        def _engine(self) -> Engine | None:
            if not _speaks_of(call, "policy"):
                return None
            try:
                engine = call.engine()
            except KnowgateError:
                return None  # the first call will tell
            return engine if engine.settings.policy.file else None

    return Governed()


def _speaks_of(call: Call, word: str) -> bool:
    """Reading all settings takes longer than an app should wait for the list of tools, and most have neither."""
    from knowgate.config.files import find_config

    here = Path.cwd()
    config = find_config(call.config, os.environ, here)
    folder = config.parent if config else here
    texts = [each for each in (config, folder / ".env", here / ".env") if each and each.is_file()]
    named = any(word in name.lower() for name in os.environ)
    return named or any(word.encode() in path.read_bytes().lower() for path in texts)


async def in_process(call: Call, closers: ExitStack) -> Backend:
    from anyio import to_thread

    return await to_thread.run_sync(partial(_open, call, closers))


def _open(call: Call, closers: ExitStack) -> Backend:
    from knowgate.tools.inprocess import InProcess
    from knowgate.tools.submissions import Submissions
    from knowgate.workers import Workers

    engine = closers.enter_context(call.engine())
    workers = Workers(engine, call.screen.warn)

    def attend() -> None:
        if not engine.rooms.attended:
            workers.start()
            closers.callback(workers.stop)

    return InProcess(engine, Submissions(), attend)


async def _remote(key: str | None, url: str) -> Backend:
    from knowgate.client import AsyncClient
    from knowgate.tools.remote import Remote

    return Remote(AsyncClient(key, base_url=url))
