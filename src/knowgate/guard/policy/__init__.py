"""What may be done, by whom, when. The tools for people who write policies are in the modules beside this one."""

from knowgate.guard.policy.action import Action, Audit, Decision, Limit, Outcome, Redact
from knowgate.guard.policy.policy import Policy
from knowgate.guard.policy.risk import gives_orders, risk_score

__all__ = ["Action", "Audit", "Decision", "Limit", "Outcome", "Policy", "Redact", "gives_orders", "risk_score"]
