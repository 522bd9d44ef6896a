from __future__ import annotations

import json
import logging

from knowgate.doors.logs import Json, Short

REQUEST = {"request_id": "r1", "method": "GET", "path": "/a\n\x1b[31mb", "status": 200, "ms": 1.5, "caller": ""}


def _record(message: str, level: int = logging.INFO, **extra: object) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": message, "levelno": level, "levelname": logging.getLevelName(level), **extra})


def test_for_machines():
    line = Json().format(_record("request", **REQUEST))
    assert "\n" not in line
    told = json.loads(line)
    assert told.pop("time").endswith("+00:00")
    assert told == {"level": "info", "event": "request"} | {
        name: value for name, value in REQUEST.items() if name != "caller"
    }


def test_for_people():
    line = Short().format(_record("request", **REQUEST))
    assert line.endswith("200      1.5 ms  GET    /a%0A%1B[31mb")
    assert Short().format(_record("short of space", logging.WARNING)).endswith("warning: short of space")


def test_with_a_trace():
    try:
        raise RuntimeError("broken")
    except RuntimeError as error:
        record = _record("failed", logging.ERROR, exc_info=(type(error), error, error.__traceback__))
    assert "RuntimeError: broken" in json.loads(Json().format(record))["trace"]
    assert Short().format(record).endswith("RuntimeError: broken")
