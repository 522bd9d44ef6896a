"""May this call be made now? Rates, calls at a time, budgets, a breaker for loops, and the kill switch.

Rates and calls at a time are counted in each process; budgets and the switch are shared by all.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from knowgate.guard.budgets import Budgets, Claim
from knowgate.guard.limits import Limits, RateLimited, Rule, say_seconds
from knowgate.guard.switch import Switch


@dataclass(frozen=True, slots=True)
class Quota:
    """What one of a kind may do: one principal, one API …"""

    rates: tuple[Rule, ...] = ()
    at_once: int | None = None
    daily_cost: float | None = None


NO_QUOTA = Quota()


@dataclass(frozen=True, slots=True)
class Quotas:
    everybody: Quota = NO_QUOTA
    """All calls together."""
    principal: Quota = NO_QUOTA
    api: Quota = NO_QUOTA
    operation: Quota = NO_QUOTA
    repeats: Rule | None = None
    """How often one principal may make exactly the same call."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """A call, as far as it is counted."""

    principal: str
    operation: str
    """Or a tool's name."""
    request_hash: str
    """Empty for a call that may be repeated."""
    api: str = ""
    cost: float = 0.0


class CallLimits:
    def __init__(
        self, quotas: Quotas, switch: Switch, budgets: Budgets, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._quotas = quotas
        self._switch = switch
        self._budgets = budgets
        self._rates = Limits({}, clock)
        self._repeats = Limits({}, clock)
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()

    @contextmanager
    def admit(self, call: Claimant, by_rule: Mapping[str, Quota] | None = None) -> Generator[None]:
        """Around the call. `by_rule` has what the policy's rules allow on top, by their names.

        Raises ForbiddenError `stopped`, and RateLimited `loop`, `too_many_at_once`, `rate_limited` or `budget_spent`.
        """
        claims = _claims(self._quotas, call, by_rule or {})
        self._switch.check()
        self._break_loops(call)
        with self._one_more(claims):
            self._rates.check_all([(rule, "call", name) for name, quota in claims for rule in quota.rates])
            if call.cost:
                self._budgets.spend(
                    [Claim(name, call.cost, quota.daily_cost) for name, quota in claims if quota.daily_cost is not None]
                )
            yield

    def _break_loops(self, call: Claimant) -> None:
        rule = self._quotas.repeats
        if rule is None or not call.request_hash:
            return
        try:
            self._repeats.check_all([(rule, call.principal, call.request_hash)])
        except RateLimited as error:
            raise RateLimited(
                "loop",
                f"Exactly the same call was made {rule.amount} times within one {rule.unit}.",
                f"Use the answers you have, or come again in {say_seconds(error.retry_after)}.",
                error.retry_after,
            ) from None

    @contextmanager
    def _one_more(self, claims: Sequence[tuple[str, Quota]]) -> Generator[None]:
        names = [name for name, quota in claims if quota.at_once is not None]
        with self._lock:
            for name, quota in claims:
                if quota.at_once is not None and self._running[name] >= quota.at_once:
                    raise RateLimited(
                        "too_many_at_once",
                        f"{quota.at_once} calls are running for {name} already.",
                        "Come again when one has ended.",
                        1,
                    )
            self._running.update(names)
        try:
            yield
        finally:
            with self._lock:
                self._running.subtract(names)
                for name in names:
                    if not self._running[name]:
                        del self._running[name]


def _claims(quotas: Quotas, call: Claimant, by_rule: Mapping[str, Quota]) -> list[tuple[str, Quota]]:
    """Whom the call is counted for."""
    claims = [
        ("everybody", quotas.everybody),
        (f"principal {call.principal}", quotas.principal),
        (f"operation {call.operation}", quotas.operation),
        *((f"rule {name}", quota) for name, quota in by_rule.items()),
    ]
    return [*claims, (f"api {call.api}", quotas.api)] if call.api else claims
