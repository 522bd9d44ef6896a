"""What the dialect can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from knowgate.doors.rpc.codes import HTTP_CLIENT, HTTP_SERVER
from knowgate.engine import Engine
from knowgate.errors import InputError
from knowgate.model import OperationAnswer, OperationDetail, OperationItem
from knowgate.tools.mrapids.listing import listed_tools
from knowgate.version import __version__

Params = Mapping[str, Any]
_PAGE = 1000


class BadParams(InputError):
    """The call is no call of this method."""


def health(_: Engine, params: Params) -> dict[str, Any]:
    _check(params, {})
    return {"status": "ok", "version": __version__, "pid": os.getpid()}


def list_tools(engine: Engine, params: Params) -> dict[str, Any]:
    """What the dialect calls operations and MCP calls tools, in one answer."""
    _check(params, {"filter": dict, "spec_path": str})
    wanted: Params = params.get("filter", {})
    _check(wanted, {"method": str, "tag": str, "pattern": str, "api": str})
    found = _operations(engine, wanted, _api(engine, params.get("spec_path", ""), wanted))
    tools = listed_tools([each.operation_id for each in found], engine.describe_operations)
    return {"operations": [_item(each) for each in found], "total": len(found), "tools": tools}


def show_tool(engine: Engine, params: Params) -> dict[str, Any]:
    _check(params, {"operation_id": str, "operation": str})
    return _detail(engine.describe_operation(_id(params)))


def run_tool(engine: Engine, params: Params) -> dict[str, Any]:
    known = {"operation_id": str, "operation": str, "parameters": dict, "body": object, "env": str, "dry_run": bool}
    _check(params, {**known, "auth_profile": str, "profile": str, "fields": list, "max_pages": int})
    answer = engine.run_operation(
        _id(params),
        params.get("parameters"),
        params.get("body"),
        fields=[str(each) for each in params.get("fields", ())],
        dry_run=params.get("dry_run", False),
        auth_profile=params.get("auth_profile") or params.get("profile", ""),
        environment=params.get("env", ""),
        max_pages=params.get("max_pages", 1),
    )
    return _answer(answer)


def more(engine: Engine, params: Params) -> dict[str, Any]:
    _check(params, {"cursor": str})
    return _answer(engine.more_of(params.get("cursor", "")))


METHODS: Mapping[str, Callable[[Engine, Params], dict[str, Any]]] = {
    "tools/list": list_tools,
    "tools/show": show_tool,
    "tools/run": run_tool,
    "tools/more": more,
    "health": health,
}


def _check(params: Params, known: Mapping[str, type]) -> None:
    for name, value in params.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known) or 'none'}."
            raise BadParams("unknown_argument", f"There is no parameter {name}.", fix)
        if not isinstance(value, known[name]) or (known[name] is int and isinstance(value, bool)):
            raise BadParams("bad_argument", f"{name} must be of type {_WORDS[known[name]]}.", "Correct it.")


_WORDS: Mapping[type, str] = {str: "string", dict: "object", list: "array", bool: "boolean", int: "integer"}


def _id(params: Params) -> str:
    found: str = params.get("operation_id") or params.get("operation", "")
    if not found:
        raise BadParams("missing_argument", "operation_id is required.", "tools/list tells which there are.")
    return found


def _api(engine: Engine, spec_path: str, wanted: Params) -> str:
    if not spec_path:
        return wanted.get("api", "")
    for name, api in engine.settings.apis.items():
        if spec_path in (name, api.spec):
            return name
    raise InputError("spec_missing", f"No configured API has the description {spec_path}.", "Leave spec_path out.")


def _operations(engine: Engine, wanted: Params, api: str) -> list[OperationItem]:
    found: list[OperationItem] = []
    cursor = ""
    while True:
        page = engine.operations(
            api=api, tag=wanted.get("tag", ""), method=wanted.get("method", ""), limit=_PAGE, cursor=cursor
        )
        found += page.operations
        cursor = page.cursor
        if not cursor:
            break
    pattern = wanted.get("pattern", "")
    return [
        each
        for each in found
        if not pattern or fnmatchcase(each.operation_id, pattern) or fnmatchcase(each.path, pattern)
    ]


def _item(each: OperationItem) -> dict[str, Any]:
    told = {"operation_id": each.operation_id, "method": each.method, "path": each.path, "summary": each.summary}
    return {**told, "tags": list(each.tags), **({"deprecated": True} if each.deprecated else {})}


def _detail(found: OperationDetail) -> dict[str, Any]:
    return {
        **_item(found.item),
        "api": found.item.api,
        "description": found.description,
        "url": found.url,
        "parameters": found.arguments,
        "example": found.example,
        "responses": found.answers,
        "auth": list(found.auth),
        "policy": found.verdict,
    }


def _answer(answer: OperationAnswer) -> dict[str, Any]:
    told: dict[str, Any] = {"status": answer.status, "data": answer.data}
    if answer.status >= 400:
        number = HTTP_CLIENT if answer.status < 500 else HTTP_SERVER
        told["error"] = {"code": number, "message": f"The API answered with {answer.status}."}
    meta = {
        "operation_id": answer.operation_id,
        "method": answer.method,
        "url": answer.url,
        "status_code": answer.status,
        "duration_ms": round(answer.duration_ms, 1),
        "request_id": answer.request_id,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "headers": dict(answer.headers),
        "label": answer.label,
        "dry_run": answer.dry_run,
        "curl": answer.curl,
        "left_out": answer.left_out,
        "cursor": answer.cursor,
        "redactions": dict(answer.redactions),
        "warnings": list(answer.warnings),
    }
    always = ("operation_id", "method", "url", "status_code", "duration_ms", "request_id", "timestamp", "headers")
    return {**told, "meta": {name: value for name, value in meta.items() if value or name in always}}
