"""What is written in a policy but can have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

from knowgate.guard.policy.action import STRONGEST_FIRST, Action
from knowgate.guard.policy.conditions import Condition
from knowgate.guard.policy.policy import Policy
from knowgate.guard.policy.rule import Block, Rule, Subject
from knowgate.guard.policy.sure import Sure, both
from knowgate.guard.policy.verbs import changes_something
from knowgate.model import LOCAL

_WILD = re.compile(r"[*?\[]").search
_SOME_WEEKS = (datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 7, 6, tzinfo=UTC))
"""One in winter, one in summer: zones can be apart by another hour."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation that an API offers."""

    id: str
    api: str
    method: str
    path: str
    """May hold {variables}."""
    tags: tuple[str, ...] = ()
    url: str = ""
    """Of the server, in front of the path."""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    rule: str
    text: str
    wrong: bool = True
    """Or just good to know."""


def check(policy: Policy, entries: Sequence[Entry], tools: Sequence[str] = ()) -> list[Finding]:
    """Rules that never apply or never matter, patterns that match nothing, conditions that never hold."""
    subjects = [Subject(as_action(entry)) for entry in entries] + [Subject(_as_call(tool)) for tool in tools]
    reached = {
        (rule.name, number): {at for at, subject in enumerate(subjects) if _reaches(rule, block, subject) is not False}
        for rule in policy.rules
        for number, block in enumerate(rule.blocks)
    }
    findings: list[Finding] = []
    for rule in policy.rules:
        findings += (Finding("never_holds", rule.name, text) for text in _impossible(rule))
        nothing = list(_matches_nothing(rule, subjects, entries=bool(entries), tools=bool(tools)))
        findings += (Finding("matches_nothing", rule.name, text, wrong) for text, wrong in nothing)
        if not rule.blocks and not rule.attaches:
            findings.append(Finding("says_nothing", rule.name, "It has neither an outcome nor anything to add."))
        if nothing or not subjects or (rule.pattern and not entries):
            continue
        for number, block in enumerate(rule.blocks):
            if not reached[rule.name, number]:
                text = f"{block.outcome} speaks of no operation that there is."
                findings.append(Finding("matches_nothing", rule.name, text))
            elif by := _shadowed(policy, rule, number, subjects, reached[rule.name, number]):
                text = f"{block.outcome} never matters: {', '.join(by)} decides every time."
                findings.append(Finding("unreachable", rule.name, text))
    return findings


def as_action(entry: Entry) -> Action:
    """The call of an operation by the local user, with some value for each variable of its path."""
    return Action(
        kind="operation",
        principal=LOCAL,
        now=_SOME_WEEKS[0],
        scope="apis",
        operation=entry.id,
        api=entry.api,
        tags=entry.tags,
        method=entry.method,
        url=entry.url.rstrip("/") + re.sub(r"\{[^}/]*\}", "0", entry.path),
        auth_profile="any",
        changes=changes_something(entry.method, entry.id, entry.path, entry.summary),
    )


def _as_call(tool: str) -> Action:
    return Action(kind="tool", principal=LOCAL, now=_SOME_WEEKS[0], scope="read", tool=tool)


def _reaches(rule: Rule, block: Block, subject: Subject) -> Sure:
    return both(rule.speaks_of(subject), block.match(subject))


def _matches_nothing(
    rule: Rule, subjects: Sequence[Subject], *, entries: bool, tools: bool
) -> Iterator[tuple[str, bool]]:
    """In words, and whether it must be a mistake: what names no host speaks also of APIs that are added later."""
    operations = [subject for subject in subjects if subject.is_operation]
    if entries:
        for glob in rule.pattern.globs if rule.pattern else ():
            texts = [text for subject in operations for text in subject.texts.exact]
            if not any(glob.exact.fullmatch(text) for text in texts):
                yield f"The pattern {glob.text} matches no operation.", not glob.text.startswith("*")
        for block in rule.blocks:
            for glob in block.operations.globs if block.operations else ():
                if not any(glob.exact.fullmatch(subject.action.operation) for subject in operations):
                    yield f"There is no operation {glob.text}.", True
            for tag in sorted(block.tags or ()):
                if not any(tag in subject.action.tags for subject in operations):
                    yield f"No operation has the tag {tag}.", True
    if tools:
        for glob in rule.tools.globs if rule.tools else ():
            if not any(glob.exact.fullmatch(subject.action.tool) for subject in subjects):
                yield f"There is no tool {glob.text}.", True


def _shadowed(policy: Policy, rule: Rule, number: int, subjects: Sequence[Subject], reached: set[int]) -> list[str]:
    """The rules that decide first, whatever the circumstances, wherever this block would."""
    block = rule.blocks[number]
    strength = STRONGEST_FIRST.index(block.outcome)
    left, by = set(reached), list[str]()
    for place, other in enumerate(policy.rules):
        for other_block in other.blocks:
            stronger = STRONGEST_FIRST.index(other_block.outcome) < strength
            earlier = other_block.outcome == block.outcome and place < policy.rules.index(rule) and not rule.attaches
            if not (stronger or earlier) or not other.unconditional or other_block.conditions:
                continue
            covered = {at for at in left if _reaches(other, other_block, subjects[at]) is True}
            if covered:
                left -= covered
                by.append(other.name)
    return list(dict.fromkeys(by)) if not left else []


def _impossible(rule: Rule) -> Iterator[str]:
    if rule.when is not None and rule.when.never:
        yield "when is always false."
    for block in rule.blocks or (None,):
        conditions = (*rule.conditions, *(block.conditions if block else ()))
        for one, other in combinations(conditions, 2):
            if text := _contradiction(one, other):
                yield text


def _contradiction(one: Condition, other: Condition) -> str:
    if one.networks is not None and other.networks is not None:
        pairs = ((a, b) for a in one.networks for b in other.networks)
        if not any(a.version == b.version and a.overlaps(b) for a, b in pairs):  # pyright: ignore[reportArgumentType]
            return "No address is in both source_ip networks."
    for key in ("auth_profile", "environment"):
        wanted = [{glob.text for glob in globs.globs} for globs in (getattr(one, key), getattr(other, key)) if globs]
        if len(wanted) == 2 and wanted[0].isdisjoint(wanted[1]) and not any(map(_WILD, wanted[0] | wanted[1])):
            return f"Two conditions want a different {key}."
    if one.window and other.window:
        minutes = (week + timedelta(minutes=at) for week in _SOME_WEEKS for at in range(7 * 24 * 60))
        if not any(one.window.holds(minute) and other.window.holds(minute) for minute in minutes):
            return "The two time windows are never open at the same time."
    return ""
