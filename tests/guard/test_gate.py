"""Decided, counted and written down before anything is done, and written down again after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from knowgate.errors import ConflictError, ForbiddenError, KnowgateError, StorageError
from knowgate.guard.approvals import ApprovalNeeded, Approvals
from knowgate.guard.audit.read import read
from knowgate.guard.audit.record import Result
from knowgate.guard.audit.trail import Trail
from knowgate.guard.budgets import Budgets
from knowgate.guard.gate import Asked, Done, Gate
from knowgate.guard.limits import RateLimited, Rule
from knowgate.guard.policy import Action, Decision, Policy
from knowgate.guard.quotas import CallLimits, Quotas
from knowgate.guard.switch import Switch
from knowgate.guard.wariness import Wariness
from knowgate.model import LOCAL, Principal, Scope
from knowgate.store.port import Store
from knowgate.store.sqlite.store import SqliteStore

OPEN = 'version: "1.0"\ndefaults: {require_auth: false, allow_methods: [GET, POST]}\n'


@dataclass
class Desk:
    gate: Gate
    folder: Path
    approvals: Approvals
    now: float = 0.0

    def records(self) -> tuple[Any, ...]:
        return read(self.folder).records


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore(tmp_path / "data")
    yield store
    store.close()


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Callable[..., Desk]:
    def make(policy: str = OPEN, folder: Path = tmp_path / "audit") -> Desk:
        approvals = Approvals(store)
        limits = CallLimits(Quotas(repeats=Rule(3, "minute")), Switch(store), Budgets(store), lambda: made.now)
        rules = Policy.from_text(policy)
        made = Desk(
            Gate(lambda: rules, Trail(folder), approvals, limits, Wariness(store, lambda: made.now)), folder, approvals
        )
        return made

    return make


def asked(method: str = "GET", hash: str = "h", principal: Principal = LOCAL, scope: Scope = "apis") -> Asked:
    action = Action(
        kind="operation",
        principal=principal,
        now=datetime.now(UTC),
        scope=scope,
        operation="op",
        method=method,
        url="https://api.example.com/x",
    )
    return Asked(action, hash, f"{method} /x", changes=method != "GET")


def do(gate: Gate, what: Asked, ran: list[str] | None = None) -> str:
    def run(decision: Decision) -> Done[str]:
        if ran is not None:
            ran.append(decision.outcome)
        return Done("done", Result("success", 200, redactions={"TOKEN": 2}))

    return gate.through(what, run)


def test_what_is_let_through_is_written_down_once_with_what_came_of_it(desk: Callable[..., Desk]) -> None:
    at = desk()
    assert do(at.gate, asked()) == "done"
    [record] = at.records()
    assert (record["policy"]["decision"], record["response"]["status_code"]) == ("allow", 200)
    assert record["redactions"] == {"TOKEN": 2}


def test_what_is_denied_is_not_run_and_written_down(desk: Callable[..., Desk]) -> None:
    at, ran = desk(), list[str]()
    with pytest.raises(ForbiddenError) as refused:
        do(at.gate, asked("DELETE"), ran)
    assert (refused.value.code, ran) == ("denied_by_policy", [])
    assert at.records()[0]["response"]["error"] == "denied_by_policy"


def test_a_missing_scope_says_which(desk: Callable[..., Desk]) -> None:
    reader = Principal("k", "reader", frozenset({"read"}))
    with pytest.raises(ForbiddenError, match="scope apis") as refused:
        do(desk().gate, asked(principal=reader))
    assert refused.value.code == "scope_missing"


def test_an_error_of_the_call_is_no_refusal_and_keeps_its_cause(desk: Callable[..., Desk]) -> None:
    at = desk()
    cause = ValueError("why")

    def fail(_: Decision) -> Done[None]:
        raise KnowgateError("broken", "It broke.") from cause

    with pytest.raises(KnowgateError) as raised:
        at.gate.through(asked(), fail)
    assert raised.value.__cause__ is cause
    [record] = at.records()
    assert (record["event"], record["response"]["error"]) == ("outcome", "broken")


def test_what_cannot_be_done_is_asked_of_nobody_and_uses_up_no_approval(desk: Callable[..., Desk]) -> None:
    at = desk(OPEN.replace("allow_methods", "ask_methods"))

    def refuse() -> None:
        raise ForbiddenError("private_address", "It is private.")

    def stuck() -> None:
        with pytest.raises(ForbiddenError, match="private"):
            do(at.gate, replace(asked("POST"), ready=refuse))

    stuck()
    assert at.approvals.list() == []
    assert at.records()[0]["response"]["error"] == "private_address"
    with pytest.raises(ApprovalNeeded) as needed:
        do(at.gate, asked("POST"))
    at.approvals.give(needed.value.approval.id, LOCAL, "cli")
    stuck()
    assert do(at.gate, asked("POST")) == "done"


def test_a_lost_answer_blocks_the_same_call_until_somebody_looked(desk: Callable[..., Desk]) -> None:
    at = desk()

    def lose(_: Decision) -> Done[None]:
        raise ConflictError("outcome_unknown", "Nobody knows.")

    with pytest.raises(ConflictError):
        at.gate.through(asked("POST"), lose)
    assert at.records()[0]["response"]["status"] == "outcome_unknown"
    with pytest.raises(ConflictError):
        do(at.gate, asked("POST"))
    assert do(at.gate, asked("POST", hash="another")) == "done"
    at.approvals.clear(at.approvals.list("outcome_unknown")[0].id, LOCAL, "cli")
    assert do(at.gate, asked("POST")) == "done"


def test_the_same_operation_again_and_again(desk: Callable[..., Desk]) -> None:
    at = desk()
    for _ in range(3):
        do(at.gate, asked())
    with pytest.raises(RateLimited) as stopped:
        do(at.gate, asked())
    assert stopped.value.code == "loop"
    assert do(at.gate, asked(hash="another")) == "done"


def test_what_cannot_be_written_down_is_not_changed_but_can_be_read(desk: Callable[..., Desk], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    at, ran = desk(folder=tmp_path / "file" / "audit"), list[str]()
    with pytest.raises(StorageError):
        do(at.gate, asked("POST"), ran)
    assert ran == []
    assert do(at.gate, asked()) == "done"


@pytest.mark.parametrize(("method", "written"), [("GET", 0), ("POST", 1)])
def test_a_policy_may_leave_reading_out_of_the_trail(desk: Callable[..., Desk], method: str, written: int) -> None:
    at = desk(OPEN.replace("{", "{audit_level: none, "))
    do(at.gate, asked(method))
    assert len(at.records()) == written


def test_after_orders_from_outside_a_person_looks_at_changes_for_a_while(desk: Callable[..., Desk]) -> None:
    at = desk()
    at.gate.taint(LOCAL)
    assert do(at.gate, asked()) == "done"
    with pytest.raises(ApprovalNeeded):
        do(at.gate, asked("POST"))
    assert at.records()[0]["policy"]["rule"] == "taint"
    other = Principal("k", "other", frozenset({"apis"}))
    assert do(at.gate, asked("POST", principal=other)) == "done"
    at.now += 901
    assert do(at.gate, asked("POST")) == "done"


def test_a_call_that_is_told_to_come_back_later_keeps_its_approval(desk: Callable[..., Desk]) -> None:
    at = desk(OPEN + "rules: [{name: careful, ask: true}]\n")

    def approve() -> None:
        with pytest.raises(ApprovalNeeded) as needed:
            do(at.gate, asked())
        at.approvals.give(needed.value.approval.id, LOCAL, "cli")

    for _ in range(3):
        approve()
        do(at.gate, asked())
        assert not at.approvals.list("given")
    approve()
    with pytest.raises(RateLimited):
        do(at.gate, asked())
    assert at.approvals.list("given")
