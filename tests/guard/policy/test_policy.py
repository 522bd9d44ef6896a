from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling, decided, using

from knowgate.guard.policy import Action, Policy
from knowgate.guard.policy.action import STRONGEST_FIRST
from knowgate.model import Principal

READER = Principal("k1", "reader", frozenset({"read"}))


RULES = st.fixed_dictionaries(
    {"outcome": st.sampled_from(STRONGEST_FIRST), "pattern": st.sampled_from(["*", "*/users/*", "/admin*", "get*"])},
    optional={
        "methods": st.sampled_from(["[GET]", "[POST]", "[GET, DELETE]"]),
        "when": st.sampled_from(["args.n > 1", "risk > 50", "args.missing == 1", "env == 'prod'"]),
    },
)
ACTIONS = st.builds(
    calling,
    st.sampled_from(["getUser", "deleteUser"]),
    st.sampled_from(["GET", "HEAD", "POST", "DELETE", ""]),
    url=st.sampled_from(["https://a.example/users/1", "https://a.example/admin", "https://a.example/ADMIN/x"]),
    arguments=st.sampled_from([{}, {"n": 2}, {"n": "two"}]),
    risk=st.sampled_from([10, 90]),
    environment=st.sampled_from(["", "prod"]),
)


def written(rules: list[dict[str, str]]) -> str:
    lines = ["rules:"] if rules else []
    for number, rule in enumerate(rules):
        lines.append(f"  - name: r{number}\n    pattern: '{rule['pattern']}'")
        lines.append(
            f"    {rule['outcome']}: {{{'methods: ' + rule['methods'] if 'methods' in rule else 'all: true'}}}"
        )
        lines += [f'    when: "{rule["when"]}"'] if "when" in rule else []
    return "\n".join(["version: '1.0'", *lines])


def test_fault_1_a_deny_wins_wherever_it_stands() -> None:
    allow = "  - {name: reads, pattern: '*', allow: {methods: [GET], operations: ['list*']}}\n"
    deny = "  - {name: no-admin, pattern: '*/admin/*', deny: {reason: Left to people}}\n"
    action = calling("listAdmins", url="https://api.example.com/admin/users")
    for order in (allow + deny, deny + allow):
        decision = decided("rules:\n" + order, action)
        assert (decision.outcome, decision.rule, decision.reason) == ("deny", "no-admin", "Left to people")


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("github.com/*", "https://github.com/repos"),
        ("github.com/*", "https://GitHub.com:443/repos"),
        ("api.github.com", "https://api.github.com/user/repos"),
        ("/repos/*", "https://api.github.com/repos/a/b"),
        ("https://api.github.com/*", "https://api.github.com/x"),
        ("getUs*", "https://api.github.com/x"),
        ("*.internal.company.com/*", "https://hr.internal.company.com/people"),
        ("*/users", "https://api.github.com/v1/users/"),
        ("*/users", "https://api.github.com/v1/users?page=2"),
        ("*/~ann", "https://api.github.com/%7Eann"),
    ],
)
def test_fault_3_a_pattern_matches_host_path_operation_and_address(pattern: str, url: str) -> None:
    rules = f"defaults: {{allow_methods: []}}\nrules: [{{name: r, pattern: '{pattern}', allow: true}}]"
    assert decided(rules, calling(url=url)).outcome == "allow"


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("*.company.com/*", "https://evil.example/x.company.com/y"),
        ("github.com/*", "https://evil.example/github.com/x"),
        ("github.com/*", "https://github.com@evil.example/x"),
        ("github.com/*", "https://github.com.evil.example/x"),
        ("*/public/*", "https://api.example.com/private?next=/public/x"),
        ("*/public/*", "https://api.example.com/files/a%2Fpublic%2Fb"),
        ("*/public/*", "https://api.example.com/public/../private"),
        ("*/public/*", "https://api.example.com/public/%2e%2e/private"),
        ("*/public/*", "https://api.example.com/PUBLIC/x"),
        ("*/public/*", "https://api.example.com\\public\\x"),
    ],
)
def test_an_address_cannot_be_made_to_look_allowed(pattern: str, url: str) -> None:
    rules = f"defaults: {{allow_methods: []}}\nrules: [{{name: r, pattern: '{pattern}', allow: true}}]"
    assert decided(rules, calling(url=url)).outcome == "deny"


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/admin/users",
        "https://API.example.com/Admin/users/",
        "https://api.example.com/ADMIN/",
        "https://api.example.com/admin",
        "https://api.example.com//admin//users",
        "https://api.example.com/x/../admin/users",
        "https://api.example.com/%61dmin/users",
        "https://api.example.com/%2561dmin/users",
        "https://api.example.com/admin%2Fusers",
        "https://api.example.com/admin;v=1/users",
        "https://api.example.com\\admin\\users",
        "https://[broken/admin/users",
    ],
)
def test_threat_18_no_spelling_gets_around_a_deny(url: str) -> None:
    rules = "rules: [{name: no-admin, pattern: '*/admin/*', deny: true}, {name: all, allow: true}]"
    assert decided(rules, calling(url=url)).rule == "no-admin"


