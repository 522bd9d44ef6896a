from __future__ import annotations

import pytest

from knowgate.guard.policy import Policy
from knowgate.guard.policy.check import Entry, as_action, check
from knowgate.guard.policy.starter import STARTER

SERVER = "https://api.example.com/v1"
ENTRIES = [
    Entry("listUsers", "users", "GET", "/users", ("users",), SERVER),
    Entry("getUser", "users", "GET", "/users/{id}", ("users",), SERVER),
    Entry("deleteUser", "users", "DELETE", "/users/{id}", ("users", "writes"), SERVER),
    Entry("adminStats", "users", "GET", "/admin/stats", (), SERVER),
]
TOOLS = ["knowgate_search", "knowgate_delete_document"]


def found(rules: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.rule) for finding in check(Policy.from_text(rules), ENTRIES, TOOLS)]


def test_an_operation_becomes_a_call() -> None:
    assert as_action(ENTRIES[1]).url == "https://api.example.com/v1/users/0"


def test_nothing_to_find() -> None:
    assert check(Policy.from_text(STARTER.replace(', "openrag_delete_*"', "")), ENTRIES, TOOLS) == []
    assert (
        found("rules: [{name: a, allow: {operations: ['get*'], tags: [users]}}, {name: b, deny: {tags: [writes]}}]")
        == []
    )


@pytest.mark.parametrize(
    "rule",
    [
        "pattern: 'http://api.example.com/*', allow: true",
        "pattern: '/users/{id}', allow: true",
        "pattern: ['*/users', '*/pets'], allow: true",
        "allow: {operations: [getPet]}",
        "allow: {tags: [pets]}",
        "allow: {operations: ['list*'], methods: [DELETE]}",
        "tools: knowgate_remove_*, deny: true",
        "tools: knowgate_search, allow: {methods: [GET]}",
        "allow: {operations: []}",
    ],
)
def test_fault_3_what_matches_nothing(rule: str) -> None:
    assert found(f"rules: [{{name: r, {rule}}}]") == [("matches_nothing", "r")]


@pytest.mark.parametrize(
    ("rules", "unreachable"),
    [
        ("{name: r, allow: {tags: [users]}}, {name: no, deny: true}", ["r"]),
        ("{name: r, allow: {methods: [DELETE]}}, {name: no, pattern: '*/users*', deny: true}", ["r"]),
        ("{name: r, allow: {methods: [DELETE]}}, {name: a, ask: {tags: [users]}}", ["r"]),
        ("{name: first, allow: {methods: [GET]}}, {name: r, allow: {operations: [getUser]}}", ["r"]),
        ("{name: r, allow: true}, {name: no, deny: {methods: [GET]}}", []),
        ("{name: r, allow: {tags: [users]}}, {name: no, when: risk > 3, deny: true}", []),
        ("{name: r, allow: {tags: [users]}}, {name: no, deny: {conditions: [{environment: x}]}}", []),
        ("{name: first, allow: true}, {name: r, allow: {operations: [getUser]}, audit: {level: detailed}}", []),
    ],
)
def test_fault_1_what_can_never_matter(rules: str, unreachable: list[str]) -> None:
    assert [rule for code, rule in found(f"rules: [{rules}]") if code == "unreachable"] == unreachable


@pytest.mark.parametrize(
    "rule",
    [
        "when: 1 > 2",
        "conditions: [{environment: prod}, {environment: test}]",
        "conditions: [{auth_profile: a}, {auth_profile: [b, c]}]",
        "conditions: [{source_ip: 10.0.0.0/8}, {source_ip: [192.168.0.0/16, 'fd00::/8']}]",
        "conditions: [{time_window: business_hours}, {time_window: {start: 9:00, end: 17:00, days: [sat, sun]}}]",
    ],
)
def test_conditions_that_never_hold(rule: str) -> None:
    assert found(f"rules: [{{name: r, {rule}, deny: true}}]") == [("never_holds", "r")]


@pytest.mark.parametrize(
    "conditions",
    [
        "[{environment: prod}, {environment: p*}]",
        "[{source_ip: 10.0.0.0/8}, {source_ip: 10.1.0.0/16}]",
        "[{time_window: business_hours}, {time_window: {start: 17:00, end: 18:00, timezone: Asia/Tokyo}}]",
    ],
)
def test_conditions_that_may_hold(conditions: str) -> None:
    hours = conditions.replace("17:00, end: 18:00", "18:00, end: 19:00")
    assert found(f"rules: [{{name: r, conditions: {hours}, deny: true}}]") == []


def test_a_rule_that_says_nothing() -> None:
    assert found("rules: [{name: r, pattern: '*'}]") == [("says_nothing", "r")]
