"""The guard's parts, made as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from knowgate.config.guard import Audit, Limits, Redact
from knowgate.config.guard import Policy as PolicySettings
from knowgate.guard import policy as rules
from knowgate.guard.audit.log import Rotation
from knowgate.guard.audit.trail import Trail
from knowgate.guard.budgets import Budgets
from knowgate.guard.limits import read_rule
from knowgate.guard.policy import Policy
from knowgate.guard.policy.watched import WatchedPolicy
from knowgate.guard.quotas import CallLimits, Quota, Quotas
from knowgate.guard.redact import Redactor, RedactRules
from knowgate.guard.switch import Switch
from knowgate.store.port import Store


def policy_of(chosen: PolicySettings) -> Callable[[], Policy]:
    if chosen.file is not None:
        return WatchedPolicy(chosen.file)
    default = Policy.default()
    return lambda: default


def audit_folder(chosen: Audit, data: Path) -> Path:
    return (chosen.folder or data / "audit").expanduser()


def trail_of(chosen: Audit, data: Path) -> Trail | None:
    if not chosen.enabled:
        return None
    return Trail(audit_folder(chosen, data), Rotation(chosen.max_mb * 1024 * 1024, keep=chosen.keep))


def limits_of(chosen: Limits, switch: Switch, store: Store) -> CallLimits:
    quotas = Quotas(
        everybody=_quota(chosen.rate, daily_cost=chosen.daily_cost),
        principal=_quota(chosen.principal_rate),
        api=_quota(chosen.api_rate, at_once=chosen.at_once),
        operation=_quota(chosen.operation_rate),
        repeats=read_rule(chosen.repeats),
    )
    return CallLimits(quotas, switch, Budgets(store))


def redactor_of(chosen: Redact, secrets: tuple[str, ...], more: rules.Redact) -> Redactor:
    """`more` is what a rule of the policy hides on top."""
    patterns = (*chosen.patterns, *more.patterns)
    return Redactor(
        RedactRules(
            built_in=chosen.level != "off",
            personal=chosen.level == "personal" or more.personal,
            names=(*chosen.keys, *more.keys),
            patterns={"CUSTOM": "|".join(f"(?:{pattern})" for pattern in patterns)} if patterns else {},
            allow_values=frozenset(chosen.allow),
        ),
        secrets,
    )


def _quota(rate: str, at_once: int | None = None, daily_cost: float | None = None) -> Quota:
    rule = read_rule(rate)
    return Quota((rule,) if rule else (), at_once, daily_cost)
