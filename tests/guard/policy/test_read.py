from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling, decided, using

from knowgate.errors import InputError
from knowgate.guard.policy import Policy
from knowgate.guard.policy.starter import STARTER


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as error:
        Policy.from_text(text)
    return error.value


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "policy.yaml"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("rules:\n  - name: a\n    deny:\n      resaon: x", 4, "Did you mean reason?"),
        ("# resaon: here\nrules:\n  - name: resaon\n    deny: {\n      resaon: x}", 5, "Did you mean reason?"),
        ("rules:\n- name: a\n  deny: {reason: x}\n- name: b\n  reason: x\n  deny: true", 5, "There are"),
        ("rules:\n  - name: a\n    ' resaon ': |\n      resaon: y\n", 3, "no key"),
        ("default:\n  require_auth: true", 1, "Did you mean defaults?"),
        ("metadata:\n  autor: me", 2, "Did you mean author?"),
        ("templates:\n  t:\n    alow: true", 3, "Did you mean allow?"),
        ("rules:\n  - name: a\n    <<: {allow: true}", 3, "no key"),
    ],
)
def test_fault_4_unknown_keys_are_refused_with_their_line(text: str, line: int, says: str) -> None:
    error = refused(text)
    assert error.code == "policy_unknown_key"
    assert f"policy.yaml:{line}: " in error.message
    assert says in str(error)


def test_fault_4_the_reason_of_a_deny_is_given() -> None:
    assert decided("rules: [{name: a, deny: {reason: Because.}}]", calling()).reason == "Because."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("rules:\n  - name: a\n    principals:\n    allow: true", 3),
        ("rules:\n  - name: a\n    deny:\n", 3),
        ("rules:\n  - name: a\n    pattern: ''\n    allow: true", 3),
        ("rules:\n  - name: a\n    pattern: '[z-a]'\n    allow: true", 3),
        ("rules:\n  - name: a\n    deny: {methods: [DELTE]}", 3),
        ("rules:\n  - name: a\n    allow: yes", 3),
        ("rules:\n  - name: a\n    allow: {all: true, methods: [GET]}", 3),
        ("rules:\n  - name: 1.0\n    allow: true", 2),
        ("rules:\n  - allow: true", 1),
        ("rules:\n  - name: a\n    when: args.n >\n    allow: true", 3),
        ("rules:\n  - name: a\n    conditions: [{source_ip: 10.0.0.0/33}]\n    allow: true", 3),
        ("rules:\n  - name: a\n    conditions:\n      - {}\n    allow: true", 3),
        ("rules:\n  - name: a\n    conditions:\n      - type: moon\n    allow: true", 3),
        ("rules:\n  - name: a\n    conditions:\n      - type: time_window\n        start: 9:00\n        end: 25:00", 6),
        ("rules:\n  - name: a\n    conditions:\n      - time_window: {start: 9:00, end: 9:00}", 4),
        ("rules:\n  - name: a\n    conditions:\n      - time_window: lunch", 4),
        ("rules:\n  - name: a\n    conditions:\n      - time_window: weekdays\n        timezone: Mars/Base", 4),
        ("rules:\n  - name: a\n    limit: {rate: often}", 3),
        ("rules:\n  - name: a\n    limit: {per_minute: 0}", 3),
        ("rules:\n  - name: a\n    limit: {cost: .nan}", 3),
        ("rules:\n  - name: a\n    redact: {patterns: '(a'}", 3),
        ("defaults:\n  audit_level: loud", 2),
        ("version: 2", 1),
    ],
)
def test_values_that_could_mean_something_else_are_refused(text: str, line: int) -> None:
    error = refused(text)
    assert error.code == "policy_bad_value"
    assert f"policy.yaml:{line}: " in error.message


def test_all_mistakes_are_told_at_once() -> None:
    message = refused(
        "metadata: {autor: me}\nrules:\n  - name: a\n    alow: true\n    deny: {methods: [DELTE]}"
    ).message
    assert all(f"policy.yaml:{line}: " in message for line in (1, 4, 5))


@pytest.mark.parametrize(
    "text", ["a: [1", "a: 1\na: 2", "\ta: 1", "---\na: 1\n---\nb: 2", "&a [*a]", "[" * 200, "? [1]\n: x"]
)
def test_what_is_not_yaml(text: str) -> None:
    assert refused(text).code == "policy_syntax"


@pytest.mark.parametrize("text", ["", "- 1", "text", "1: x", "true: x\n1: y"])
def test_yaml_that_is_no_policy(text: str) -> None:
    assert refused(text).code == "policy_bad_value"


