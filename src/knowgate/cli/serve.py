"""`knowgate serve`: the page and the REST API."""

from __future__ import annotations

from typing import Annotated

import typer

from knowgate.cli.call import Call, Config, Data


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Address to listen on; not set, server.host.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="PORT", help="Port to listen on, 0 for any free one; not set, server.port."),
    ] = None,
    config: Config = None,
    data: Data = None,
) -> None:
    """Serve a search page and the REST API. Ctrl-C ends it.

    Other machines are let in when there are keys: knowgate keys create NAME, then --host 0.0.0.0
    """
    call = Call.of(ctx, config, data)
    loaded = call.load({"server.host": host, "server.port": port})
    from knowgate.doors.serve import serve as open_door
    from knowgate.engine import Engine

    with Engine(loaded.settings) as engine:
        open_door(engine, ready=lambda url: _announce(call, url, engine.rooms.keys.any()), notice=call.screen.warn)
    call.screen.note("Stopped.")


def _announce(call: Call, url: str, keys: bool) -> None:
    screen = call.screen
    key = '-H "X-API-Key: $KEY" ' if keys else ""
    screen.err.print(f"Knowgate serves at {url}", style="bold")
    screen.note(f"  in a browser    {url}/")
    screen.note(f"  from a script   curl {key}'{url}/api/v1/search?query=how+do+refunds+work'")
    screen.note(f"  in a terminal   {call.command('search', 'how do refunds work')}")
    screen.note("Ctrl-C ends it.")
