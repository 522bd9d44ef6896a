"""One process that listens: the REST door, and the chores beside it."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from knowgate.errors import InputError, KnowgateError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.knowledge.ingest import Progress

_CHORE_SECONDS = 15.0
_STOP_SECONDS = 2.0


def serve(engine: Engine, ready: Callable[[str], None], notice: Callable[[str], None]) -> None:
    """Serve until a signal ends it. `ready` is told the address, `notice` what goes wrong beside the requests."""
    settings = engine.settings.server
    with listen(settings.host, settings.port) as listener:
        engine.stats()  # a folder that cannot be opened is told before anybody connects
        import uvicorn
        from fastapi import FastAPI

        from knowgate.doors.rest import create_app

        chores = Chores(engine, notice)

        @asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
            chores.start()
            ready(address(listener))
            yield
            # Here, not after the run: on SIGTERM the process ends before `run` returns.
            chores.stop()
            engine.close()

        app = create_app(engine, lifespan)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A socket on a loopback address. Listening to other machines needs keys, which there are none of yet."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise InputError("bad_host", f"{host} is no address of this machine.", "Use 127.0.0.1.") from error
    if not ipaddress.ip_address(str(where[0]).partition("%")[0]).is_loopback:
        raise InputError(
            "public_without_keys",
            f"{host} would let other machines in, and nobody would have to show a key.",
            "Use 127.0.0.1, and a tunnel or a proxy with a login for other machines.",
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


class Chores:
    """A thread that finishes interrupted tasks and embeds what waits for vectors, again and again."""

    def __init__(self, engine: Engine, notice: Callable[[str], None]) -> None:
        self._engine = engine
        self._notice = notice
        self._told = ""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="knowgate-chores", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Waits a little for what is being worked on. What takes longer is left behind, and taken up again."""
        self._stopping.set()
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        with suppress(_Stopped):
            while not self._stopping.is_set():
                self._do()
                self._stopping.wait(_CHORE_SECONDS)

    def _do(self) -> None:
        try:
            for task in self._engine.interrupted():
                self._engine.run(task.id, self._report)
            if self._engine.stats().pending:
                self._engine.embed_pending(self._report)
        except _Stopped:
            raise
        except KnowgateError as error:
            self._tell(str(error))
        except Exception as error:  # noqa: BLE001 - a defect met once must not end the chores for good
            self._tell(f"{type(error).__name__}: {error}")

    def _tell(self, what: str) -> None:
        """Once, however often it is met; once stopping has begun, it is no news that something was closed."""
        if what != self._told and not self._stopping.is_set():
            self._told = what
            self._notice(what)

    def _report(self, _: Progress) -> None:
        if self._stopping.is_set():
            raise _Stopped


class _Stopped(Exception):
    """Leaves the work where it is: it is taken up again."""
