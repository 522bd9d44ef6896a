"""What waits for a person. Who asked cannot answer, and answering needs the scope admin."""

from __future__ import annotations

from knowgate import answers
from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Given
from knowgate.doors.rest.routes import refusals, subject
from knowgate.wire import ApprovalItem, ApprovalList

router = subject("approvals")


class Refusal(Given):
    reason: str = ""


@router.get("/approvals")
def approvals(engine: Caller, all: bool = False) -> ApprovalList:
    """Those that wait for an answer, or all, newest first."""
    found = engine.approvals() if all else engine.approvals("asked", "outcome_unknown")
    return ApprovalList(list(map(answers.approval, found)))


@router.post("/approvals/{approval_id}/give", responses=refusals(404, 409))
def give(engine: Caller, approval_id: str) -> ApprovalItem:
    """Let the call be made, once."""
    return answers.approval(engine.give_approval(approval_id, "server"))


@router.post("/approvals/{approval_id}/refuse", responses=refusals(404, 409))
def refuse(engine: Caller, approval_id: str, asked: Refusal | None = None) -> ApprovalItem:
    reason = asked.reason if asked else ""
    return answers.approval(engine.refuse_approval(approval_id, "server", reason))


@router.post("/approvals/{approval_id}/clear", responses=refusals(404, 409))
def clear(engine: Caller, approval_id: str) -> ApprovalItem:
    """Allow a call again whose answer was lost, after somebody looked whether it was done."""
    return answers.approval(engine.clear_approval(approval_id, "server"))
