"""How long an AI app waits for the list of tools: `knowgate mcp` against a bare server of the same SDK.

Both are started in turns, so that a busy machine slows both.

    python -m bench.startup [ROUNDS]
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

_BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

NOTHING = {"type": "object", "properties": {}}

async def tools(context, params):
    return ListToolsResult(tools=[Tool(name=name, description="Says so.", input_schema=NOTHING) for name in ("a", "b")])

async def call(context, params):
    return CallToolResult(content=[TextContent(text=params.name)])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (arriving, answering):
        await server.run(arriving, answering, server.create_initialization_options())

anyio.run(main)
"""
_HELLO: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


def seconds_to_tools(command: list[str]) -> float:
    """From the start of the process until the list of tools has arrived."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin and process.stdout
    try:
        for message in _HELLO:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if message.get("id") and b'"result"' not in (answer := process.stdout.readline()):
                raise SystemExit(f"{command[:3]} did not answer: {answer!r}")
        return time.perf_counter() - began
    finally:
        process.communicate()


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        ours = [sys.executable, "-m", "knowgate", "--data", data, "mcp"]
        bare = [sys.executable, "-c", _BARE]
        for command in (ours, bare):  # so that bytecode is there and files are in memory
            seconds_to_tools(command)
        pairs = [(seconds_to_tools(ours), seconds_to_tools(bare)) for _ in range(rounds)]
    own, other = (statistics.median(each) for each in zip(*pairs, strict=True))
    ratio = statistics.median(left / right for left, right in pairs)
    print(f"knowgate mcp  {own:.3f} s    bare server  {other:.3f} s    ratio {ratio:.2f} (median of {rounds} pairs)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
