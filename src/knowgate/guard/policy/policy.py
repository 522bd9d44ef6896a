"""The policy: what may be done, by whom, when. Deny wins, whatever the order of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import orjson

from knowgate.guard.policy.action import STRONGEST_FIRST, Action, Audit, AuditLevel, Decision, Limit, Outcome, Redact
from knowgate.guard.policy.form import DefaultsForm
from knowgate.guard.policy.read import Effective, read_file, read_text
from knowgate.guard.policy.rule import Block, Rule, Subject, all_hold, compile_rule, with_head
from knowgate.guard.policy.sure import Sure, both
from knowgate.guard.policy.verbs import READING

_LEVELS: tuple[AuditLevel, ...] = ("none", "basic", "detailed")


@dataclass(frozen=True, slots=True)
class Effect:
    """A rule that speaks of an action, and which of its blocks do."""

    rule: Rule
    blocks: tuple[tuple[Block, Sure], ...]


class Policy:
    """Immutable; compiled once."""

    def __init__(self, effective: Effective) -> None:
        self.rules = tuple(map(compile_rule, effective.rules))
        self.defaults = effective.defaults
        self.files = effective.files
        self.names_documents = any(rule.documents is not None for rule in self.rules)
        self._allowed = with_head(self.defaults.allow_methods)
        self._asked = with_head(self.defaults.ask_methods)
        self._audit = Audit(self.defaults.audit_level)

    @classmethod
    def default(cls) -> Policy:
        """Without a policy file: APIs are read, a person is asked before they are written to, documents are open to
        whoever has the scope."""
        asked = ("POST", "PUT", "PATCH", "DELETE")
        return cls(Effective(DefaultsForm(ask_methods=asked, require_auth=False), ()))

    @classmethod
    def from_text(cls, text: str, name: str = "policy.yaml") -> Policy:
        return cls(read_text(text, name))

    @classmethod
    def load(cls, path: Path) -> Policy:
        return cls(read_file(path))

    @cached_property
    def version(self) -> str:
        """Of what it says: the same for the same defaults and rules, wherever they were read from."""
        said = [self.defaults.model_dump(mode="json"), *(rule.form.model_dump(mode="json") for rule in self.rules)]
        return sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def decide(self, action: Action) -> Decision:
        if refused := self._floor(action):
            return refused
        found: dict[Outcome, tuple[Rule, Block]] = {}
        unsure: dict[Outcome, tuple[Rule, Block]] = {}
        applied: list[Rule] = []
        for effect in self.effects(action):
            for block, sure in effect.blocks:
                (found if sure else unsure).setdefault(block.outcome, (effect.rule, block))
            if effect.rule.attaches:
                applied.append(effect.rule)
        for outcome in STRONGEST_FIRST:
            if outcome in found:
                return self._decision(outcome, *found[outcome], applied, sure=True)
            if outcome in unsure and self._lowers(outcome, found, action):
                return self._decision(outcome, *unsure[outcome], applied, sure=False)
        outcome, reason, hint = self._default(action)
        return Decision(outcome, "default", reason, *self._attached(applied), suggestions=(hint,) if hint else ())

    def offers(self, action: Action) -> bool:
        """Whether a list should show it: whatever arguments come, it is not denied for sure."""
        if self._floor(action):
            return False
        possible = self._default(action)[0] != "deny"
        for effect in self.effects(action, arguments=False):
            for block, sure in effect.blocks:
                if block.outcome == "deny" and sure:
                    return False
                possible = possible or block.outcome != "deny"
        return possible

    def effects(self, action: Action, *, arguments: bool = True) -> Iterator[Effect]:
        """The rules that speak of the action, in order; circumstances are looked at last, because they cost most."""
        subject = Subject(action)
        for rule in self.rules:
            sure = rule.speaks_of(subject)
            if sure is False:
                continue
            blocks = [(block, both(sure, block.match(subject))) for block in rule.blocks]
            blocks = [(block, hit) for block, hit in blocks if hit is not False]
            if (rule.blocks and not blocks) or (holds := rule.holds(action, arguments=arguments)) is False:
                continue
            whole = [(block, both(both(hit, holds), all_hold(block.conditions, action))) for block, hit in blocks]
            whole = [(block, hit) for block, hit in whole if hit is not False]
            if whole or not rule.blocks:
                yield Effect(rule, tuple(whole))

    def _floor(self, action: Action) -> Decision | None:
        """What no rule can give: a scope, and credentials where the policy wants some."""
        if action.scope is not None and not action.principal.has(action.scope):
            reason = f"{action.principal.name} does not have the scope {action.scope}."
            return Decision("deny", "scope", reason, self._audit, suggestions=("Use a key that has it.",))
        if action.kind == "operation" and self.defaults.require_auth and not action.auth_profile:
            hint = "Choose an auth profile, or set defaults.require_auth to false."
            reason = "Authentication required: the call has no auth profile."
            return Decision("deny", "authentication", reason, self._audit, suggestions=(hint,))
        return None

    def _lowers(self, outcome: Outcome, found: dict[Outcome, tuple[Rule, Block]], action: Action) -> bool:
        """Whether this is stricter than what is sure: what is not sure must never be the way to get more."""
        base = next((one for one in STRONGEST_FIRST if one in found), None) or self._default(action)[0]
        return STRONGEST_FIRST.index(outcome) < STRONGEST_FIRST.index(base)

    def _default(self, action: Action) -> tuple[Outcome, str, str]:
        """The outcome, why, and what to do about it."""
        if action.kind == "tool":
            if action.scope is None:
                return "deny", f"There is no tool {action.tool!r}.", "List the tools."
            return "allow", f"Tools are open to whoever has the scope {action.scope}.", ""
        method = action.method.strip().upper()
        add = f"A rule that allows the operation {action.operation!r} would change that."
        if not action.operation:
            return "deny", "Only operations that an API describes can be called.", "List the operations."
        if action.changes and method in READING and method in self._allowed:
            return "ask", f"{method} is allowed by default, but by its name this changes something.", add
        if method in self._allowed:
            return "allow", f"{method} is allowed by default.", ""
        if method in self._asked:
            return "ask", f"A person has to approve {method} by default.", add
        return "deny", f"No rule allows it, and {method or 'its method'} is not allowed by default.", add

    def _decision(self, outcome: Outcome, rule: Rule, block: Block, applied: list[Rule], *, sure: bool) -> Decision:
        reason = block.reason or f"The rule {rule.name!r} says {outcome.replace('_', ' ')}."
        if not sure:
            reason += " Whether the rule applies could not be told for sure."
        audit, redact, limits = self._attached(applied)
        hints: dict[Outcome, str] = {
            "deny": f"`knowgate policy explain` says how the rule {rule.name!r} came to apply.",
            "ask": "A person has to approve this call.",
        }
        hint = hints.get(outcome)
        return Decision(outcome, rule.name, reason, audit, redact, limits, (hint,) if hint else ())

    def _attached(self, applied: list[Rule]) -> tuple[Audit, Redact, tuple[Limit, ...]]:
        if not applied:
            return self._audit, Redact(), ()
        audits = [rule.audit for rule in applied if rule.audit] or [self._audit]
        redacts = [rule.redact for rule in applied if rule.redact]
        return (
            Audit(
                _LEVELS[max(_LEVELS.index(audit.level) for audit in audits)],
                any(audit.include_body for audit in audits),
                any(audit.include_response for audit in audits),
            ),
            Redact(
                tuple(dict.fromkeys(key for redact in redacts for key in redact.keys)),
                tuple(dict.fromkeys(pattern for redact in redacts for pattern in redact.patterns)),
                any(redact.personal for redact in redacts),
            ),
            tuple(rule.limit for rule in applied if rule.limit),
        )
