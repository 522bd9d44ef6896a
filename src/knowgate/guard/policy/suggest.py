"""The smallest policy that allows what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ryaml

from knowgate.guard.policy.action import STRONGEST_FIRST, Outcome
from knowgate.guard.policy.check import Entry
from knowgate.guard.policy.target import spellings

_LEAST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """A call of an operation, as the audit trail has it."""

    operation: str
    method: str
    url: str
    auth_profile: str
    outcome: Outcome


def suggest(records: Iterable[Seen], entries: Sequence[Entry] = ()) -> str:
    """YAML: as few rules as there can be that let happen what happened; everything else is denied.

    Operations are put together by method, tag or the beginning of their names where that takes in none of the
    `entries`, which are all that there are, that was never called. What is not among them any more needs no rule.
    """
    there: dict[str, list[Entry]] = {}
    for entry in entries:
        there.setdefault(_host(entry.url.rstrip("/") + entry.path), []).append(entry)
    places = {(host, entry.id) for host, each in there.items() for entry in each}
    seen = [
        record
        for record in records
        if record.outcome in STRONGEST_FIRST[1:]
        and record.operation
        and (not entries or (_host(record.url), record.operation) in places)
    ]
    rules: list[dict[str, Any]] = []
    for (host, outcome), used in sorted(_used(seen).items()):
        block = _selection(used, there.get(host, ()))
        same = next((rule for rule in rules if rule.get(outcome) == block), None)
        if same:
            same["pattern"] += [f"{host}/*"]
        else:
            rules.append({"name": f"{host}-{outcome}", "pattern": [f"{host}/*"], outcome: block})
    policy: dict[str, Any] = {
        "version": "1.0",
        "defaults": {"allow_methods": [], "require_auth": bool(seen) and all(record.auth_profile for record in seen)},
        "rules": rules,
    }
    return ryaml.dumps(policy)  # pyright: ignore[reportPrivateImportUsage]


def _used(seen: Iterable[Seen]) -> dict[tuple[str, Outcome], set[str]]:
    """Operations by host and outcome; the strongest, where there were several: it would win."""
    outcomes: dict[tuple[str, str], Outcome] = {}
    for record in seen:
        place = _host(record.url), record.operation
        if STRONGEST_FIRST.index(record.outcome) <= STRONGEST_FIRST.index(outcomes.get(place, "allow")):
            outcomes[place] = record.outcome
    found: dict[tuple[str, Outcome], set[str]] = {}
    for (host, operation), outcome in outcomes.items():
        found.setdefault((host, outcome), set()).add(operation)
    return found


def _host(url: str) -> str:
    return next(iter(spellings(url).exact), "")


def _selection(used: set[str], there: Sequence[Entry]) -> bool | dict[str, list[str]]:
    """What a rule says so that it speaks of those that were used, in the fewest words."""
    if used == {entry.id for entry in there}:
        return True
    ways = [
        {"operations": _names(used, [entry.id for entry in there])},
        {"methods": _groups(used, there, _methods)},
        {"tags": _groups(used, there, lambda entry: entry.tags)},
    ]
    return min((way for way in ways if any(way.values())), key=lambda way: sum(map(len, way.values())))


def _methods(entry: Entry) -> tuple[str, ...]:
    """A rule that speaks of GET speaks of HEAD, too."""
    method = entry.method.upper()
    return ("HEAD", "GET") if method == "HEAD" else (method,)


def _groups(used: set[str], there: Sequence[Entry], kinds: Callable[[Entry], Iterable[str]]) -> list[str]:
    """Kinds of operations that hold all that were used and no other; none, if there are none such."""
    members: dict[str, set[str]] = {}
    # A tag in other letters may be taken for the same.
    for entry in there:
        for kind in kinds(entry):
            members.setdefault(kind.casefold(), set()).add(entry.id)
    spelled = {kind.casefold(): kind for entry in there for kind in kinds(entry)}
    fitting = {spelled[kind]: ids for kind, ids in members.items() if ids <= used}
    return _cover(used, fitting)


def _names(used: set[str], there: Sequence[str]) -> list[str]:
    """The names, or patterns that no other name begins like."""
    others = [name.lower() for name in there if name not in used]
    pairs = (_common(one, other) for one in used for other in used if there and one < other)
    prefixes = {each for each in pairs if len(each) >= _LEAST_PREFIX}
    fitting = {
        f"{prefix}*": {name for name in used if name.startswith(prefix)}
        for prefix in prefixes
        if not any(name.startswith(prefix.lower()) for name in others)
    }
    return _cover(used, {**{name: {name} for name in used}, **fitting})


def _common(one: str, other: str) -> str:
    """With what both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((one[:at] for at, (a, b) in pairs if a != b), min(one, other, key=len))


def _cover(wanted: set[str], sets: Mapping[str, set[str]]) -> list[str]:
    """A few of the sets that hold all of it, the one that adds most first; none, if that cannot be."""
    left, chosen = set(wanted), list[str]()
    while left:
        # Of equal ones the plainest, and always the same.
        best = max(sets, key=lambda name: (len(sets[name] & left), len(name), name), default="")
        if not best or not sets[best] & left:
            return []
        chosen.append(best)
        left -= sets[best]
    return sorted(chosen)
