"""Why a policy decides as it does, and what another one would decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from knowgate.guard.policy.action import Action, Decision
from knowgate.guard.policy.policy import Policy
from knowgate.guard.policy.rule import Rule, Subject, all_hold
from knowgate.guard.policy.sure import Sure


@dataclass(frozen=True, slots=True)
class Change:
    action: Action
    before: Decision
    after: Decision


def explain(policy: Policy, action: Action) -> Decision:
    """The decision, with a line for each rule that had a say in it or nearly had."""
    decision = policy.decide(action)
    subject = Subject(action)
    lines = [line for rule in policy.rules for line in _lines(rule, subject)]
    lines.append(f"→ {decision.outcome} by {decision.rule}: {decision.reason}")
    return replace(decision, details=tuple(lines))


def diff(old: Policy, new: Policy, actions: Iterable[Action]) -> list[Change]:
    """The actions for which the outcome changes."""
    decisions = ((action, old.decide(action), new.decide(action)) for action in actions)
    return [Change(*decided) for decided in decisions if decided[1].outcome != decided[2].outcome]


def _lines(rule: Rule, subject: Subject) -> Iterable[str]:
    action = subject.action
    spoken = rule.speaks_of(subject)
    if spoken is False:
        return
    for name, check in rule.circumstances(action).items():
        if (sure := check()) is not True:
            yield f"{rule.name}: {name} {'does not hold' if sure is False else 'cannot be told for sure'}"
            if sure is False:
                return
    for block in rule.blocks:
        hit = block.match(subject)
        held = all_hold(block.conditions, action)
        if hit is not False and held is not False:
            yield f"{rule.name}: {block.outcome}{_doubt(spoken, hit, held)}"
        else:
            yield f"{rule.name}: {block.outcome} does not speak of this call"
    if rule.attaches and not rule.blocks:
        yield f"{rule.name}: adds what it says of redaction, limits and audit"


def _doubt(*sures: Sure) -> str:
    return " (not for sure, so it can only make the decision stricter)" if None in sures else ""
