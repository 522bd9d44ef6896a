"""What may be done, by whom, when. The tools for people who write policies are in the modules beside this one."""

from knowgate.guard.policy.action import Action, Audit, Decision, Limit, Outcome, Redact
from knowgate.guard.policy.orders import gives_orders, orders_in
from knowgate.guard.policy.policy import Policy
from knowgate.guard.policy.risk import risk_score
from knowgate.guard.policy.verbs import changes_something

__all__ = [
    "Action",
    "Audit",
    "Decision",
    "Limit",
    "Outcome",
    "Policy",
    "Redact",
    "changes_something",
    "gives_orders",
    "orders_in",
    "risk_score",
]
