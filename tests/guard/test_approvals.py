from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from knowgate.errors import ConflictError, ForbiddenError, KnowgateError, LimitError, NotFoundError
from knowgate.guard import approvals as module
from knowgate.guard.approvals import Approval, ApprovalNeeded, Approvals, Question
from knowgate.model import LOCAL, Principal
from knowgate.store.sqlite.store import SqliteStore

ANN = Principal("k1", "ann", frozenset({"apis"}))
BOSS = Principal("k2", "boss", frozenset({"admin"}))
QUESTION = Question("a" * 64, "p1", ANN, "DELETE https://api.example/pets/7")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
def approvals(store: SqliteStore, clock: Clock) -> Approvals:
    return Approvals(store, lasts=60, clock=clock)


def asked(approvals: Approvals, question: Question = QUESTION) -> Approval:
    with pytest.raises(ApprovalNeeded) as error:
        approvals.use(question)
    assert error.value.code == "approval_needed"
    assert error.value.approval.id in error.value.fix
    return error.value.approval


def code(call: Callable[[], object]) -> str:
    with pytest.raises(KnowgateError) as error:
        call()
    assert error.value.fix
    return error.value.code


def test_asked_given_used(approvals: Approvals) -> None:
    approval = asked(approvals)
    assert approvals.list("asked") == [approval]
    given = approvals.give(approval.id, LOCAL, "cli")
    assert (given.state, given.decided_by, given.channel, given.decided_at) == ("given", "local", "cli", 1000.0)
    assert approvals.use(QUESTION).state == "used"
    assert [each.state for each in approvals.list()] == ["used"]


def test_asking_again_asks_a_person_once(approvals: Approvals) -> None:
    assert asked(approvals) == asked(approvals)
    assert len(approvals.list()) == 1


def test_once_only(approvals: Approvals) -> None:
    approvals.give(asked(approvals).id, LOCAL, "elicitation")
    approvals.use(QUESTION)
    assert asked(approvals).state == "asked"


def test_two_uses_at_once_and_one_wins(approvals: Approvals) -> None:
    for _ in range(10):
        approvals.give(asked(approvals).id, LOCAL, "cli")

        def use(_: int) -> bool:
            try:
                approvals.use(QUESTION)
            except ApprovalNeeded:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(use, range(8))) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(QUESTION, request_hash="a" * 63 + "b"),
        replace(QUESTION, policy_version="p2"),
        replace(QUESTION, asker=LOCAL),
    ],
)
def test_threat_19_another_request_policy_or_asker_is_another_question(approvals: Approvals, other: Question) -> None:
    approvals.give(asked(approvals).id, LOCAL, "cli")
    assert asked(approvals, other).id != asked_id(QUESTION)
    assert approvals.use(QUESTION).state == "used"


def asked_id(question: Question) -> str:
    return module._id(question)


def test_refused_stays_refused_for_a_while(approvals: Approvals, clock: Clock) -> None:
    approvals.refuse(asked(approvals).id, LOCAL, "cli", "not on a Friday")
    with pytest.raises(ForbiddenError) as error:
        approvals.use(QUESTION)
    assert error.value.code == "approval_refused"
    assert "not on a Friday" in error.value.message
    clock.now += 60
    assert asked(approvals).state == "asked"


def test_a_question_expires(approvals: Approvals, clock: Clock) -> None:
    approval = asked(approvals)
    clock.now += 60
    assert [each.state for each in approvals.list()] == ["expired"]
    assert code(lambda: approvals.give(approval.id, LOCAL, "cli")) == "approval_changed"
    asked(approvals)
    approvals.give(approval.id, LOCAL, "cli")


def test_an_approval_expires(approvals: Approvals, clock: Clock) -> None:
    approvals.give(asked(approvals).id, LOCAL, "cli")
    clock.now += 59
    approvals.list("given")
    clock.now += 1
    assert asked(approvals).state == "asked"


def test_decided_once(approvals: Approvals) -> None:
    approval = asked(approvals)
    approvals.refuse(approval.id, LOCAL, "cli")
    with pytest.raises(ConflictError) as error:
        approvals.give(approval.id, LOCAL, "cli")
    assert "refused" in error.value.message


def test_who_asks_does_not_approve_over_the_network(approvals: Approvals) -> None:
    approval = asked(approvals)
    for by in (ANN, replace(ANN, scopes=frozenset({"admin"})), Principal("k3", "eve", frozenset({"apis", "write"}))):
        assert code(lambda by=by: approvals.give(approval.id, by, "server")) == "not_the_approver"
    assert approvals.give(approval.id, BOSS, "server").decided_by == "boss"


def test_no_such_approval(approvals: Approvals) -> None:
    with pytest.raises(NotFoundError):
        approvals.give("nope", LOCAL, "cli")


def test_a_lost_answer_blocks_repeats_until_a_person_clears_it(approvals: Approvals, clock: Clock) -> None:
    approvals.give(asked(approvals).id, LOCAL, "cli")
    approvals.use(QUESTION)
    approvals.refuse_repeat(QUESTION.request_hash)
    lost = approvals.lose(QUESTION)
    clock.now += 1_000_000
    for call in (
        lambda: approvals.use(QUESTION),
        lambda: approvals.refuse_repeat(QUESTION.request_hash),
        lambda: approvals.give(lost.id, LOCAL, "cli"),
    ):
        assert code(call) in ("outcome_unknown", "approval_changed")
    approvals.refuse_repeat("b" * 64)
    assert approvals.clear(lost.id, LOCAL, "cli").state == "cleared"
    approvals.refuse_repeat(QUESTION.request_hash)
    asked(approvals)


def test_a_lost_answer_without_an_approval_blocks_everybody(approvals: Approvals) -> None:
    lost = approvals.lose(QUESTION)
    assert approvals.list("outcome_unknown") == [lost]
    assert code(lambda: approvals.refuse_repeat(QUESTION.request_hash)) == "outcome_unknown"
    assert code(lambda: approvals.clear(lost.id, ANN, "server")) == "not_the_approver"


def test_another_process_sees_it(approvals: Approvals, clock: Clock, tmp_path: Path) -> None:
    approval = asked(approvals)
    other = SqliteStore(tmp_path)
    Approvals(other, 60, clock).give(approval.id, LOCAL, "cli")
    other.close()
    assert approvals.use(QUESTION).decided_by == "local"


def test_nobody_is_asked_too_much(approvals: Approvals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ASKED", 3)
    for number in range(3):
        asked(approvals, replace(QUESTION, request_hash=str(number)))
    with pytest.raises(LimitError) as error:
        approvals.use(replace(QUESTION, request_hash="one more"))
    assert error.value.code == "too_many_questions"
    asked(approvals, replace(QUESTION, asker=LOCAL))


def test_old_ones_are_forgotten_but_for_the_unknown(approvals: Approvals, clock: Clock) -> None:
    asked(approvals, replace(QUESTION, request_hash="old"))
    lost = approvals.lose(replace(QUESTION, request_hash="lost"))
    clock.now += 30 * 86_400
    new = asked(approvals)
    assert approvals.list() == [new, lost]
