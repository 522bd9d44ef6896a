"""JSON-RPC 2.0: single calls, batches and notifications, in and out as bytes."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, cast

from knowgate.apis.values import strict_json
from knowgate.doors.rpc.codes import (
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    number_of,
)
from knowgate.doors.rpc.methods import METHODS, BadParams
from knowgate.engine import Engine
from knowgate.errors import InputError, KnowgateError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.guard.limits import RateLimited

_MOST = 50
"""Calls in one batch."""
log = logging.getLogger("knowgate")


def _counted() -> None:
    """The first call of a message was counted when it arrived."""


def answer(engine: Engine, text: bytes, count: Callable[[], None] = _counted) -> bytes | None:
    """None when nobody waits for an answer. `count` counts one more call, or refuses it."""
    told = _all(engine, text, count)
    # Numbers of any length and halves of characters come back as they came.
    return json.dumps(told).encode() if told else None


def _all(engine: Engine, text: bytes, count: Callable[[], None]) -> dict[str, Any] | list[dict[str, Any]] | None:
    try:
        message: object = strict_json(text.decode("utf-8"), "The request")
    except UnicodeDecodeError:
        return _error(None, PARSE_ERROR, "Parse error: The request is not UTF-8.")
    except InputError as error:
        number = number_of(error) if error.code == "unsafe_value" else PARSE_ERROR
        return _error(None, number, f"Parse error: {error.message}")
    if not isinstance(message, list):
        return _one(engine, message)
    batch = cast("list[object]", message)
    if not 1 <= len(batch) <= _MOST:
        return _error(None, INVALID_REQUEST, f"A batch has 1 to {_MOST} calls.")
    said = (_one(engine, each, count if number else _counted) for number, each in enumerate(batch))
    return [told for told in said if told is not None]


def _one(engine: Engine, message: object, count: Callable[[], None] = _counted) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return _error(None, INVALID_REQUEST, "Invalid Request")
    call = cast("Mapping[str, Any]", message)
    id, method, params = call.get("id"), call.get("method"), call.get("params", {})
    endless = isinstance(id, float) and not math.isfinite(id)
    if endless or isinstance(id, bool) or not isinstance(id, str | int | float | None):
        return _error(None, INVALID_REQUEST, "Invalid Request: id must be a string, a number or null")
    if call.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return _error(id, INVALID_REQUEST, "Invalid Request")
    told = _run(engine, id, method, params, count)
    return told if "id" in call else None


def _run(
    engine: Engine, id: str | float | None, method: str, params: object, count: Callable[[], None]
) -> dict[str, Any]:
    if method not in METHODS:
        near = get_close_matches(method, METHODS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(METHODS)}; MCP is spoken at /mcp"
        return _error(id, METHOD_NOT_FOUND, f"Method not found; {hint}")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return _error(id, INVALID_PARAMS, "params must be an object")
    try:
        count()
        result = METHODS[method](engine, cast("Mapping[str, Any]", params))
    except BadParams as error:
        return _error(id, INVALID_PARAMS, str(error), {"code": error.code})
    except KnowgateError as error:
        data: dict[str, Any] = {"code": error.code, "fix": error.fix}
        if isinstance(error, RateLimited):
            data["retry_after"] = error.retry_after
        if isinstance(error, ApprovalNeeded):
            data["approval_id"] = error.approval.id
        return _error(id, number_of(error), error.message, data)
    except Exception as error:
        # A defect: the caller is told that it was none of his doing, the log has the rest.
        log.exception("%s failed", method)
        return _error(id, INTERNAL, f"Something went wrong here ({type(error).__name__}).")
    return {"jsonrpc": "2.0", "result": result, "id": id}


def _error(id: str | float | None, code: int, message: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message, **({"data": data} if data else {})}, "id": id}
