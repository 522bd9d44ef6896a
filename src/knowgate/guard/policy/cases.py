"""Policy test files: requests, and what should be decided about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, RootModel

from knowgate.guard.policy.action import Action, Decision, Outcome
from knowgate.guard.policy.explain import explain
from knowgate.guard.policy.form import Form, Tags
from knowgate.guard.policy.policy import Policy
from knowgate.guard.policy.risk import risk_score
from knowgate.guard.policy.strict import parse
from knowgate.guard.policy.verbs import changes_something
from knowgate.model import LOCAL, Principal


def _moment(text: str) -> str:
    try:
        aware = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        raise ValueError(f"{text!r} is not a time with its zone, such as 2026-03-02T09:30:00+01:00")
    return text


class RequestForm(Form):
    operation_id: str = ""
    tool: str = ""
    auth_profile: str = ""
    env: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])


class ContextForm(Form):
    method: str = ""
    tags: Tags = ()
    source_ip: str = ""
    principal: str = ""
    documents: Tags = ()
    fields: Tags = ()
    time: Annotated[str, AfterValidator(_moment)] = ""


class ExpectedForm(Form):
    decision: Outcome
    rule: str = ""
    reason_contains: str = ""


class CaseForm(Form):
    name: str
    request: RequestForm
    url: str = ""
    context: ContextForm = Field(default_factory=ContextForm)
    expected: ExpectedForm


class CasesForm(RootModel[list[CaseForm]]):
    """The whole file."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    name: str
    problem: str
    """What is not as expected; empty when all is."""
    decision: Decision


def read_cases(text: str, name: str = "policy-tests.yaml") -> list[CaseForm]:
    return parse(CasesForm, text, name).root


def run_tests(policy: Policy, cases: Sequence[CaseForm], now: datetime) -> list[CaseResult]:
    results: list[CaseResult] = []
    for case in cases:
        decision = explain(policy, _action(case, now))
        results.append(CaseResult(case.name, _problem(case.expected, decision), decision))
    return results


def _action(case: CaseForm, now: datetime) -> Action:
    request, context = case.request, case.context
    who = context.principal
    called = bool(request.operation_id)
    changes = called and changes_something(context.method, request.operation_id, urlsplit(case.url).path, "")
    return Action(
        kind="operation" if called else "tool",
        principal=Principal(who, who, LOCAL.scopes) if who else LOCAL,
        now=datetime.fromisoformat(context.time) if context.time else now,
        scope="apis" if called else "read",
        tool=request.tool,
        operation=request.operation_id,
        tags=context.tags,
        method=context.method,
        url=case.url,
        arguments=request.parameters,
        auth_profile=request.auth_profile,
        environment=request.env,
        address=context.source_ip,
        risk=risk_score(request.operation_id or request.tool, context.method, request.parameters, changes=changes),
        changes=changes,
        documents=context.documents,
        fields=context.fields,
    )


def _problem(expected: ExpectedForm, decision: Decision) -> str:
    if decision.outcome != expected.decision:
        return f"decided {decision.outcome} by {decision.rule}, expected {expected.decision}"
    if expected.rule and decision.rule != expected.rule:
        return f"decided by {decision.rule}, expected {expected.rule}"
    if expected.reason_contains.casefold() not in decision.reason.casefold():
        return f"the reason is {decision.reason!r}, expected to contain {expected.reason_contains!r}"
    return ""
