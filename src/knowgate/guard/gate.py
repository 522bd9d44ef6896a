"""The one choke point: decided, counted and written down before anything is done, and written down again after.

Whoever lets something be done hands over what is about to happen in its final form, and a function that does it. There
is no other way to do it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from knowgate.errors import ForbiddenError, KnowgateError, StorageError
from knowgate.guard.approvals import Approvals, Question
from knowgate.guard.audit.record import Call, Result
from knowgate.guard.audit.trail import Attempt, Trail
from knowgate.guard.limits import Rule, read_rule
from knowgate.guard.policy import Action, Decision, Policy
from knowgate.guard.quotas import CallLimits, Claimant, Quota
from knowgate.guard.wariness import Wariness
from knowgate.model import Principal

T = TypeVar("T")
_log = logging.getLogger("knowgate.gate")


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that is about to be done."""

    action: Action
    request_hash: str
    """Of everything that makes a difference."""
    summary: str
    """For a person who is asked, redacted."""
    changes: bool
    """Whether it does more than look."""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    """Redacted."""
    template: str = ""
    """The address with {names} in the place of values."""
    spec_hash: str = ""
    agent: str = ""
    written: bool = True
    """Not so a look at one's own work that is repeated until it is done; a refusal is written all the same."""
    ready: Callable[[], None] = lambda: None
    """Raises what is known to keep it from being done: nobody is asked about that, and no approval is used up."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What was done, and what of it is written down."""

    value: T
    result: Result


class Gate:
    def __init__(
        self,
        policy: Callable[[], Policy],
        trail: Trail | None,
        approvals: Approvals,
        limits: CallLimits,
        wariness: Wariness,
    ) -> None:
        self._policy = policy
        self._trail = trail
        self._approvals = approvals
        self._limits = limits
        self._wariness = wariness

    def taint(self, principal: Principal) -> None:
        """Something from outside gave him orders: for a while, a person looks at whatever he changes."""
        self._wariness.begin(principal)

    def through(self, asked: Asked, run: Callable[[Decision], Done[T]]) -> T:
        """Let it be done, or say why not. `run` is told the decision: a dry run must do nothing."""
        with self.passing(asked) as passage:
            done = run(passage.decision)
            passage.result = done.result
            return done.value

    @contextmanager
    def passing(self, asked: Asked) -> Generator[Passage]:
        """The same around a block, for what is done in steps."""
        policy = self._policy()
        decision = self._wary(asked, policy.decide(asked.action))
        question = Question(asked.request_hash, policy.version, asked.action.principal, asked.summary)
        begun = False
        try:
            self._check(asked, decision, question)
            with self._limits.admit(_claimant(asked, decision), _quotas(decision)):
                # Only now: whoever is told to come back later still has his approval then.
                approval = self._approvals.use(question).id if decision.outcome == "ask" else ""
                attempt = self._attempt(asked, decision, _call(asked, decision, policy.version, approval))
                passage, begun = Passage(decision), True
                try:
                    yield passage
                except BaseException as error:
                    passage.result = _failed(error)
                    if passage.result.status == "outcome_unknown":
                        self._approvals.lose(question)
                    raise
                finally:
                    self._outcome(attempt, passage.result)
        except KnowgateError as error:
            if not begun:
                self._refused(_call(asked, decision, policy.version, ""), error.code)
            raise

    @contextmanager
    def written_down(self, call: Call) -> Generator[None]:
        """Around what is not decided on here: who keeps the policy must not lock himself out."""
        attempt = self._trail.attempt(call) if self._trail else None
        result = Result("success")
        try:
            yield
        except BaseException as error:
            result = _failed(error)
            raise
        finally:
            self._outcome(attempt, result)

    def turn_away(
        self, principal: Principal, tool: str, code: str, *, denied: bool = True, operation: str = "", agent: str = ""
    ) -> None:
        """Write down what was asked for and came to nothing before there was anything to decide on."""
        decision = "deny" if denied else "none"
        self._refused(Call(principal, tool, "", decision, operation_id=operation, agent=agent), code)

    def offers(self, action: Action) -> bool:
        """Whether there is any way that this could be allowed."""
        return self._policy().offers(action)

    def decide(self, action: Action) -> Decision:
        """What would be said, without counting or writing anything."""
        return self._policy().decide(action)

    def _wary(self, asked: Asked, decision: Decision) -> Decision:
        wary = asked.changes and decision.outcome == "allow" and self._wariness.holds(asked.action.principal)
        if not wary:
            return decision
        return replace(
            decision,
            outcome="ask",
            rule="taint",
            reason="An answer from outside read like orders, so a person looks at what is changed next.",
        )

    def _check(self, asked: Asked, decision: Decision, question: Question) -> None:
        if decision.rule == "scope":
            scope = asked.action.scope
            raise ForbiddenError(
                "scope_missing",
                f"The key {asked.action.principal.name!r} does not have the scope {scope}.",
                f"Ask for a key with it: `knowgate keys create NAME --scope {scope}`.",
            )
        if decision.outcome == "deny":
            fix = (
                " ".join(decision.suggestions) or "Ask whoever keeps the policy; `knowgate policy explain` tells more."
            )
            raise ForbiddenError("denied_by_policy", f"{decision.reason.rstrip('.')} (rule {decision.rule}).", fix)
        if asked.changes:
            self._approvals.refuse_repeat(asked.request_hash)
        if decision.outcome == "ask":
            asked.ready()
            self._approvals.given(question)

    def _attempt(self, asked: Asked, decision: Decision, call: Call) -> Attempt | None:
        unworthy = decision.audit.level == "none" or not asked.written
        # What changes something is written down, whatever the policy says.
        if self._trail is None or (unworthy and not asked.changes):
            return None
        try:
            return self._trail.attempt(call)
        except StorageError as error:
            if asked.changes:
                raise  # what cannot be written down is not done
            _log.error("The audit trail cannot be written, a reading call goes on: %s", error)
            return None

    def _outcome(self, attempt: Attempt | None, result: Result) -> None:
        if self._trail is None or attempt is None:
            return
        try:
            self._trail.outcome(attempt, result)
        except StorageError as error:
            # It is done, and its attempt is on disk; whoever asked must not lose the answer.
            _log.error("The outcome of a call could not be written to the audit trail: %s", error)

    def _refused(self, call: Call, code: str) -> None:
        if self._trail is not None:
            try:
                self._trail.refused(call, code)
            except StorageError as error:
                _log.error("A refusal could not be written to the audit trail: %s", error)


