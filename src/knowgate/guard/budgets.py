"""What may be spent in a day, counted together by all processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from knowgate.guard.limits import RateLimited
from knowgate.store.port import Batch, Record, Store, scan_all_records

_KIND = "spending"


@dataclass(frozen=True, slots=True)
class Claim:
    who: str
    """Whose budget: a principal's, an operation's, everybody's …"""
    amount: float
    most: float
    """In a day."""


def _now() -> datetime:
    return datetime.now(UTC)


class Budgets:
    """Days are UTC's."""

    def __init__(self, store: Store, now: Callable[[], datetime] = _now) -> None:
        self._store = store
        self._now = now

    def spend(self, claims: Sequence[Claim]) -> None:
        """All of it or, when one budget does not suffice, nothing."""
        while claims:
            now = self._now()
            day = f"{now:%Y-%m-%d}"
            record = self._store.record(_KIND, day)
            spent: dict[str, float] = dict(record.value) if record else {}
            for claim in claims:
                spent[claim.who] = spent.get(claim.who, 0.0) + claim.amount
                # Sums of tenths are never quite what they should be.
                if spent[claim.who] > claim.most * (1 + 1e-9):
                    raise _spent(claim, now)
            if self._store.put_if(Record(_KIND, day, spent), record.version if record else 0):
                if record is None:
                    self._forget_before(day)
                return

    def spent(self) -> dict[str, float]:
        """Today, by whom."""
        record = self._store.record(_KIND, f"{self._now():%Y-%m-%d}")
        return dict(record.value) if record else {}

    def _forget_before(self, day: str) -> None:
        old = [(_KIND, record.id) for record in scan_all_records(self._store, _KIND) if record.id < day]
        self._store.apply(Batch(drop=old))


def _spent(claim: Claim, now: datetime) -> RateLimited:
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return RateLimited(
        "budget_spent",
        f"Today's budget of {claim.most:g} for {claim.who} does not suffice for this call.",
        f"Come again after {midnight:%Y-%m-%d %H:%M} UTC, or ask for a larger budget.",
        math.ceil((midnight - now).total_seconds()),
    )
