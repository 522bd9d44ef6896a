"""Conditions in CEL (`when:`) over args, principal, time, address, env and risk."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from difflib import get_close_matches
from typing import Any

from knowgate.guard.policy.action import Action
from knowgate.guard.policy.sure import Sure

_VARIABLES: Mapping[str, Callable[[Action], Any]] = {
    "args": lambda action: dict(action.arguments),
    "principal": lambda action: {
        "id": action.principal.id,
        "name": action.principal.name,
        "scopes": sorted(action.principal.scopes),
    },
    "time": lambda action: action.now.astimezone(UTC),
    "address": lambda action: action.address,
    "env": lambda action: action.environment,
    "risk": lambda action: action.risk,
}
_FUNCTIONS = frozenset(
    "size contains startsWith endsWith matches int uint double bytes timestamp duration type dyn getFullYear getMonth "
    "getDayOfYear getDayOfMonth getDate getDayOfWeek getHours getMinutes getSeconds getMilliseconds".split()
)
_BOUND = re.compile(r"\.(?:all|exists|exists_one|map|filter)\(\s*([A-Za-z_]\w*)\s*,")
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")
_LONGEST = 4000


class When:
    def __init__(self, source: str) -> None:
        """ValueError says what is wrong with it, and where."""
        # Slow to import: it brings its own command line along.
        import cel

        if len(source) > _LONGEST:
            raise ValueError(f"it is longer than {_LONGEST} characters")
        try:
            self._program = cel.compile(source)
        except ValueError as error:
            raise ValueError(_explained(str(error))) from None
        bound = set(_BOUND.findall(source))
        names = set(self._program.variables())
        for name in sorted(names - bound - _VARIABLES.keys()):
            near = get_close_matches(name, _VARIABLES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_VARIABLES)}"
            raise ValueError(f"there is no variable {name}; {hint}")
        for name in sorted(name for name in self._program.functions() if name.isidentifier()):
            if name not in _FUNCTIONS:
                near = get_close_matches(name, _FUNCTIONS, n=1)
                raise ValueError(f"there is no function {name}" + (f"; did you mean {near[0]}?" if near else ""))
        self._names = tuple(names & _VARIABLES.keys())
        if not self._names and self._program.execute({}) not in (True, False):
            raise ValueError("it is no condition: its value is neither true nor false")

    @property
    def never(self) -> bool:
        return not self._names and self._program.execute({}) is False

    def holds(self, action: Action) -> Sure:
        """None when it cannot be told: an argument that is missing, or of another type than the condition expects."""
        try:
            value = self._program.execute({name: _VARIABLES[name](action) for name in self._names})
        except (ValueError, TypeError, RuntimeError, LookupError, ArithmeticError):
            return None
        return value if isinstance(value, bool) else None


def _explained(message: str) -> str:
    found = _PLACE.search(message)
    if not found:
        return "it is not CEL"
    return f"it is not CEL: {found[3].partition(' expecting ')[0].strip()[:200]} (line {found[1]}, column {found[2]})"
