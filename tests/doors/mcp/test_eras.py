from __future__ import annotations

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from tests.doors.mcp.talking import ENVELOPE, LATEST, on_the_line

from knowgate.doors.mcp.eras import meant_for, refused, unreadable


def _request(method: str, modern: bool) -> SessionMessage:
    params = {"_meta": ENVELOPE} if modern else {}
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=7, method=method, params=params))


def test_every_message_goes_to_its_era():
    assert meant_for(_request("tools/list", modern=True)) == ("modern",)
    assert meant_for(_request("tools/list", modern=False)) == ("legacy",)
    assert meant_for(_request("initialize", modern=True)) == ("legacy",)
    bare = SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=7, method="ping", params={"_meta": {"progressToken": 1}}))
    assert meant_for(bare) == ("legacy",)
    cancelled = SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled"))
    assert meant_for(cancelled) == ("modern", "legacy")
    initialized = SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))
    assert meant_for(initialized) == ("legacy",)
    assert meant_for(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={}))) == ("legacy",)


def test_only_the_other_era_is_refused():
    for modern in (True, False):
        assert refused(_request("tools/list", modern), "auto") is None
        assert (refused(_request("tools/list", modern), "modern") is None) == modern
        assert (refused(_request("tools/list", modern), "legacy") is None) != modern
    told = SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))
    assert refused(told, "modern") is None


def test_a_client_that_discovers_and_then_shakes_hands(tmp_path):
    with on_the_line("--data", tmp_path, "mcp") as line:
        found = line.ask("server/discover", modern=True)["result"]
        assert found["supportedVersions"] == [LATEST]
        assert found["instructions"]
        assert line.shake_hands()["result"]["protocolVersion"] == "2025-11-25"
        names = [tool["name"] for tool in line.ask("tools/list")["result"]["tools"]]
        assert "knowgate_search" in names
        # And back: each request says by itself which era it is of.
        again = line.ask("tools/list", modern=True)["result"]
        assert [tool["name"] for tool in again["tools"]] == names
        assert again["resultType"] == "complete"
        assert line.hang_up() == 0


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_revision_is_spoken(tmp_path, version):
    with on_the_line("--data", tmp_path, "mcp") as line:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        assert line.ask("initialize", hello)["result"]["protocolVersion"] == version
        line.tell("notifications/initialized")
        assert line.ask("ping")["result"] == {}
        called = line.ask("tools/call", {"name": "knowgate_search", "arguments": {}})["result"]
        assert called["isError"]
        assert called["content"][0]["text"] == "query is required. Call again with query."


def test_a_server_of_one_era(tmp_path):
    with on_the_line("--data", tmp_path, "mcp", "--protocol", "legacy") as line:
        assert line.ask("server/discover", modern=True)["error"]["code"] == -32601
        assert line.shake_hands()["result"]["serverInfo"]["name"] == "knowgate"
        assert line.ask("tools/list")["result"]["tools"]
    with on_the_line("--data", tmp_path, "mcp", "--protocol", "modern") as line:
        refusal = line.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]
        assert (refusal["code"], refusal["data"]["supported"]) == (-32022, [LATEST])
        assert line.ask("tools/list", modern=True)["result"]["tools"]


@pytest.mark.parametrize(
    ("line", "id", "code"),
    [
        (r'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"cut \ud83d"}}', 7, -32700),
        (r'{"jsonrpc":"2.0","id":7,"result":{"a":"cut \ud83d"}}', None, -32700),
        (r'{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}', None, -32700),
        (r'{"jsonrpc":"2.0","id":true,"method":"\ud83d"}', None, -32700),
        ('{"jsonrpc":"2.0","id":7,"method":"ping"', None, -32700),
        ("[" * 100_000, None, -32700),
        ('{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', "a", -32600),
        ('{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
        ("[1]", None, -32600),
        ("7", None, -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered(line, id, code):
    with pytest.raises(ValidationError) as wrong:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    told = unreadable(wrong.value)
    assert told
    assert isinstance(told.message, JSONRPCError)
    assert (told.message.id, told.message.error.code) == (id, code)


def test_on_the_line_it_is_answered_and_the_talk_goes_on(tmp_path):
    with on_the_line("--data", tmp_path, "mcp") as line:
        line.shake_hands()
        line.write_line("")
        call = {"name": "knowgate_search", "arguments": {"query": "half an emoji \ud83d"}}
        assert line.ask("tools/call", call)["error"]["code"] == -32700
        line.write_line('{"jsonrpc":"2.0"')
        assert line.read()["id"] is None
        assert line.ask("ping")["result"] == {}
