"""What every request passes first: it gets a number, it must have been meant for us, it is counted and written down."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Set
from typing import TYPE_CHECKING

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from knowgate.errors import InputError, KnowgateError, LimitError
from knowgate.net.address import is_loopback

if TYPE_CHECKING:
    from knowgate.doors.rest.health import Metrics
    from knowgate.rooms import Rooms

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_KEY = re.compile(r"orag_[\w-]+")
_QUIET = frozenset({"/health", "/ready", "/metrics"})
"""Asked by machines every few seconds: not worth a line each, unless something is wrong."""
_PROXIED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Behind a proxy everybody seems to call from this machine."""
_HANDED_OVER = ("/documents/ingest", "/documents/upload", "/mcp")
_HELD_BYTES = 32 << 20
_ASKED_BYTES = 1 << 20
log = logging.getLogger("knowgate")


class TooLarge(LimitError):
    http_status = 413


class Requests:
    """Echoes or makes `x-request-id`, and refuses what was not meant for us.

    While the local user needs no key, a web page must not act for him. A page cannot read what we answer, unless its
    own name is made to point here: then its name is the Host. And what it sends has its name as the Origin.
    """

    def __init__(self, app: ASGIApp, rooms: Rooms, metrics: Metrics, origins: Set[str], max_bytes: int) -> None:
        self._app = app
        self._rooms = rooms
        self._metrics = metrics
        self._origins = origins
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = id
        began, status, got, most = time.perf_counter(), 500, 0, self._most(scope["path"], headers)
        self._metrics.began()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = id
            await send(message)

        async def receive_so_much() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > most:
                raise self._too_large(most)
            return message

        try:
            refusal = await self._refusal(headers, most)
            if refusal:
                await _refuse(send_with_id, id, refusal)
            else:
                await self._app(scope, receive_so_much, send_with_id)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            seconds = time.perf_counter() - began
            # Anybody can make up methods, and each would be counted for good.
            self._metrics.ended(scope["method"] if scope["method"] in _METHODS else "other", route, status, seconds)
            level = logging.DEBUG if scope["path"] in _QUIET and status < 400 else logging.INFO
            log.log(
                level,
                "request",
                extra={
                    "request_id": id,
                    "method": scope["method"],
                    # Somebody may have sent his key in the place of its id.
                    "path": _KEY.sub("orag_***", scope["path"]),
                    "status": status,
                    "ms": round(seconds * 1000, 1),
                    "caller": scope["state"].get("caller", ""),
                },
            )

    def _most(self, path: str, headers: Headers) -> int:
        """What is handed over is read after the key was looked at, and a form goes to the disk; all else before."""
        if not path.endswith(_HANDED_OVER):
            return min(self._max_bytes, _ASKED_BYTES)
        is_form = headers.get("content-type", "").lower().startswith("multipart/")
        return self._max_bytes if is_form else min(self._max_bytes, _HELD_BYTES)

    def _too_large(self, most: int) -> KnowgateError:
        fix = "Send less at once; documents go as files in a form to /documents/ingest."
        if most == self._max_bytes:
            fix = "Send less at once, or raise server.max_mb."
        return TooLarge("body_too_large", f"The request is larger than {most >> 20} MB.", fix)

    async def _refusal(self, headers: Headers, most: int) -> KnowgateError | None:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            return self._too_large(most)
        host, origin = headers.get("host", ""), headers.get("origin", "")
        foreign = origin and origin.partition("://")[2] != host and origin not in self._origins
        proxied = any(name in headers for name in _PROXIED)
        if is_local(host) and not foreign and not proxied:
            return None
        # With keys, whoever comes must show one, and a page that does not know it gets nowhere.
        if not self._rooms.local_only or await asyncio.to_thread(self._rooms.keys.any):
            return None
        if proxied:
            return InputError(
                "proxy_without_keys",
                "The request came through a proxy, and there is no key that it could show.",
                "Create one first: `knowgate keys create NAME`.",
            )
        if foreign:
            return InputError("bad_origin", "The request came from another web page.", "Add it to server.cors_origins.")
        return InputError(
            "bad_host",
            "The request was not addressed to this machine.",
            "Use the address that `knowgate serve` printed; for other names, create a key first.",
        )


def request_id(scope: Scope) -> str:
    return scope["state"]["request_id"]


def is_local(host: str) -> bool:
    """Whether a Host header names this machine by a loopback name or address."""
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    return is_loopback(name.removeprefix("[").removesuffix("]"))


async def _refuse(send: Send, id: str, error: KnowgateError) -> None:
    body = orjson.dumps({"error": error.message, "code": error.code, "request_id": id, "fix": error.fix})
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": error.http_status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
