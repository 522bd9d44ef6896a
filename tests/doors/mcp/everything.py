"""Our server with everything on it that the official conformance suite asks for, most of which we have no use for.

What a toolset can say (text, errors, progress) is said by tools of ours; the rest is put in front of the handlers that
`create_server` registered, so that all else goes through them.

    python -m tests.doors.mcp.everything door|sessions DATA

`door` is the HTTP door as it is served. `sessions` is the same server behind the SDK's own sessions: before 2026-07-28
a server needed one to ask its client something, which we never do.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.context import HandlerResult
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    CallToolResult,
    EmptyResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from starlette.types import ASGIApp
from tests.doors.mcp.everything_asks import ASKS
from tests.doors.mcp.everything_shows import CONTENTS, PROMPTS, PROMPTS_LISTED, RESOURCES, resource

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.doors.mcp.host import Context, Host
from knowgate.doors.mcp.http import Endpoint
from knowgate.doors.mcp.server import create_server
from knowgate.doors.mcp.stdio import House, Offers
from knowgate.doors.rest.app import create_app
from knowgate.doors.serve import address, listen
from knowgate.errors import InputError
from knowgate.tools.backend import Backend
from knowgate.tools.inprocess import InProcess
from knowgate.tools.submissions import Submissions
from knowgate.tools.tool import Answer, Call, Given, Tool, Toolset


class Nothing(Given):
    pass


@dataclass(frozen=True)
class Said:
    text: str


async def _simple_text(_backend: Backend, _given: Nothing, _call: Call) -> Answer:
    return Answer(Said("A simple text."), "A simple text.")


async def _error(_backend: Backend, _given: Nothing, _call: Call) -> Answer:
    raise InputError("asked_for", "This tool always fails.", "Call another one.")


async def _progress(_backend: Backend, _given: Nothing, call: Call) -> Answer:
    for done in (0, 50, 100):
        await call.report(f"{done} of 100", done, 100)
    return Answer(Said("done"), "done")


def _tool(name: str, run: Any = _error) -> Tool[Nothing]:
    return Tool(name, name, "For the conformance suite.", Nothing, Said, run)


EVERYTHING = Toolset(
    "everything",
    "everything",
    "For the conformance suite.",
    (
        _tool("test_simple_text", _simple_text),
        _tool("test_error_handling"),
        _tool("test_tool_with_progress", _progress),
        *(_tool(name) for name in (*CONTENTS, *ASKS)),
    ),
    wording=str,
    menu=True,
)


def everything(host: Host) -> Server[Any]:
    server = create_server(EVERYTHING, host)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="everything"))

    async def call(context: Context, asked: Any) -> HandlerResult:
        if asked.name in CONTENTS:
            return CallToolResult.model_validate({"content": CONTENTS[asked.name]})
        if asked.name in ASKS:
            return await ASKS[asked.name](context, asked)
        return await own["tools/call"](context, asked)

    async def read(context: Context, asked: Any) -> HandlerResult:
        found = resource(str(asked.uri))
        return found or await own["resources/read"](context, asked)

    async def prompt(context: Context, asked: Any) -> HandlerResult:
        if asked.name not in PROMPTS:
            return await own["prompts/get"](context, asked)
        return await PROMPTS[asked.name](asked)

    async def list_resources(context: Context, asked: Any) -> HandlerResult:
        listed = await own["resources/list"](context, asked)
        return listed.model_copy(update={"resources": [*listed.resources, *RESOURCES]})

    async def list_prompts(context: Context, asked: Any) -> HandlerResult:
        listed = await own["prompts/list"](context, asked)
        return listed.model_copy(update={"prompts": [*listed.prompts, *PROMPTS_LISTED]})

    async def accept(_: Context, _asked: Any) -> EmptyResult:
        return EmptyResult()

    own: dict[str, Any] = {}
    for method, handler in {
        "tools/call": call,
        "resources/read": read,
        "resources/list": list_resources,
        "prompts/get": prompt,
        "prompts/list": list_prompts,
    }.items():
        before = server.get_request_handler(method)
        assert before
        own[method] = before.handler
        server.add_request_handler(method, before.params_type, handler)
    for method, params in {
        "logging/setLevel": SetLevelRequestParams,
        "resources/subscribe": SubscribeRequestParams,
        "resources/unsubscribe": UnsubscribeRequestParams,
    }.items():
        server.add_request_handler(method, params, accept)
    return server


def _door(engine: Engine) -> ASGIApp:
    app = create_app(engine)
    [endpoint] = [route.endpoint for route in app.routes if isinstance(getattr(route, "endpoint", None), Endpoint)]
    endpoint._servers["native"] = everything(endpoint._host)
    return app


def _sessions(engine: Engine) -> ASGIApp:
    async def backend() -> Backend:
        return InProcess(engine, Submissions(), attend=lambda: None)

    return everything(House(backend, Offers())).streamable_http_app()


def main(kind: str, data: str) -> None:
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    with Engine(Settings(data=Path(data))) as engine:
        app = _door(engine) if kind == "door" else _sessions(engine)
        with listen("127.0.0.1", 0) as listener:
            sys.stdout.write(f"{address(listener)}/mcp\n")
            sys.stdout.flush()
            uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
