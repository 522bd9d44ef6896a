from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling

from knowgate.guard.policy import Policy
from knowgate.guard.policy.action import Outcome
from knowgate.guard.policy.suggest import Seen, suggest

PATHS = {"listUsers": "/users", "addUser": "/users", "getPet": "/pets/1"}
METHODS = {"listUsers": "GET", "addUser": "POST", "getPet": "GET"}
RECORDS = st.lists(
    st.builds(
        lambda operation, host, outcome, profile: Seen(
            operation, METHODS[operation], f"https://{host}{PATHS[operation]}", profile, outcome
        ),
        st.sampled_from(sorted(PATHS)),
        st.sampled_from(["a.example", "b.example:8443", "C.example:443"]),
        st.sampled_from(["allow", "ask", "deny"]),
        st.sampled_from(["", "main"]),
    )
)


def outcome_of(policy: Policy, record: Seen, **others: str) -> Outcome:
    given = {"url": record.url, "auth_profile": record.auth_profile} | others
    return policy.decide(calling(record.operation, record.method, **given)).outcome


@given(RECORDS)
def test_what_was_done_can_be_done_again_and_nothing_else(records: list[Seen]) -> None:
    policy = Policy.from_text(suggest(records))
    done = [record for record in records if record.outcome != "deny"]
    for record in done:
        same = {one.outcome for one in done if (one.operation, one.url) == (record.operation, record.url)}
        assert outcome_of(policy, record) == ("ask" if "ask" in same else "allow")
        assert outcome_of(policy, record, url="https://other.example/users") == "deny"
    assert policy.decide(calling("otherOperation", url="https://a.example/users")).outcome == "deny"


def test_the_text() -> None:
    text = suggest([Seen("listUsers", "get", "https://a.example/users", "main", "allow")] * 3)
    assert text == (
        "version: '1.0'\ndefaults:\n  allow_methods: []\n  require_auth: true\nrules:\n"
        "- name: a.example-allow\n  pattern: a.example/*\n  allow:\n"
        "    operations:\n    - listUsers\n    methods:\n    - GET\n"
    )
