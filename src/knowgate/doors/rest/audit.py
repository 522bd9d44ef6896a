"""What was done, for administrators."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime

from knowgate.doors.rest.callers import Caller
from knowgate.doors.rest.given import Limit
from knowgate.doors.rest.routes import refusals, subject
from knowgate.wire import AuditFinding, AuditPage, AuditRecord, AuditVerdict

router = subject("audit")


@router.get("/audit")
def audit(
    engine: Caller,
    tool: str = "",
    operation: str = "",
    principal: str = "",
    decision: Literal["", "allow", "deny", "ask", "dry_run", "none"] = "",
    status: Literal["", "success", "error", "denied", "dry_run", "outcome_unknown"] = "",
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: Annotated[Limit, Query()] = 50,
    cursor: str = "",
) -> AuditPage:
    """One record for each call, newest first. Tools and operations may be patterns with `*`."""
    from knowgate.guard.audit.read import Wanted

    wanted = Wanted("", since, until, principal, tool, operation, decision, status)
    page = engine.audit(wanted, limit=limit, cursor=cursor)
    return AuditPage([dict(record) for record in page.records], page.cursor)


@router.get("/audit/verify")
def verify(engine: Caller) -> AuditVerdict:
    """Whether anybody changed, moved, dropped or added a record, and where."""
    findings = [AuditFinding(each.file, each.line, each.code, each.message) for each in engine.verify_audit()]
    return AuditVerdict(not findings, findings)


@router.get("/audit/{record_id}", responses=refusals(404))
def record(engine: Caller, record_id: str) -> AuditRecord:
    from knowgate.guard.audit.export import as_curl

    found = engine.audit_record(record_id)
    return AuditRecord(dict(found), as_curl(found))
