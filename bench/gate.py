"""What the gate costs: processor time of a call through it, beside the same call made directly with httpx2.

    python -m bench.gate [ROUNDS]

The gate alone is measured with nothing behind it: policy (twenty rules), limits, the audit trail before and after. A
knowledge tool and an API operation are measured as their callers meet them, in this process; the API is another one.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import orjson

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.guard.audit.record import Result
from knowgate.guard.gate import Asked, Done
from knowgate.guard.policy import Action
from knowgate.model import LOCAL

BODY = orjson.dumps({"items": [{"id": number, "name": f"item {number}"} for number in range(20)]})
RULES = "".join(
    f"  - {{name: rule-{number}, pattern: '*/never-{number}/*', when: 'risk > {number}', deny: true}}\n"
    for number in range(19)
)
POLICY = (
    f'version: "1.0"\ndefaults: {{require_auth: false}}\nrules:\n{RULES}  - {{name: all, pattern: "*", allow: true}}\n'
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def serve(told: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.send(server.server_port)
    server.serve_forever()


def processor_ms(call: Callable[[], object], rounds: int) -> float:
    call()
    began = time.process_time()
    for _ in range(rounds):
        call()
    return (time.process_time() - began) / rounds * 1000


def open_engine(folder: Path, url: str) -> Engine:
    answers = {"200": {"description": "ok"}}
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Items", "version": "1"},
        "servers": [{"url": url}],
        "paths": {"/items": {"get": {"operationId": "listItems", "responses": answers}}},
    }
    (folder / "api.json").write_bytes(orjson.dumps(described))
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    tree = {
        "data": folder / "data",
        "policy": {"file": folder / "policy.yaml"},
        "limits": {"repeats": "off", "api_rate": "off"},
        "apis": {"items": {"spec": str(folder / "api.json"), "allow_private": True}},
    }
    return Engine(Settings.model_validate(tree))


def gate_alone(engine: Engine, url: str) -> Callable[[], object]:
    def call() -> object:
        action = Action(
            kind="operation",
            principal=LOCAL,
            now=datetime.now(UTC),
            scope="apis",
            operation="listItems",
            api="items",
            method="GET",
            url=f"{url}/items",
        )
        asked = Asked(action, "0" * 64, "GET /items", changes=False, template=f"{url}/items")
        return engine.rooms.gate.through(asked, lambda _: Done(None, Result("success", 200)))

    return call


def main(rounds: int) -> None:
    context = multiprocessing.get_context("spawn")
    heard, told = context.Pipe()
    server = context.Process(target=serve, args=(told,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{heard.recv()}"
    with tempfile.TemporaryDirectory() as folder, open_engine(Path(folder), url) as engine, httpx2.Client() as client:
        figures = {
            "httpx2 directly, connection kept": processor_ms(lambda: client.get(f"{url}/items").json(), rounds),
            "httpx2 directly, new connection": processor_ms(lambda: httpx2.get(f"{url}/items").json(), rounds // 5),
            "the gate alone (goal: at most 1)": processor_ms(gate_alone(engine, url), rounds),
            "a knowledge tool through it (stats)": processor_ms(engine.stats, rounds),
            "the same without it": processor_ms(engine.store.stats, rounds),
            "an operation through all": processor_ms(lambda: engine.run_operation("listItems"), rounds // 5),
        }
    server.terminate()
    for what, figure in figures.items():
        print(f"{figure:8.3f} ms  {what}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
