"""Both eras of the protocol on one connection.

The SDK settles the era with the first request and refuses the other from then on, but some clients ask what there is
in the new way and then shake hands in the old one. So each era gets a loop of its own, and every message goes to the
loop that it is meant for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

if TYPE_CHECKING:
    from anyio.abc import ObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

Protocol = Literal["auto", "legacy", "modern"]
Era = Literal["modern", "legacy"]
Item = SessionMessage | Exception


async def serve_eras(
    server: Server[Any],
    arriving: ReadStream[Item],
    answering: Callable[[], WriteStream[SessionMessage]],
    protocol: Protocol,
    hung_up: Callable[[], None],
) -> None:
    """Serve until nothing arrives any more; `answering` opens a way back, `hung_up` is told before calls are ended."""
    options = server.create_initialization_options()
    ways: dict[Era, ObjectSendStream[Item]] = {}
    async with anyio.create_task_group() as group, answering() as refusing:
        for era in ("modern", "legacy"):
            ways[era], at_server = anyio.create_memory_object_stream[Item](0)
            group.start_soon(server.run, at_server, answering(), options)
        try:
            async for item in arriving:
                if isinstance(item, Exception):
                    if told := unreadable(item):
                        await refusing.send(told)
                    continue
                refusal = refused(item, protocol)
                if refusal:
                    await refusing.send(refusal)
                    continue
                for era in meant_for(item):
                    await ways[era].send(item)
        finally:
            hung_up()
            for way in ways.values():
                await way.aclose()


def meant_for(item: SessionMessage) -> tuple[Era, ...]:
    message = item.message
    if isinstance(message, JSONRPCRequest):
        return ("modern",) if _is_modern(message) else ("legacy",)
    if isinstance(message, JSONRPCNotification):
        # Which request is cancelled is known to the loop that has it; the other takes no notice.
        return ("modern", "legacy") if message.method == "notifications/cancelled" else ("legacy",)
    return ("legacy",)


def refused(item: SessionMessage, protocol: Protocol) -> SessionMessage | None:
    """What a server that knows only one of the eras would say to a request of the other."""
    request = item.message
    if protocol == "auto" or not isinstance(request, JSONRPCRequest) or _is_modern(request) == (protocol == "modern"):
        return None
    if protocol == "legacy":
        error = ErrorData(code=METHOD_NOT_FOUND, message="Method not found", data=request.method)
    else:
        asked = (request.params or {}).get("protocolVersion")
        supported = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": asked}
        error = ErrorData(
            code=UNSUPPORTED_PROTOCOL_VERSION, message="This server speaks 2026-07-28 and later.", data=supported
        )
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request.id, error=error))


def unreadable(error: Exception) -> SessionMessage | None:
    """The answer to a line that is no message, with the id of its request if that can be found."""
    wrong = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    line = wrong[0]["input"] if wrong and wrong[0]["type"] == "json_invalid" else None
    if line is not None and not line.strip():
        return None
    if line is not None or not wrong:
        code, message = PARSE_ERROR, f"Parse error: {wrong[0]['msg'] if wrong else type(error).__name__}"
        try:
            # Half of a character, with which a text that was cut may end, does not stop this reader.
            whole = json.loads(line or "null")
        except (ValueError, RecursionError):
            whole = None
    else:
        code, message = INVALID_REQUEST, "Invalid Request"
        # What lacks something is shown whole, and every line lacks what makes it one of the other kinds.
        whole = next((each["input"] for each in wrong if each["type"] == "missing" and len(each["loc"]) == 2), None)
    told = ErrorData(code=code, message=message)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=_id_of(whole), error=told))


def _id_of(message: object) -> str | int | None:
    """Of a request: an answer bears an id of ours, which says nothing to whoever sent it."""
    if not isinstance(message, Mapping) or "method" not in message:
        return None
    id = cast("Mapping[str, object]", message).get("id")
    known = (isinstance(id, int) and not isinstance(id, bool)) or (isinstance(id, str) and id.isprintable())
    return cast("str | int", id) if known else None


def _is_modern(request: JSONRPCRequest) -> bool:
    meta: object = (request.params or {}).get("_meta")
    # The handshake is of the old era, even when a client stamps it with the new one's mark.
    return request.method != "initialize" and isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
