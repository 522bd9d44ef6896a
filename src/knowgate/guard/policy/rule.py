"""A rule, compiled: what it speaks of, under which circumstances, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_network

from knowgate.guard.policy.action import Action, Audit, Limit, Outcome, Redact
from knowgate.guard.policy.conditions import DAYS, Condition, Window, zone
from knowgate.guard.policy.form import BlockForm, ConditionForm, LimitForm, RuleForm, WindowForm
from knowgate.guard.policy.globs import Globs, Texts
from knowgate.guard.policy.sure import Sure, both
from knowgate.guard.policy.target import spellings
from knowgate.guard.policy.when import When

_OF_ARGUMENTS = ("documents", "fields", "when")


class Subject:
    """An action as rules look at it; what is dear is worked out once, when a rule asks for it."""

    def __init__(self, action: Action) -> None:
        self.action = action
        self.method = action.method.strip().upper()
        self.is_operation = action.kind == "operation"

    @cached_property
    def texts(self) -> Texts:
        found = spellings(self.action.url)
        return Texts((*found.exact, self.action.operation), found.loose)


@dataclass(frozen=True, slots=True)
class Block:
    """What follows for some of the actions that a rule speaks of."""

    outcome: Outcome
    reason: str
    never: bool
    operations: Globs | None
    methods: frozenset[str] | None
    tags: frozenset[str] | None
    conditions: tuple[Condition, ...]

    def match(self, subject: Subject) -> Sure:
        if self.never:
            return False
        sure: Sure = True
        if self.operations is not None or self.methods is not None or self.tags is not None:
            if not subject.is_operation:
                return False
            if self.methods is not None and subject.method not in self.methods:
                if subject.method:
                    return False
                sure = None
            if self.operations is not None:
                sure = both(sure, self.operations.match(subject.action.operation))
            if self.tags is not None and sure is not False:
                sure = both(sure, _tagged(self.tags, subject.action.tags))
        return sure


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    form: RuleForm
    blocks: tuple[Block, ...]
    pattern: Globs | None
    tools: Globs | None
    principals: Globs | None
    documents: Globs | None
    fields: Globs | None
    conditions: tuple[Condition, ...]
    when: When | None
    redact: Redact | None
    limit: Limit | None
    audit: Audit | None
    unconditional: bool
    """Nothing but the operation or the tool itself decides whether it applies."""

    @property
    def attaches(self) -> bool:
        return not (self.redact is self.limit is self.audit is None)

    def speaks_of(self, subject: Subject) -> Sure:
        sure: Sure = True
        if self.tools is not None:
            sure = self.tools.match(subject.action.tool) if subject.action.tool else False
        if self.pattern is not None and sure is not False:
            if not subject.is_operation:
                return False
            sure = both(sure, self.pattern.match_any(subject.texts))
        return sure

    def circumstances(self, action: Action) -> Mapping[str, Callable[[], Sure]]:
        """What else must hold, by the name of its key; the cheapest first."""
        checks: dict[str, Callable[[], Sure]] = {}
        principals, documents, fields, when = self.principals, self.documents, self.fields, self.when
        if principals is not None:
            checks["principals"] = lambda: principals.match(action.principal.id, action.principal.name)
        if documents is not None:
            checks["documents"] = lambda: documents.every(action.documents)
        if fields is not None:
            checks["fields"] = lambda: fields.every(action.fields)
        if self.conditions:
            checks["conditions"] = lambda: all_hold(self.conditions, action)
        if when is not None:
            checks["when"] = lambda: when.holds(action)
        return checks

    def holds(self, action: Action, *, arguments: bool = True) -> Sure:
        """Whether all else holds, too; without arguments, what hangs on them cannot be told."""
        if self.unconditional:
            return True
        sure: Sure = True
        for name, check in self.circumstances(action).items():
            sure = both(sure, check() if arguments or name not in _OF_ARGUMENTS else None)
            if sure is False:
                break
        return sure


def all_hold(conditions: tuple[Condition, ...], action: Action) -> Sure:
    sure: Sure = True
    for condition in conditions:
        sure = both(sure, condition.holds(action))
    return sure


def _tagged(wanted: frozenset[str], tags: tuple[str, ...]) -> Sure:
    if not wanted.isdisjoint(tags):
        return True
    return None if {tag.casefold() for tag in wanted} & {tag.casefold() for tag in tags} else False


def compile_rule(form: RuleForm) -> Rule:
    given: dict[Outcome, BlockForm | None] = {
        "deny": form.deny,
        "ask": form.ask,
        "dry_run": form.dry_run,
        "allow": form.allow,
    }
    blocks = tuple(_block(form, outcome, block) for outcome, block in given.items() if block is not None)
    limit, audit = form.limit, form.audit
    conditions = tuple(map(_condition, form.conditions))
    circumstances = (form.principals, form.documents, form.fields, form.when)
    return Rule(
        name=form.name,
        form=form,
        blocks=blocks,
        pattern=_globs(form.pattern, urls=True),
        tools=_globs(form.tools),
        principals=_globs(form.principals),
        documents=_globs(form.documents),
        fields=_globs(form.fields),
        conditions=conditions,
        when=When(form.when) if form.when is not None else None,
        redact=Redact(form.redact.keys, form.redact.patterns, form.redact.personal) if form.redact else None,
        limit=_limit(form.name, limit) if limit else None,
        audit=Audit(audit.level, audit.include_body, audit.include_response) if audit else None,
        unconditional=not conditions and all(part is None for part in circumstances),
    )


def _block(form: RuleForm, outcome: Outcome, block: BlockForm) -> Block:
    selects = (block.operations, block.methods, block.tags)
    human = outcome in ("allow", "dry_run") and (form.require_human or block.require_human)
    return Block(
        outcome="ask" if human else outcome,
        reason=block.reason or form.explain or form.description,
        never=block.all is False and all(part is None for part in selects),
        operations=_globs(block.operations),
        methods=with_head(block.methods) if block.methods is not None else None,
        tags=frozenset(block.tags) if block.tags is not None else None,
        conditions=tuple(map(_condition, block.conditions)),
    )


def with_head(methods: tuple[str, ...]) -> frozenset[str]:
    """Who speaks of GET speaks of HEAD: it reads the same."""
    return frozenset((*methods, "HEAD") if "GET" in methods else methods)


def _globs(patterns: tuple[str, ...] | None, *, urls: bool = False) -> Globs | None:
    return Globs(patterns, urls=urls) if patterns is not None else None


def _condition(form: ConditionForm) -> Condition:
    return Condition(
        _globs(form.auth_profile),
        _globs(form.environment),
        tuple(map(ip_network, form.source_ip)) if form.source_ip is not None else None,
        _window(form.time_window) if form.time_window else None,
    )


def _window(form: WindowForm) -> Window:
    return Window(form.start, form.end, frozenset(map(DAYS.index, form.days)), zone(form.timezone))


def _limit(name: str, form: LimitForm) -> Limit:
    counts = {"minute": form.per_minute, "hour": form.per_hour, "day": form.per_day}
    rates = tuple(f"{count}/{unit}" for unit, count in counts.items() if count is not None)
    return Limit(name, (*form.rate, *rates), form.concurrency, form.cost, form.daily_cost)
