"""What every request passes first: it gets a number, and it must have been meant for this machine."""

from __future__ import annotations

import ipaddress
import re
import uuid

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class LocalRequests:
    """Echoes or makes `x-request-id`, and refuses a Host that is not this machine's.

    A web page cannot read what we answer, unless its own name is made to point here: then its name is the Host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = id
        if not is_local(headers.get("host", "")):
            await _refuse(send, id)
            return

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-request-id"] = id
            await send(message)

        await self._app(scope, receive, send_with_id)


def request_id(scope: Scope) -> str:
    return scope["state"]["request_id"]


def is_local(host: str) -> bool:
    """Whether a Host header names this machine by a loopback name or address."""
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


async def _refuse(send: Send, id: str) -> None:
    body = orjson.dumps(
        {
            "error": "The request was not addressed to this machine.",
            "code": "bad_host",
            "request_id": id,
            "fix": "Use the address that `knowgate serve` printed.",
        }
    )
    headers = [(b"content-type", b"application/json"), (b"x-request-id", id.encode())]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})
