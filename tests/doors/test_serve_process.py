"""`knowgate serve` as a process: what it writes, and how it stops."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from threading import Thread

import httpx2
import pytest
from tests.serving import knowgate, serving

posix = pytest.mark.skipif(os.name == "nt", reason="there is no SIGTERM to send")


@posix
def test_a_stop_parks_the_work_and_the_next_server_finishes_it(tmp_path: Path):
    data = tmp_path / "data"
    page = "".join(f"# Part {n}\n\n{f'The number of part {n} is {n}. ' * 40}\n\n" for n in range(40))
    with serving(data) as server, httpx2.Client(base_url=server.url, timeout=60) as http:
        files = [("file", (f"{n}.md", page.encode())) for n in range(12)]
        task = http.post("/api/v1/documents/ingest", files=files).json()["task_id"]
        while http.get(f"/api/v1/tasks/{task}", params={"wait_seconds": 0}).json()["status"] == "pending":
            time.sleep(0.01)
        # Somebody waits for it meanwhile, and is answered instead of cut off.
        answers: list[httpx2.Response] = []
        path, most = f"{server.url}/api/v1/tasks/{task}", {"wait_seconds": 25}
        waiting = Thread(target=lambda: answers.append(httpx2.get(path, params=most, timeout=60)))
        waiting.start()
        while "knowgate_requests_running 2.0" not in http.get("/metrics").text:
            time.sleep(0.01)
        assert server.stop() == 0
        waiting.join()
        assert (answers[0].status_code, answers[0].json()["status"]) == (200, "running")
    assert not [line for line in server.lines if "Traceback" in line or '"error"' in line]
    assert server.lines[-1] == "Stopped.\n"
    left = json.loads(knowgate("tasks", "show", task, "--json", data=data))["task"]
    assert left["status"] == "running"
    with serving(data) as server, httpx2.Client(base_url=server.url, timeout=60) as http:
        while (told := http.get(f"/api/v1/tasks/{task}").json())["phase"] in ("listing", "reading"):
            pass
        assert (told["total_files"], told["successful_files"], told["failed_files"]) == (12, 12, 0)
        assert server.stop() == 0


def test_what_it_writes_where_others_can_reach_it(tmp_path: Path):
    data = tmp_path / "data"
    key = knowgate("keys", "create", "writer", "--scope", "read", "--scope", "write", data=data).strip()
    with (
        serving(data, None, "--host", "0.0.0.0") as server,
        httpx2.Client(headers={"x-api-key": key}, timeout=60) as http,
    ):
        http.base_url = server.url.replace("0.0.0.0", "127.0.0.1")
        http.get("/health")
        http.get("/api/v1/search", params={"query": "private words"}, headers={"x-request-id": "my-own"})
        http.get(f"/api/v1/documents/{key}")
        http.get("/api/v1/documents", headers={"x-api-key": f"{key}x", "authorization": f"Bearer {key}"})
        form = {"content-type": "multipart/form-data; boundary=b"}
        http.post("/api/v1/documents/ingest", content=b"--x\r\n", headers=form)
        server.stop()
    lines = [json.loads(line) for line in server.lines if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["method"], line["path"], line["status"]) for line in requests] == [
        ("GET", "/api/v1/search", 200),
        ("GET", "/api/v1/documents/orag_***", 404),
        ("GET", "/api/v1/documents", 401),
        ("POST", "/api/v1/documents/ingest", 400),
    ]
    assert (requests[0]["request_id"], requests[0]["caller"]) == ("my-own", "writer")
    assert all(line["ms"] >= 0 and line["request_id"] for line in requests)
    assert "caller" not in requests[2]
    everything = "".join(server.lines)
    assert key not in everything
    assert "private" not in everything
    # Besides what it says when it starts and stops there is nothing but JSON.
    assert not [line for line in server.lines[server.lines.index("Ctrl-C ends it.\n") + 1 : -1] if line[0] != "{"]