@pytest.mark.parametrize(
    ("rule", "action"),
    [
        ("methods: [GET]", calling(method="HEAD")),
        ("methods: [DELETE]", calling(method=" delete ")),
        ("operations: ['delete*']", calling("DeleteUser", "DELETE")),
        ("tags: [admin]", calling(tags=("Admin",))),
        ("methods: [delete]", calling(method="")),
    ],
)
def test_threat_18_nor_a_method_a_case_or_what_is_unknown(rule: str, action: Action) -> None:
    assert decided(f"rules: [{{name: no, deny: {{{rule}}}}}, {{name: all, allow: true}}]", action).rule == "no"


def test_fault_2_an_unknown_method_is_not_allowed() -> None:
    rules = "rules: [{name: reads, allow: {methods: [GET, POST]}}]"
    assert decided(rules, calling(method="")).outcome == "deny"
    assert decided(rules, calling(method="BREW")).outcome == "deny"


def test_fault_5_default_methods_allow() -> None:
    rules = "defaults: {allow_methods: [GET, POST]}"
    outcomes = {method: decided(rules, calling(method=method)).outcome for method in ("GET", "HEAD", "POST", "PUT")}
    assert outcomes == {"GET": "allow", "HEAD": "allow", "POST": "allow", "PUT": "deny"}


def test_fault_5_external_references_and_authentication_are_said() -> None:
    assert Policy.from_text("version: '1.0'").defaults.deny_external_refs
    assert not Policy.from_text("defaults: {deny_external_refs: false}").defaults.deny_external_refs
    decision = decided("rules: [{name: all, allow: true}]", calling(auth_profile=""))
    assert (decision.outcome, decision.rule) == ("deny", "authentication")
    assert decided("defaults: {require_auth: false}", calling(auth_profile="")).outcome == "allow"


def test_without_a_file() -> None:
    policy = Policy.default()
    for method, outcome in {
        "GET": "allow",
        "HEAD": "allow",
        "POST": "ask",
        "DELETE": "ask",
        "TRACE": "deny",
        "": "deny",
    }.items():
        assert policy.decide(calling(method=method, auth_profile="")).outcome == outcome, method
    assert policy.decide(calling("", "GET")).outcome == "deny"
    assert policy.decide(using("knowgate_ingest", scope="write")).outcome == "allow"
    assert policy.decide(using("knowgate_nonsense", scope=None)).outcome == "deny"


def test_a_key_is_held_to_its_scopes_whatever_the_rules_say() -> None:
    rules = "rules: [{name: all, allow: true}]"
    assert decided(rules, using(principal=READER)).outcome == "allow"
    for action in (using("knowgate_ingest", scope="write", principal=READER), calling(principal=READER)):
        decision = decided(rules, action)
        assert (decision.outcome, decision.rule) == ("deny", "scope")


def test_rules_speak_of_tools_principals_documents_and_fields() -> None:
    rules = """
rules:
  - {name: deletions, tools: knowgate_delete_*, deny: true}
  - {name: hr, documents: 'hr/*', principals: [ci-*, reader], deny: true}
  - {name: pay, fields: [salary], ask: true}
"""
    assert decided(rules, using("knowgate_delete_document")).rule == "deletions"
    assert decided(rules, using(documents=("a.md", "hr/pay.md"), principal=READER)).rule == "hr"
    assert decided(rules, using(documents=("hr/pay.md",))).outcome == "allow"
    assert decided(rules, using(documents=("a.md",), principal=READER)).outcome == "allow"
    assert decided(rules, calling(fields=("name", "salary"))).outcome == "ask"


def test_some_documents_of_several_are_not_allowed_for_all() -> None:
    rules = "defaults: {allow_methods: []}\nrules: [{name: open, documents: 'open/*', allow: true}]"
    assert decided(rules, calling(documents=("open/a",))).outcome == "allow"
    assert decided(rules, calling(documents=("open/a", "closed/b"))).outcome == "deny"
    assert decided(rules, calling()).outcome == "deny"


def test_a_rule_with_a_pattern_is_about_operations() -> None:
    assert decided("rules: [{name: apis, pattern: '*', deny: true}]", using()).outcome == "allow"
    assert decided("rules: [{name: everything, deny: true}]", using()).outcome == "deny"


def test_deny_then_ask_then_dry_run_then_allow() -> None:
    given = {outcome: f"  - {{name: {outcome}, {outcome}: true}}\n" for outcome in STRONGEST_FIRST}
    for place, outcome in enumerate(STRONGEST_FIRST):
        weaker = "".join(given[one] for one in reversed(STRONGEST_FIRST[place:]))
        assert decided("rules:\n" + weaker, calling()).outcome == outcome


