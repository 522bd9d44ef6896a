"""The trail for other programs: a table, lines of JSON, a command."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, cast

import orjson

from knowgate.guard.audit.read import Record, at

Form = Literal["csv", "jsonl"]

_COLUMNS: dict[str, tuple[str, ...]] = {
    "timestamp": ("timestamp",),
    "id": ("id",),
    "event": ("event",),
    "agent_id": ("agent_id",),
    "principal": ("principal", "id"),
    "tool": ("tool",),
    "operation_id": ("operation", "operation_id"),
    "api": ("operation", "api"),
    "method": ("operation", "method"),
    "url": ("operation", "url"),
    "auth_profile": ("operation", "auth_profile"),
    "decision": ("policy", "decision"),
    "rule": ("policy", "rule"),
    "policy_version": ("policy", "version"),
    "status": ("response", "status"),
    "status_code": ("response", "status_code"),
    "duration_ms": ("response", "duration_ms"),
    "error": ("response", "error"),
    "sequence": ("sequence",),
}


def export(records: Iterable[Record], form: Form) -> Iterator[str]:
    """Piece by piece, each ending with a line's end."""
    if form == "jsonl":
        for record in records:
            yield orjson.dumps(record).decode() + "\n"
        return
    yield _row(_COLUMNS)
    for record in records:
        yield _row(_cell(at(record, *path)) for path in _COLUMNS.values())


def as_curl(record: Record) -> str:
    """The call as a command. What was not written down shows as its name and type, credentials as their profile."""
    operation = at(record, "operation")
    if not at(operation, "method"):
        return f"# {_one_line(str(at(record, 'tool')))} is no call over HTTP."
    command = ["curl", "-X", str(at(operation, "method")), str(at(operation, "url"))]
    if profile := at(operation, "auth_profile"):
        command += ["-H", f"Authorization: <{profile}>"]
    parameters = cast(Mapping[str, Any], at(operation, "parameters") or {})
    if not record.get("raw"):
        hidden = ", ".join(f"{name} <{at(value, 'type')}>" for name, value in parameters.items())
        return f"# without its values: {_one_line(hidden)}\n{shlex.join(command)}"
    if (body := parameters.get("body")) is not None:
        command += ["-H", "Content-Type: application/json", "--data", orjson.dumps(body).decode()]
    return shlex.join(command)


def _one_line(text: str) -> str:
    # A line's end in a name would end the comment, and the shell would run what follows.
    return " ".join(text.split())


def _row(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _cell(value: object) -> str:
    # A spreadsheet runs what begins like a formula.
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
