from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.errors import StorageError
from knowgate.guard.audit.record import Call, Result
from knowgate.guard.audit.trail import Trail
from knowgate.guard.audit.verify import verify
from knowgate.model import LOCAL

Make = Callable[..., None]
CALL = Call(LOCAL, "knowgate_search", "h", "allow")


def lines(folder: Path) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in (folder / "mcp-audit-current.log").read_bytes().splitlines()]


def test_the_attempt_comes_first_and_the_outcome_tells_all(folder: Path, call: Call) -> None:
    trail = Trail(folder)
    attempt = trail.attempt(call)
    (first,) = lines(folder)
    assert (first["event"], first["id"], "response" in first) == ("attempt", attempt.id, False)
    trail.outcome(attempt, Result("error", 500, error="http_error", redactions={"JWT": 1}))
    first, second = lines(folder)
    assert second["id"] == first["id"]
    assert (second["event"], second["attempt"], second["sequence"]) == ("outcome", 1, 2)
    assert second["previous"] == first["hmac"]
    assert (second["agent_id"], second["tool"]) == ("claude", "knowgate_run_operation")
    assert second["principal"] == {"id": "local", "name": "local"}
    assert second["policy"] == {"decision": "allow", "rule": "reads", "version": "p1"}
    assert second["redactions"] == {"JWT": 1}
    operation = second["operation"]
    assert isinstance(operation, dict)
    assert {"operation_id", "method", "url", "auth_profile", "parameters"} <= set(operation)
    response = second["response"]
    assert isinstance(response, dict)
    assert (response["status"], response["status_code"], response["error"]) == ("error", 500, "http_error")
    assert response["duration_ms"] >= 0


def test_no_values_unless_told(folder: Path, call: Call) -> None:
    trail = Trail(folder)
    trail.attempt(call)
    text = (folder / "mcp-audit-current.log").read_text()
    assert "canary" not in text
    assert call.request_hash not in text
    assert '"petId":{"type":"integer","hash":' in text
    trail.attempt(replace(call, raw=True))
    assert lines(folder)[1]["operation"]["parameters"]["body"] == {"note": "canary"}  # type: ignore[index]


def test_equal_values_have_equal_hashes_and_only_here(folder: Path, call: Call, tmp_path: Path) -> None:
    Trail(folder).attempt(call)
    Trail(folder).attempt(call)
    Trail(tmp_path / "other" / "audit").attempt(call)
    first, second = (line["operation"] for line in lines(folder))
    (elsewhere,) = (line["operation"] for line in lines(tmp_path / "other" / "audit"))
    assert first == second != elsewhere


def test_a_refused_call_is_one_line(folder: Path, call: Call) -> None:
    Trail(folder).refused(replace(call, decision="deny", rule="no-admin"), "policy_denied")
    (line,) = lines(folder)
    assert (line["event"], line["policy"]["decision"]) == ("refused", "deny")  # type: ignore[index]
    assert line["response"] == {"status": "denied", "duration_ms": 0.0, "error": "policy_denied"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()) | st.integers(), inner),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / "audit"


@settings(max_examples=50)
@given(st.dictionaries(st.text(st.characters()), anything, max_size=3), st.text(st.characters()), st.booleans())
def test_nothing_an_assistant_sends_keeps_a_record_from_being_written(
    shared: Path, arguments: dict[str, object], text: str, raw: bool
) -> None:
    attempt = Trail(shared).attempt(replace(CALL, tool=text, agent=text, arguments=arguments, raw=raw))
    assert lines(shared)[-1]["id"] == attempt.id
    assert verify(shared) == []


def test_very_deep_values_are_cut(folder: Path) -> None:
    deep: object = "\ud800"
    for _ in range(5000):
        deep = [deep]
    Trail(folder).attempt(replace(CALL, arguments={"deep": deep}, raw=True))
    assert len(lines(folder)) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_the_owner_reads_it(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    seal = folder.with_name("audit.seal")
    for path in (folder, seal):
        assert path.stat().st_mode & 0o777 == 0o700
    for path in (*folder.iterdir(), *seal.iterdir()):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_key_that_others_can_read_is_refused(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    key = folder.with_name("audit.seal") / "key"
    key.chmod(0o644)
    with pytest.raises(StorageError) as error:
        Trail(folder).attempt(CALL)
    assert error.value.code == "audit_key_exposed"
    assert f"chmod 600 {key}" in error.value.fix


def test_a_lost_key_is_not_replaced(folder: Path, make: Make) -> None:
    make(Trail(folder), 1)
    folder.with_name("audit.seal").joinpath("key").unlink()
    with pytest.raises(StorageError) as error:
        Trail(folder).attempt(CALL)
    assert error.value.code == "audit_key_lost"
    assert [finding.code for finding in verify(folder)] == ["key_lost"]