def test_require_human_asks_instead_of_allowing() -> None:
    assert decided("rules: [{name: a, require_human: true, allow: true}]", calling()).outcome == "ask"
    assert decided("rules: [{name: a, allow: {methods: [GET], require_human: true}}]", calling()).outcome == "ask"


def test_an_empty_list_is_nothing_and_a_missing_one_is_anything() -> None:
    rules = "defaults: {allow_methods: []}\nrules: [{name: a, allow: {%s}}]"
    assert decided(rules % "operations: []", calling()).outcome == "deny"
    assert decided(rules % "all: false", calling()).outcome == "deny"
    assert decided(rules % "methods: [GET]", calling()).outcome == "allow"


def test_a_list_shows_what_some_arguments_would_allow() -> None:
    rules = """
defaults: {allow_methods: [GET]}
rules:
  - {name: small, when: args.amount < 100, allow: {operations: [pay]}}
  - {name: not-there, when: args.path == "x", deny: {operations: [getFile]}}
  - {name: papers, documents: "open/*", tools: knowgate_delete_*, deny: true}
  - {name: no-users, deny: {operations: [getUser]}}
  - {name: others, principals: reader, deny: true}
"""
    policy = Policy.from_text(rules)
    assert policy.offers(calling("pay", "POST"))
    assert policy.offers(calling("getFile"))
    assert policy.offers(using("knowgate_delete_document", scope="write"))
    assert not policy.offers(calling("getUser"))
    assert not policy.offers(calling("post", "POST"))
    assert not policy.offers(using(principal=READER))
    assert not policy.offers(using("knowgate_ingest", scope="write", principal=READER))
    assert not policy.offers(calling("pay", "POST", auth_profile=""))


@given(st.lists(RULES, max_size=4), ACTIONS)
def test_what_is_not_denied_is_offered(rules: list[dict[str, str]], action: Action) -> None:
    policy = Policy.from_text(written(rules))
    assert policy.offers(action) or policy.decide(action).outcome == "deny"


def test_what_rules_add_comes_together() -> None:
    rules = """
rules:
  - {name: a, pattern: '*', redact: {keys: [email, phone]}, limit: {rate: 5/second, per_minute: 60, cost: 2}}
  - {name: b, allow: {methods: [GET]}, redact: {keys: email, personal: true}, audit: {level: detailed}}
  - {name: c, allow: {methods: [POST]}, limit: {per_day: 1}}
"""
    decision = decided(rules, calling())
    assert (decision.outcome, decision.rule) == ("allow", "b")
    assert decision.redact.keys == ("email", "phone") and decision.redact.personal
    assert [(limit.rule, limit.rates, limit.cost) for limit in decision.limits] == [("a", ("5/second", "60/minute"), 2)]
    assert decision.audit.level == "detailed"


def test_the_version_is_of_what_a_policy_says(tmp_path: Path) -> None:
    one = Policy.from_text("# a comment\nrules: [{name: a, deny: true}]")
    (tmp_path / "policy.yaml").write_text("rules:\n- name: a\n  deny: {all: true}\n", encoding="utf-8")
    assert Policy.load(tmp_path / "policy.yaml").version == one.version
    others = ["rules: [{name: a, ask: true}]", "defaults: {require_auth: false}\nrules: [{name: a, deny: true}]"]
    assert len({one.version, Policy.default().version, *(Policy.from_text(text).version for text in others)}) == 4


@given(st.lists(RULES, max_size=4), RULES, ACTIONS, st.integers(0, 4))
def test_one_more_deny_never_allows_more(
    rules: list[dict[str, str]], more: dict[str, str], action: Action, at: int
) -> None:
    before = decided(written(rules), action)
    after = decided(written([*rules[:at], {**more, "outcome": "deny"}, *rules[at:]]), action)
    assert STRONGEST_FIRST.index(after.outcome) <= STRONGEST_FIRST.index(before.outcome)


@given(st.lists(RULES, max_size=4).flatmap(lambda rules: st.tuples(st.just(rules), st.permutations(rules))), ACTIONS)
def test_the_order_of_rules_does_not_matter(
    orders: tuple[list[dict[str, str]], list[dict[str, str]]], action: Action
) -> None:
    one, other = (decided(written(rules), action) for rules in orders)
    assert one.outcome == other.outcome


@given(RULES, ACTIONS)
def test_a_condition_that_cannot_be_told_never_gives_more(rule: dict[str, str], action: Action) -> None:
    without = decided(written([]), action)
    decision = decided(written([{**rule, "when": "args.not_there == 1"}]), action)
    assert STRONGEST_FIRST.index(decision.outcome) <= STRONGEST_FIRST.index(without.outcome)
