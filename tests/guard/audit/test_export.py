from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson

from knowgate.guard.audit.export import as_curl, export
from knowgate.guard.audit.read import Record, read, read_all
from knowgate.guard.audit.record import Call
from knowgate.guard.audit.trail import Trail

Make = Callable[..., None]


def one(folder: Path, call: Call) -> Record:
    Trail(folder).attempt(call)
    return read(folder, limit=1).records[0]


def test_lines_of_json(folder: Path, make: Make) -> None:
    make(Trail(folder), 3)
    lines = "".join(export(read_all(folder), "jsonl")).splitlines()
    assert [orjson.loads(line) for line in lines] == list(read_all(folder))


def test_a_table(folder: Path, make: Make) -> None:
    make(Trail(folder), 2)
    make(Trail(folder), 1, agent='=HYPERLINK("x")', rule="a,\nb")
    rows = list(csv.DictReader(io.StringIO("".join(export(read_all(folder), "csv")), newline="")))
    assert len(rows) == 3
    assert rows[0]["agent_id"] == '\'=HYPERLINK("x")'
    assert rows[0]["rule"] == "a,\nb"
    assert (rows[1]["operation_id"], rows[1]["method"], rows[1]["status_code"]) == ("getPet", "GET", "200")


def test_curl_without_values(folder: Path, call: Call) -> None:
    note, command = as_curl(one(folder, call)).splitlines()
    assert note == "# without its values: petId <integer>, body <object>"
    assert shlex.split(command) == [
        *("curl", "-X", "GET", "https://api.example/pets/{petId}", "-H", "Authorization: <main>")
    ]


def test_curl_with_values(folder: Path, call: Call) -> None:
    command = shlex.split(as_curl(one(folder, replace(call, raw=True, method="POST"))))
    assert command[:4] == ["curl", "-X", "POST", call.url]
    assert orjson.loads(command[command.index("--data") + 1]) == {"note": "canary"}


def test_curl_is_one_command_whatever_it_is_made_of(folder: Path, call: Call) -> None:
    hostile = "x'\n; touch /tmp/owned; $(id) `id`"
    record = one(folder, replace(call, arguments={hostile: 1}, template=f"https://a/{hostile}", auth_profile=hostile))
    note, command = as_curl(record).split("\n", 1)
    assert note.startswith("# ")
    assert shlex.split(command) == ["curl", "-X", "GET", f"https://a/{hostile}", "-H", f"Authorization: <{hostile}>"]


def test_curl_of_a_tool(folder: Path) -> None:
    record = {"tool": "knowgate_search\nrm -rf /", "operation": {"operation_id": "knowgate_search"}}
    assert as_curl(record) == "# knowgate_search rm -rf / is no call over HTTP."
