from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling, decided

from knowgate.guard.policy.when import When


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("args.n > 3 && args.tags.exists(tag, tag == 'x')", True),
        ("args.n > 3 && 'admin' in principal.scopes", True),
        ("time.getHours() == 12 && time.getFullYear() == 2026", True),
        ("time > timestamp('2030-01-01T00:00:00Z')", False),
        ("env == 'prod' || address.startsWith('10.')", True),
        ("risk > 70", False),
        ("has(args.missing) && args.missing == 1", False),
        ("args.missing == 1", None),
        ("args.n > 'text'", None),
        ("args.n / 0 == 1", None),
        ("args.n", None),
        ("args.n.matches('(')", None),
    ],
)
def test_conditions_over_what_is_known(source: str, holds: bool | None) -> None:
    action = calling(arguments={"n": 4, "tags": ["x"]}, address="10.1.2.3", risk=20)
    assert When(source).holds(action) is holds


@pytest.mark.parametrize("arguments", [{}, {"amount": "much"}, {"amount": None}, {"amount": [1]}])
def test_what_cannot_be_told_holds_for_deny_and_not_for_allow(arguments: dict[str, object]) -> None:
    action = calling("pay", "POST", arguments=arguments)
    allow = "rules: [{name: small, when: args.amount < 100, allow: true}]"
    deny = "rules: [{name: large, when: args.amount >= 100, deny: true}, {name: all, allow: true}]"
    ask = "rules: [{name: large, when: args.amount >= 100, ask: true}%s]"
    assert decided(allow, action).outcome == "deny"
    assert decided(deny, action).rule == "large"
    assert decided(ask % "", action).outcome == "deny"
    assert decided(ask % ", {name: all, allow: true}", action).outcome == "ask"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("args.n >", "line 1, column 9"),
        ("risks > 3", "did you mean risk?"),
        ("nothing", "there are args, principal"),
        ("args.s.lower() == 'x'", "no function lower"),
        ("args.s.startswith('x')", "did you mean startsWith?"),
        ("1 + 1", "no condition"),
        ("'x' in ", "not CEL"),
        ("", "not CEL"),
        ("(" * 300, "not CEL"),
        ("true || " * 600 + "true", "longer"),
    ],
)
def test_what_is_wrong_is_said_when_it_is_read(source: str, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        When(source)
    assert says in str(error.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["n", "m"]) | st.text(), VALUES, max_size=4))
def test_no_arguments_break_a_condition(arguments: dict[str, object]) -> None:
    action = calling(arguments=arguments)
    for source in ("args.n > 3", "args.n == args.m", "args.n.size() > 1", "args.exists(k, args[k] == null)"):
        assert When(source).holds(action) in (True, False, None)
