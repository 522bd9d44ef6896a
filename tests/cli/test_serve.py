from __future__ import annotations

import os
import re
import signal
import socket
import time
import urllib.request

import orjson
import pytest

from knowgate.engine import Engine


def _get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=60) as response:
        return orjson.loads(response.read())


@pytest.mark.skipif(os.name == "nt", reason="there is no Ctrl-C to send")
def test_it_serves_finishes_what_was_left_and_stops(start, docs, tmp_path, open_engine):
    engine: Engine = open_engine()
    left = engine.submit([docs])
    server = start("serve", "--port", "0", "--data", tmp_path / "data")
    url = re.search(r"http://127\.0\.0\.1:\d+", server.err.until("http")).group()
    while not engine.task(left.id).finished:
        time.sleep(0.05)
    assert [document["filename"] for document in _get(f"{url}/api/v1/documents")["documents"]] == [
        "guides/parcels.md",
        "refunds.md",
    ]
    assert _get(f"{url}/api/v1/search?query=money+back")["results"][0]["filename"] == "refunds.md"
    for tried in ("in a browser", "curl", "knowgate --data"):
        server.err.until(tried)
    server.process.send_signal(signal.SIGINT)
    assert server.end() == 0
    assert "Traceback" not in "".join(server.err.seen)


def test_a_taken_port(cli, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = cli("serve", "--port", str(taken.getsockname()[1]), "--data", tmp_path / "data")
    assert ran.code == 2
    assert "--port 0" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "would let other machines in"),
        (["--host", "::"], "would let other machines in"),
        (["--host", "no such host"], "server.host"),
        (["--port", "70000"], "server.port"),
    ],
)
def test_where_it_does_not_listen(cli, tmp_path, arguments, told):
    ran = cli("serve", *arguments, "--data", tmp_path / "data")
    assert ran.code == 2
    assert told in ran.err