def test_words_of_yaml_1_1_stay_words() -> None:
    rules = (
        "defaults: {allow_methods: []}\nrules: [{name: on, conditions: [{environment: no}], allow: {tags: [yes, off]}}]"
    )
    assert decided(rules, calling(environment="no", tags=("off",))).rule == "on"


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        Policy.from_text(text)
    except InputError as error:
        assert error.code.startswith("policy_") and error.fix


def test_templates() -> None:
    text = """
templates:
  readonly: {allow: {methods: [GET]}, deny: {methods: [POST]}}
rules:
  - {name: public, pattern: "api.public.com/*", use_template: readonly, explain: Only reading.}
"""
    decision = decided(text, calling(method="POST", url="https://api.public.com/x"))
    assert (decision.outcome, decision.rule, decision.reason) == ("deny", "public", "Only reading.")
    assert decided(text, calling(method="POST")).rule == "default"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("templates: {t: {deny: true}}\nrules: [{name: a, use_template: u}]", "policy_unknown_template"),
        ("templates: {t: {deny: true}}\nrules: [{name: a, use_template: t, deny: {tags: [x]}}]", "policy_conflict"),
        ("rules: [{name: a, deny: true}, {name: a, allow: true}]", "policy_duplicate"),
        ("rules: [{name: default, allow: true}]", "policy_duplicate"),
        ("includes: [x.yaml]", "policy_include"),
    ],
)
def test_what_would_be_ambiguous(text: str, code: str) -> None:
    assert refused(text).code == code


def test_includes(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        policy="includes: [team.yaml, more/a.yaml]\nrules: [{name: main, use_template: t, pattern: '/x'}]",
        team="includes: [more/a.yaml]\nrules: [{name: team, tools: 'x*', deny: true}]",
        more__a="\ufefftemplates: {t: {deny: true}}\r\nrules: [{name: a, deny: {tags: [a]}}]",
    )
    policy = Policy.load(path)
    assert [rule.name for rule in policy.rules] == ["a", "team", "main"]
    assert policy.decide(using("xyz")).rule == "team"
    assert policy.decide(calling(url="https://h/x")).rule == "main"


@pytest.mark.parametrize(
    "include", ["../outside.yaml", "more/../../outside.yaml", "link.yaml", "ABSOLUTE", "missing.yaml"]
)
def test_includes_stay_below_the_folder(tmp_path: Path, include: str) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text("rules: []", encoding="utf-8")
    folder = tmp_path / "policies"
    folder.mkdir()
    if include == "link.yaml":
        try:
            (folder / "link.yaml").symlink_to(outside)
        except OSError:
            pytest.skip("symbolic links are not allowed here")
    path = written(folder, policy=f"includes: ['{str(outside) if include == 'ABSOLUTE' else include}']")
    with pytest.raises(InputError) as error:
        Policy.load(path)
    assert error.value.code == ("policy_unreadable" if include == "missing.yaml" else "policy_include")


def test_includes_in_a_circle(tmp_path: Path) -> None:
    path = written(tmp_path, policy="includes: [a.yaml]", a="includes: [b.yaml]", b="\nincludes: [a.yaml]")
    with pytest.raises(InputError) as error:
        Policy.load(path)
    assert error.value.code == "policy_include"
    assert "b.yaml:2: " in error.value.message


def test_an_included_file_cannot_loosen_the_defaults(tmp_path: Path) -> None:
    path = written(tmp_path, policy="includes: [a.yaml]", a="defaults: {allow_methods: [DELETE]}")
    with pytest.raises(InputError) as error:
        Policy.load(path)
    assert error.value.code == "policy_include"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError) as error:
        Policy.load(tmp_path / "policy.yaml")
    assert error.value.code == "policy_not_utf8"


def test_the_starting_file() -> None:
    policy = Policy.from_text(STARTER)
    assert policy.decide(calling(auth_profile="")).outcome == "allow"
    assert policy.decide(calling("createUser", "POST")).outcome == "ask"
    assert policy.decide(calling("deleteAll", "DELETE", risk=100)).rule == "too-risky"
    assert policy.decide(calling(url="https://h/admin/x")).rule == "no-admin"
    assert policy.decide(using("knowgate_delete_document", scope="write")).outcome == "ask"


def test_the_commented_part_of_the_starting_file() -> None:
    lines = [line[1:] if line.startswith("#  ") else line for line in STARTER.splitlines()]
    assert Policy.from_text("\n".join(lines)).rules[-1].name == "everything"
