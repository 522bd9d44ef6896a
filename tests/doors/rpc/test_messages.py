"""JSON-RPC 2.0 itself."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowgate import Engine
from knowgate.doors.rpc.messages import answer
from knowgate.guard.limits import Limits

HEALTH = {"jsonrpc": "2.0", "method": "health", "id": 1}


def told(engine: Engine, message: object) -> Any:
    said = answer(engine, message if isinstance(message, bytes) else json.dumps(message).encode())
    return None if said is None else json.loads(said)


@pytest.mark.parametrize("id", [1, "a", None, 1.5, 10**40, "\ud800"])
def test_the_id_comes_back(engine: Engine, id: object):
    said = told(engine, {**HEALTH, "id": id})
    assert said["id"] == id
    assert said["result"]["status"] == "ok"


def test_a_notification_is_not_answered(engine: Engine):
    assert told(engine, {"jsonrpc": "2.0", "method": "health"}) is None
    assert told(engine, [{"jsonrpc": "2.0", "method": "health"}]) is None


def test_a_batch(engine: Engine):
    said = told(engine, [HEALTH, {"jsonrpc": "2.0", "method": "health"}, {**HEALTH, "id": 2}, 3])
    assert [each["id"] for each in said] == [1, 2, None]
    assert said[2]["error"]["code"] == -32600


def test_each_call_of_a_batch_is_counted(engine: Engine):
    """The first one was, when the batch arrived."""
    limits = Limits({"requests": "2/day"})
    batch = json.dumps([{**HEALTH, "id": number} for number in range(4)]).encode()
    said = json.loads(answer(engine, batch, partial(limits.check, "requests", "somebody")) or b"")
    assert ["result" in each for each in said] == [True, True, True, False]
    assert said[3]["error"]["data"]["retry_after"] > 0


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc": "2.0", "jsonrpc": "2.0", "method": "health", "id": 1}', 3001),
        (b'{"jsonrpc": "2.0", "method": "health", "id": NaN}', 3001),
        ([], -32600),
        ([HEALTH] * 51, -32600),
        ({"method": "health", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "method": 7, "id": 1}, -32600),
        ({**HEALTH, "id": True}, -32600),
        (b'{"jsonrpc": "2.0", "method": "health", "id": 1e999}', -32600),
        (b'{"jsonrpc": "2.0", "method": "health", "id": -1e999}', -32600),
        ({**HEALTH, "id": [1]}, -32600),
        ({**HEALTH, "params": [1]}, -32602),
        ({**HEALTH, "params": {"x": 1}}, -32602),
        ({**HEALTH, "method": "helth"}, -32601),
    ],
)
def test_what_is_no_call(engine: Engine, message: object, code: int):
    assert told(engine, message)["error"]["code"] == code


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_any_bytes_are_answered_or_passed_over(engine: Engine, text: bytes):
    said = answer(engine, text)
    assert said is None or json.loads(said)