@dataclass(slots=True)
class Passage:
    decision: Decision
    result: Result = field(default_factory=lambda: Result("success"))


def _failed(error: BaseException) -> Result:
    if not isinstance(error, Exception):
        return Result("error", error="cancelled")
    code = error.code if isinstance(error, KnowgateError) else "failed"
    return Result("outcome_unknown" if code == "outcome_unknown" else "error", error=code)


def _call(asked: Asked, decision: Decision, version: str, approval: str) -> Call:
    action = asked.action
    return Call(
        principal=action.principal,
        tool=action.tool or "knowgate_run_operation",
        request_hash=asked.request_hash,
        decision=decision.outcome,
        rule=decision.rule,
        policy_version=version,
        agent=asked.agent,
        arguments=asked.arguments,
        changes=asked.changes,
        raw=decision.audit.include_body,
        operation_id=action.operation,
        api=action.api,
        method=action.method,
        url=action.url,
        template=asked.template,
        auth_profile=action.auth_profile,
        spec_hash=asked.spec_hash,
        approval_id=approval,
    )


def _claimant(asked: Asked, decision: Decision) -> Claimant:
    action = asked.action
    cost = sum(limit.cost for limit in decision.limits)
    # Asking our own house the same again and again is a waste of nobody's time but one's own.
    repeated = asked.request_hash if action.kind == "operation" else ""
    return Claimant(action.principal.id, action.operation or action.tool, repeated, action.api, cost)


def _quotas(decision: Decision) -> dict[str, Quota]:
    return {limit.rule: Quota(_rules(limit.rates), limit.concurrency, limit.daily_cost) for limit in decision.limits}


def _rules(rates: tuple[str, ...]) -> tuple[Rule, ...]:
    return tuple(rule for rate in rates if (rule := read_rule(rate)) is not None)
