"""How often a caller may come."""

from __future__ import annotations

import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from knowgate.errors import InputError, LimitError

_MOST_CALLERS = 20_000
"""Who comes from more addresses than this is not stopped by counting them."""
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_RULE = re.compile(rf"([1-9]\d{{0,8}})/({'|'.join(_SECONDS)})")


class RateLimited(LimitError):
    """Too fast; `retry_after` is the seconds to wait."""

    def __init__(self, code: str, message: str, fix: str, retry_after: int) -> None:
        super().__init__(code, message, fix)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Rule:
    amount: int
    unit: str

    @property
    def pace(self) -> float:
        """Seconds that one call takes up."""
        return _SECONDS[self.unit] / self.amount


class Limits:
    """Rules such as `600/minute` by group of routes; an empty rule or `off` is no limit.

    A caller may come all at once or evenly. For each one a single number is kept: the time by which what he has asked
    for would be worked off at an even pace. It must not lie further ahead than the rule's unit.
    """

    def __init__(self, rules: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        self._rules = {group: read_rule(text) for group, text in rules.items()}
        self._clock = clock
        self._lock = threading.Lock()
        self._worked_off: OrderedDict[tuple[str, str, str], float] = OrderedDict()

    def check(self, group: str, who: str) -> None:
        """Count this call, or refuse it without counting."""
        if rule := self._rules[group]:
            self.check_all([(rule, group, who)])

    def check_all(self, claims: Sequence[tuple[Rule, str, str]]) -> None:
        """The same for several (rule, group, who) at once: the call is counted everywhere or nowhere."""
        with self._lock:
            now = self._clock()
            worked_off: dict[tuple[str, str, str], float] = {}
            for rule, group, who in claims:
                # The rule is part of the name: one caller may have one for the minute and one for the day.
                key = (group, who, rule.unit)
                then = max(now, self._worked_off.get(key, now)) + rule.pace
                if (wait := then - now - _SECONDS[rule.unit]) > 1e-9:
                    raise _too_fast(rule, wait)
                worked_off[key] = then
            for key, then in worked_off.items():
                self._worked_off[key] = then
                self._worked_off.move_to_end(key)
                if len(self._worked_off) > _MOST_CALLERS:
                    self._worked_off.popitem(last=False)


def _too_fast(rule: Rule, wait: float) -> RateLimited:
    seconds = max(1, math.ceil(wait))
    return RateLimited(
        "rate_limited",
        f"More than {rule.amount} requests per {rule.unit} were asked for.",
        f"Come again in {say_seconds(seconds)}.",
        seconds,
    )


def say_seconds(seconds: int) -> str:
    return "1 second" if seconds == 1 else f"{seconds} seconds"


def read_rule(text: str) -> Rule | None:
    """None is no limit."""
    if text.strip().lower() in ("", "off"):
        return None
    found = _RULE.fullmatch(text.strip())
    if not found:
        raise InputError(
            "bad_rate",
            f"{text!r} is not a limit.",
            "Write a number per second, minute, hour or day: 600/minute; or off.",
        )
    return Rule(int(found[1]), found[2])
