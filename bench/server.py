"""Many clients at once on one server: search, chat and ingest mixed, over HTTP on loopback.

    python -m bench.server [--clients 64] [--seconds 120]

Prints how many calls there were of each kind and how long they took, and counts what must not be: errors, tasks that
were lost or failed, documents that were acknowledged and cannot be found.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from knowgate.client import AsyncClient

SHOP = Path(__file__).parents[1] / "examples" / "shop"
QUESTIONS = (
    "how long do refunds take",
    "who approves a refund",
    "which countries do we deliver to",
    "what happens when a payment fails",
    "how do I rotate the signing key",
    "what does the orders service publish",
    "opening hours of the warehouse",
    "how is a parcel tracked",
)
KINDS = ("search",) * 7 + ("chat",) * 2 + ("ingest",)


class Load:
    def __init__(self, url: str, key: str, seconds: float) -> None:
        self.url = url
        self.key = key
        self.until = time.monotonic() + seconds
        self.took: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.tasks: dict[str, str] = {}
        """Of each ingested file."""

    async def client(self, number: int) -> None:
        draw = random.Random(number)
        async with AsyncClient(self.key, base_url=self.url, timeout=60) as client:
            count = 0
            while time.monotonic() < self.until:
                kind = draw.choice(KINDS)
                began = time.perf_counter()
                try:
                    if kind == "search":
                        assert (await client.search.query(draw.choice(QUESTIONS))).results
                    elif kind == "chat":
                        assert (await client.chat.create(draw.choice(QUESTIONS))).response
                    else:
                        count += 1
                        await self._ingest(client, f"notes/{number}-{count}.md", draw)
                except Exception as error:  # noqa: BLE001 - whatever goes wrong is what we count
                    self.errors.append(f"{kind}: {type(error).__name__}: {error}")
                self.took[kind].append(time.perf_counter() - began)
                await asyncio.sleep(draw.uniform(0, 0.2))

    async def _ingest(self, client: AsyncClient, name: str, draw: random.Random) -> None:
        word = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=12))
        text = f"# Note {name}\n\nThe parcel {word} was handed over to the courier at gate {draw.randint(1, 99)}.\n"
        answer = await client.documents.ingest(text=text, filename=name, wait=False)
        self.tasks[name] = answer.task_id

    async def settle(self) -> tuple[int, int]:
        """How many tasks did not complete, and how many documents are not there."""
        async with AsyncClient(self.key, base_url=self.url, timeout=60) as client:
            bad = 0
            for task in self.tasks.values():
                status = await client.documents.wait_for_task(task, timeout=600)
                bad += status.status != "completed"
            there = {document.filename async for document in client.documents.iterate("notes/*")}
        return bad, len(set(self.tasks) - there)


@contextmanager
def server(data: Path) -> Generator[tuple[str, str]]:
    knowgate = [sys.executable, "-m", "knowgate"]
    subprocess.run([*knowgate, "ingest", str(SHOP), "--data", str(data)], check=True, capture_output=True)
    made = subprocess.run([*knowgate, "keys", "create", "bench", "--data", str(data)], check=True, capture_output=True)
    no_limits = {f"KNOWGATE_SERVER_{name}": "off" for name in ("RATE", "CHAT_RATE", "INGEST_RATE")}
    log = (data.parent / "server.log").open("w")
    command = [*knowgate, "serve", "--port", "0", "--data", str(data)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **no_limits})
    lines = cast("IO[str]", process.stderr)
    try:
        url = next(found[1] for line in lines if (found := re.search(r"serves at (http://\S+)", line)))
        drain = subprocess.Popen(["cat"], stdin=lines, stdout=log)
        yield url, made.stdout.decode().strip()
        process.terminate()
        assert process.wait(60) in (0, -signal.SIGTERM), "the server did not stop in an orderly way"
        drain.wait()
    finally:
        process.kill()
        process.wait()
        log.close()


async def run(url: str, key: str, clients: int, seconds: float) -> bool:
    load = Load(url, key, seconds)
    await asyncio.gather(*(load.client(number) for number in range(clients)))
    waiting = time.perf_counter()
    bad, missing = await load.settle()
    settled = time.perf_counter() - waiting
    calls = sum(map(len, load.took.values()))
    print(f"{clients} clients, {seconds:.0f} s: {calls} calls, {calls / seconds:.0f} a second")
    print(f"{'':8}{'calls':>8}{'p50 ms':>9}{'p95 ms':>9}{'most ms':>9}")
    for kind, took in sorted(load.took.items()):
        ranked = sorted(took)
        p50, p95 = ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.95)]
        print(f"{kind:8}{len(took):8}{p50 * 1000:9.0f}{p95 * 1000:9.0f}{ranked[-1] * 1000:9.0f}")
    print(f"errors {len(load.errors)}, tasks {len(load.tasks)}, not completed {bad}, documents missing {missing}")
    print(f"the last task was done {settled:.1f} s after the last call")
    for error in load.errors[:5]:
        print("  ", error)
    return not (load.errors or bad or missing)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, server(Path(folder) / "data") as (url, key):
        well = asyncio.run(run(url, key, chosen.clients, chosen.seconds))
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
