"""An MCP server that offers a toolset."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from knowgate.doors.mcp.calls import call_tool
from knowgate.doors.mcp.host import Context, Host
from knowgate.doors.mcp.menu import add_prompts, add_resources
from knowgate.tools.schema import input_schema, output_schema
from knowgate.tools.tool import Tool, Toolset
from knowgate.version import __version__


def create_server(toolset: Toolset, host: Host) -> Server[Any]:
    tools = {tool.name: tool for tool in toolset.tools}
    listed = {name: listing(tool) for name, tool in tools.items()}

    def offered(context: Context) -> list[str]:
        return [name for name, tool in tools.items() if host.offers(context, tool)]

    async def list_tools(context: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[listed[name] for name in offered(context)])

    async def call(context: Context, asked: CallToolRequestParams) -> CallToolResult:
        names = offered(context)
        if asked.name not in names:
            near = get_close_matches(asked.name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {asked.name}{hint}")
        return await call_tool(host, toolset, tools[asked.name], context, asked.arguments or {})

    server: Server[Any] = Server(
        toolset.server_name,
        version=__version__,
        title="Knowgate",
        instructions=toolset.instructions,
        on_list_tools=list_tools,
        on_call_tool=call,
    )
    if toolset.menu or toolset.schema:
        add_resources(server, host, toolset)
    if toolset.menu:
        add_prompts(server, host)
    return server


def listing(tool: Tool[Any]) -> Listed:
    hints = tool.hints
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.input),
        output_schema=output_schema(tool.output),
        annotations=ToolAnnotations(
            read_only_hint=hints.read_only,
            # Of a tool that only reads, the protocol says no more.
            destructive_hint=None if hints.read_only else hints.destructive,
            idempotent_hint=None if hints.read_only else hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
