from __future__ import annotations

from tests.guard.policy.acting import calling, using

from knowgate.guard.policy import Policy
from knowgate.guard.policy.explain import diff, explain

RULES = """
rules:
  - {name: elsewhere, pattern: "other.example/*", deny: true}
  - {name: at-night, conditions: [{type: time_window, start: "22:00", end: "06:00"}], deny: true}
  - {name: large, when: args.amount > 100, ask: true}
  - {name: reads, allow: {methods: [GET]}, deny: {tags: [secret]}}
  - {name: slowly, limit: {per_minute: 1}}
"""


def test_an_explanation_tells_of_every_rule_that_had_a_say() -> None:
    policy = Policy.from_text(RULES)
    decision = explain(policy, calling())
    assert decision.outcome == policy.decide(calling()).outcome == "ask"
    text = "\n".join(decision.details)
    assert "elsewhere" not in text
    assert "at-night: conditions does not hold" in text
    assert "large: when cannot be told for sure" in text
    assert "reads: allow" in text
    assert "reads: deny does not speak of this call" in text
    assert "slowly: adds" in text
    assert decision.details[-1].startswith("→ ask by large: ")
    assert decision.suggestions


def test_a_diff_has_what_changes_and_nothing_else() -> None:
    old, new = Policy.default(), Policy.from_text("rules: [{name: no-users, pattern: '*/users/*', deny: true}]")
    actions = [calling(), calling(url="https://api.example.com/pets"), calling("addUser", "POST"), using()]
    changes = diff(old, new, actions)
    assert [(change.action.operation, change.before.outcome, change.after.outcome) for change in changes] == [
        ("getUser", "allow", "deny"),
        ("addUser", "ask", "deny"),
    ]
    assert diff(old, old, actions) == []
