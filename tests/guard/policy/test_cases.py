from __future__ import annotations

import pytest
from tests.guard.policy.acting import MONDAY_NOON

from knowgate.errors import InputError
from knowgate.guard.policy import Policy
from knowgate.guard.policy.cases import read_cases, run_tests

POLICY = """
rules:
  - {name: reads, pattern: "*", allow: {methods: [GET]}}
  - {name: no-admin, pattern: "*/admin/*", deny: {reason: Administration is left to people.}}
  - {name: nights, conditions: [{type: time_window, start: "22:00", end: "06:00"}], ask: true}
  - {name: deletions, tools: knowgate_delete_*, principals: ci, deny: true}
"""
CASES = """
- name: a read
  request: {operation_id: listUsers, auth_profile: main, env: prod, parameters: {page: 1}}
  url: https://api.example.com/users
  context: {method: GET, tags: [users], source_ip: 10.0.0.1}
  expected: {decision: allow, rule: reads}
- name: administration
  request: {operation_id: listAdmins, auth_profile: main}
  url: https://api.example.com/admin/users
  context: {method: GET}
  expected: {decision: deny, rule: no-admin, reason_contains: left to PEOPLE}
- name: at night
  request: {operation_id: listUsers, auth_profile: main}
  url: https://api.example.com/users
  context: {method: GET, time: "2026-03-02T23:00:00Z"}
  expected: {decision: ask, rule: nights}
- name: a tool
  request: {tool: knowgate_delete_document}
  context: {principal: ci}
  expected: {decision: deny, rule: deletions}
"""


def test_cases_that_are_as_expected() -> None:
    results = run_tests(Policy.from_text(POLICY), read_cases(CASES), MONDAY_NOON)
    assert [(result.name, result.problem) for result in results] == [
        ("a read", ""),
        ("administration", ""),
        ("at night", ""),
        ("a tool", ""),
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("decision: allow, rule: reads", "decision: deny", "decided allow by reads, expected deny"),
        ("rule: no-admin", "rule: reads", "decided by no-admin"),
        ("left to PEOPLE", "payments", "'payments'"),
    ],
)
def test_cases_that_are_not(right: str, wrong: str, says: str) -> None:
    results = run_tests(Policy.from_text(POLICY), read_cases(CASES.replace(right, wrong)), MONDAY_NOON)
    (failed,) = [result for result in results if result.problem]
    assert says in failed.problem
    assert failed.decision.details


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "- name: a\n  request: {}\n  expected:\n    decison: deny",
            ":4: There is no key [1].expected.decison. Did you mean",
        ),
        ("- name: a\n  request: {}\n  expected: {decision: perhaps}", ":3: "),
        ("- name: a\n  request: {}\n  context: {time: '12:00'}\n  expected: {decision: deny}", "with its zone"),
        ("name: a", "list"),
    ],
)
def test_what_is_wrong_with_a_test_file_is_said(text: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        read_cases(text)
    assert says in str(error.value)


def test_a_tool_is_as_risky_as_when_it_is_called() -> None:
    policy = Policy.from_text(
        "version: '1.0'\nrules:\n  - name: risky\n    when: risk > 15\n    tools: ['*']\n    deny: true\n"
    )
    cases = read_cases("- name: a\n  request: {tool: knowgate_search}\n  expected: {decision: allow}\n")
    assert [each.problem for each in run_tests(policy, cases, MONDAY_NOON)] == [""]
