"""`mrapids-agent start`, `stop` and `status`."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from knowgate.cli.agent.folder import ConfigDir, ConfigFile, find_folder, read_folder
from knowgate.cli.agent.process import end, remove_pid, running, start_aside, write_pid
from knowgate.cli.agent.settings import load_settings
from knowgate.doors.rpc.agent import AgentEngine
from knowgate.errors import ConflictError, KnowgateError, NetworkError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.tools.backend import Backend

PIPE = "mrapids.pipe"


def start(
    ctx: typer.Context,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = None,
    config: ConfigFile = None,
    config_dir: ConfigDir = None,
    daemon: Annotated[bool, typer.Option("--daemon", help="In the background.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Say more on stderr.")] = False,
) -> None:
    """Serve the API to assistants: JSON-RPC and MCP over HTTP, and MCP to the app that started this with a pipe."""
    folder = find_folder(config_dir)
    agent = running(folder)
    pipe: BinaryIO | None = ctx.meta.get(PIPE)
    if agent and pipe is None:
        fix = "Stop it first: mrapids-agent stop"
        raise ConflictError("already_running", f"An agent runs at {agent.url} (process {agent.pid}).", fix)
    mrapids = read_folder(config_dir, config)
    settings = load_settings(mrapids, host, port)
    if daemon:
        flags = {"--host": host, "--port": port, "--config": config, "--config-dir": folder.absolute()}
        given = [part for flag, value in flags.items() if value is not None for part in (flag, str(value))]
        found = start_aside(folder, given)
        typer.echo(f"Ready at {found.url} (process {found.pid})")
        return
    if debug:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    engine = AgentEngine(mrapids, settings)
    with ExitStack() as closers:
        closers.callback(remove_pid, folder)
        closers.callback(engine.close)
        if pipe is None:
            _listen(engine, folder)
        else:
            # The port may be in use by the agent of another app; ours serves its own app all the same.
            threading.Thread(target=_listen_if_free, args=(engine, folder), daemon=True).start()
            _talk(engine, closers, pipe)


def stop(
    config_dir: ConfigDir = None,
    force: Annotated[bool, typer.Option("--force", help="Do not let it finish what it does.")] = False,
) -> None:
    """End the agent that runs."""
    folder = find_folder(config_dir)
    agent = running(folder)
    if agent is None:
        raise NetworkError("not_running", f"No agent runs on {folder}.", "There is nothing to stop.")
    if not end(folder, agent, force):
        raise NetworkError("not_stopped", f"Process {agent.pid} goes on.", "Use --force.")
    typer.echo("Stopped")


def status(config_dir: ConfigDir = None) -> None:
    """Say whether an agent runs, and where. Exit code 4 when none does."""
    folder = find_folder(config_dir)
    agent = running(folder)
    if agent is None:
        raise NetworkError("not_running", f"No agent runs on {folder}.", "Start it: mrapids-agent start")
    typer.echo(f"Running at {agent.url} (process {agent.pid}) on {folder}")


def _listen(engine: AgentEngine, folder: Path) -> None:
    from knowgate.doors.serve import serve

    def ready(url: str) -> None:
        write_pid(folder, url)
        _note(f"Ready on port {url.rpartition(':')[2]}: {url}")

    serve(engine, ready, _note)


def _listen_if_free(engine: AgentEngine, folder: Path) -> None:
    try:
        _listen(engine, folder)
    except KnowgateError as error:
        _note(f"{error} MCP over the pipe works without it.")


def _talk(engine: AgentEngine, closers: ExitStack, pipe: BinaryIO) -> None:
    from knowgate.doors.mcp.stdio import Offers, serve_stdio
    from knowgate.tools.toolsets import find_toolset

    class Governed(Offers):
        def engine(self) -> Engine:
            return engine

    serve_stdio(
        find_toolset("mrapids"),
        partial(_backend, engine),
        closers.close,
        pipe,
        offers=Governed(),
    )


async def _backend(engine: AgentEngine) -> Backend:
    from knowgate.tools.inprocess import InProcess
    from knowgate.tools.submissions import Submissions

    return InProcess(engine, Submissions(), attend=lambda: None)


def _note(text: str) -> None:
    typer.echo(f"mrapids-agent: {text}", err=True)
