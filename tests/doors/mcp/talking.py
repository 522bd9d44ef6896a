"""Talking to `knowgate mcp` in a process of its own: with the official client, or line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

Era = Literal["legacy", "modern"]
ERAS: tuple[Era, ...] = ("legacy", "modern")
MODES = {"legacy": "legacy", "modern": "2026-07-28"}
SCRIPT = ["-m", "knowgate"]
LATEST = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": LATEST,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
SHAKE_HANDS = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@asynccontextmanager
async def talking(
    *arguments: str | Path,
    era: Era = "modern",
    environ: Mapping[str, str] | None = None,
    script: list[str] = SCRIPT,
    person: Any = None,
) -> AsyncIterator[Client]:
    """`person` answers what the app is to ask."""
    server = StdioServerParameters(
        command=sys.executable, args=[*script, *map(str, arguments)], env={**os.environ, **(environ or {})}
    )
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        async with Client(stdio_client(server, errlog=nowhere), mode=MODES[era], elicitation_callback=person) as client:
            yield client


def text(result: Any) -> str:
    [content] = result.content
    return content.text


async def at_its_end(client: Client, told: Any) -> Any:
    """A task when it is done: a busy machine may need longer for it than a call may last."""
    while not told.structured_content["done"]:
        told = await client.call_tool("knowgate_task", {"task_id": told.structured_content["task_id"]})
    return told


async def indexed(client: Client) -> Any:
    """FlowRAG's index when all of it is done, however often it has to be asked for."""
    while True:
        told = await client.call_tool("flowrag_index", {})
        if told.structured_content["done"]:
            return told


@dataclass
class Line:
    """One process, message by message."""

    process: subprocess.Popen[bytes]
    last: int = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> int:
        """A request; its id."""
        self.last += 1
        self.write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": _stamped(params, modern)})
        return self.last

    def tell(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.write({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def write(self, message: dict[str, Any]) -> None:
        self.write_line(json.dumps(message))

    def write_line(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> dict[str, Any]:
        id = self.send(method, params, modern=modern)
        while (answer := self.read()).get("id") != id:
            pass
        return answer

    def shake_hands(self) -> dict[str, Any]:
        answer = self.ask("initialize", SHAKE_HANDS)
        self.tell("notifications/initialized")
        return answer

    def hang_up(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(60)


def _stamped(params: dict[str, Any] | None, modern: bool) -> dict[str, Any]:
    return {**(params or {}), **({"_meta": ENVELOPE} if modern else {})}


@contextmanager
def on_the_line(
    *arguments: str | Path, environ: Mapping[str, str] | None = None, flags: tuple[str, ...] = (), stderr: Any = None
) -> Iterator[Line]:
    process = subprocess.Popen(
        [sys.executable, *flags, *SCRIPT, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr if stderr is not None else subprocess.DEVNULL,
        env={**os.environ, **(environ or {})},
    )
    try:
        yield Line(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
