"""An MCP server that offers a toolset."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from knowgate.doors.mcp.calls import call_tool
from knowgate.doors.mcp.host import Context, Host
from knowgate.doors.mcp.menu import add_prompts, add_resources
from knowgate.errors import KnowgateError
from knowgate.tools.schema import input_schema, output_schema
from knowgate.tools.tool import Tool, Toolset
from knowgate.version import __version__


def create_server(toolset: Toolset, host: Host) -> Server[Any]:
    tools = {tool.name: tool for tool in toolset.tools}
    listed = {name: listing(tool) for name, tool in tools.items()}

    def offered(context: Context) -> list[str]:
        return [name for name, tool in tools.items() if host.offers(context, tool)]

    async def unfolded(context: Context) -> list[Tool[Any]] | None:
        if toolset.unfold is None or not offered(context):
            return None
        found = await toolset.unfold.all(await host.backend(context))
        return None if found is None else [tool for tool in found if fits(context, tool)]

    def fits(context: Context, tool: Tool[Any]) -> bool:
        return host.offers(context, tool) and (tool.hints.read_only or not toolset.only_reading)

    async def find(context: Context, name: str) -> Tool[Any] | None:
        names = offered(context)
        if name in names:
            return tools[name]
        if toolset.unfold is None or not names:
            return None
        if toolset.only_reading:
            return next((tool for tool in await unfolded(context) or () if tool.name == name), None)
        found = toolset.unfold.one(name)
        return found if found and fits(context, found) else None

    async def list_tools(context: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        try:
            found = await unfolded(context)
        except KnowgateError as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from error
        if found is not None:
            return ListToolsResult(tools=[listing(tool) for tool in found])
        return ListToolsResult(tools=[listed[name] for name in offered(context)])

    async def call(context: Context, asked: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        try:
            tool = await find(context, asked.name)
        except KnowgateError as error:
            return CallToolResult(content=[TextContent(text=toolset.wording(error))], is_error=True)
        if tool is None:
            if hidden := tools.get(asked.name):
                host.turned_away(context, hidden)
            near = get_close_matches(asked.name, offered(context), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {asked.name}{hint}")
        return await call_tool(host, toolset, tool, context, asked)

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
        input_schema=input_schema(tool.input) if tool.arguments is None else dict(tool.arguments),
        output_schema=output_schema(tool.output),
        annotations=ToolAnnotations(
            read_only_hint=hints.read_only,
            # Of a tool that only reads, the protocol says no more.
            destructive_hint=None if hints.read_only else hints.destructive,
            idempotent_hint=None if hints.read_only else hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
