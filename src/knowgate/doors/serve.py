"""One process that listens: the REST door, and the workers behind it."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from knowgate.errors import InputError
from knowgate.net.address import is_loopback

if TYPE_CHECKING:
    from knowgate.engine import Engine

_GRACE_SECONDS = 10
"""For requests that are being answered when a signal comes."""
KEEP_ALIVE_SECONDS = 75
"""Longer than clients keep a connection: whoever sends into one that we close just then is not answered."""


def serve(engine: Engine, ready: Callable[[str], None], notice: Callable[[str], None]) -> None:
    """Serve until a signal ends it. `ready` is told the address, `notice` what goes wrong beside the requests."""
    settings = engine.settings.server
    # Also tells of a folder that cannot be opened, before anybody connects.
    with listen(settings.host, settings.port, has_keys=engine.rooms.keys.let_somebody_in()) as listener:
        engine.rooms.local_only = is_loopback(listener.getsockname()[0])
        from fastapi import FastAPI

        from knowgate.doors.logs import start_logging
        from knowgate.doors.rest.app import create_app
        from knowgate.workers import Workers

        start_logging()
        workers = Workers(engine, notice, settings.workers)

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
            workers.start()
            ready(address(listener))
            yield
            workers.stop()

        app = create_app(engine, lifespan)
        run_until_told(app, listener, app.state.stopping.set)


def run_until_told(app: Callable[..., Any], listener: socket.socket, told: Callable[[], None] = lambda: None) -> None:
    """Answer requests until a signal comes; `told` is called at once then."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
            """Not raised again at the end, as it would be otherwise: to stop when told so is no failure."""
            told()
            self.force_exit = self.should_exit
            self.should_exit = True

    Server(config).run(sockets=[listener])


def listen(host: str, port: int, has_keys: bool = False) -> socket.socket:
    """A socket. One that other machines can reach is for those who show a key, so there must be one."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise InputError("bad_host", f"{host} is no address of this machine.", "Use 127.0.0.1.") from error
    if not has_keys and not is_loopback(str(where[0])):
        raise InputError(
            "public_without_keys",
            f"{host} would let other machines in, and there is no key that they could show.",
            "Create one first: `knowgate keys create NAME`. Or use 127.0.0.1.",
        )
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it would let two programs share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                "port_taken",
                f"Another program listens on port {port}.",
                "End it, or choose another port: --port 0 takes any free one.",
            ) from error
        raise InputError(
            "bad_port", f"Port {port} cannot be used: {error.strerror}.", "Choose one from 1024 to 65535, or 0."
        ) from error
    return listener


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
