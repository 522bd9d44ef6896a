from __future__ import annotations

import pytest
import ryaml
from hypothesis import given
from hypothesis import strategies as st
from tests.guard.policy.acting import calling

from knowgate.guard.policy import Policy
from knowgate.guard.policy.action import Outcome
from knowgate.guard.policy.check import Entry, check
from knowgate.guard.policy.suggest import Seen, suggest

HOST = "https://a.example"
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
THERE = [
    Entry("listUsers", "users", "GET", "/users", ("users",), HOST),
    Entry("listUserNames", "users", "GET", "/users/names", ("users",), HOST),
    Entry("addUser", "users", "POST", "/users", ("users",), HOST),
    Entry("getPet", "users", "GET", "/pets/{id}", ("pets",), HOST),
    Entry("headPet", "users", "HEAD", "/pets/{id}", (), HOST),
    Entry("removePet", "users", "DELETE", "/pets/{id}", ("pets", "Danger"), HOST),
    Entry("elsewhere", "other", "GET", "/x", ("users",), "https://b.example"),
]


def outcome_of(policy: Policy, record: Seen, **others: str) -> Outcome:
    given = {"url": record.url, "auth_profile": record.auth_profile} | others
    return policy.decide(calling(record.operation, record.method, **given)).outcome


def called(entry: Entry, outcome: Outcome = "allow") -> Seen:
    return Seen(entry.id, entry.method, entry.url + entry.path, "main", outcome)


def blocks(*names: str, **outcomes: Outcome) -> list[object]:
    seen = [called(entry, outcomes.get(entry.id, "allow")) for entry in THERE if entry.id in (*names, *outcomes)]
    rules = ryaml.loads(suggest(seen, THERE))["rules"]
    return [value for rule in rules for key, value in rule.items() if key not in ("name", "pattern")]


@given(RECORDS)
def test_what_was_done_can_be_done_again_and_nothing_else(records: list[Seen]) -> None:
    policy = Policy.from_text(suggest(records))
    done = [record for record in records if record.outcome != "deny"]
    for record in done:
        same = {one.outcome for one in done if (one.operation, one.url) == (record.operation, record.url)}
        assert outcome_of(policy, record) == ("ask" if "ask" in same else "allow")
        assert outcome_of(policy, record, url="https://other.example/users") == "deny"
    assert policy.decide(calling("otherOperation", url="https://a.example/users")).outcome == "deny"


@given(st.dictionaries(st.sampled_from(THERE), st.sampled_from(["allow", "ask", "dry_run"])))
def test_operations_put_together_take_in_no_other(outcomes: dict[Entry, Outcome]) -> None:
    policy = Policy.from_text(suggest([called(entry, outcome) for entry, outcome in outcomes.items()], THERE))
    for entry in THERE:
        action = calling(entry.id, entry.method, url=entry.url + entry.path, tags=entry.tags)
        assert policy.decide(action).outcome == outcomes.get(entry, "deny")
    assert len(policy.rules) <= len({(entry.url, outcome) for entry, outcome in outcomes.items()})


@pytest.mark.parametrize(
    ("names", "block"),
    [
        (["listUsers"], {"operations": ["listUsers"]}),
        (["listUsers", "listUserNames"], {"operations": ["listUser*"]}),
        (["listUsers", "listUserNames", "addUser"], {"tags": ["users"]}),
        (["listUsers", "listUserNames", "getPet"], {"operations": ["getPet", "listUser*"]}),
        (["listUsers", "listUserNames", "getPet", "headPet"], {"methods": ["GET"]}),
        ([entry.id for entry in THERE if entry.url == HOST], True),
    ],
)
def test_the_fewest_words(names: list[str], block: object) -> None:
    assert blocks(*names) == [block]


def test_who_was_asked_about_once_is_asked_about_and_said_once() -> None:
    seen = [called(THERE[0]), called(THERE[0], "ask"), called(THERE[2])]
    rules = ryaml.loads(suggest(seen, THERE))["rules"]
    assert [sorted(rule) for rule in rules] == [["allow", "name", "pattern"], ["ask", "name", "pattern"]]
    assert rules[0]["allow"] == {"operations": ["addUser"]}


def test_hosts_with_the_same_rule_share_it() -> None:
    seen = [Seen("listUsers", "GET", f"https://{host}/users", "", "allow") for host in ("a.example", "b.example")]
    [rule] = ryaml.loads(suggest(seen))["rules"]
    assert rule["pattern"] == ["a.example/*", "b.example/*"]


def test_the_text() -> None:
    text = suggest([Seen("listUsers", "get", "https://a.example/users", "main", "allow")] * 3)
    assert text == (
        "version: '1.0'\ndefaults:\n  allow_methods: []\n  require_auth: true\nrules:\n"
        "- name: a.example-allow\n  pattern:\n  - a.example/*\n  allow:\n"
        "    operations:\n    - listUsers\n"
    )


def test_what_is_gone_needs_no_rule() -> None:
    gone = Entry("oldUsers", "users", "GET", "/old", (), HOST)
    moved = Entry("getPet", "users", "GET", "/pets/{id}", (), "https://before.example")
    text = suggest([called(each) for each in (gone, moved, THERE[0])], THERE)
    assert check(Policy.from_text(text), THERE) == []
    assert [rule["allow"] for rule in ryaml.loads(text)["rules"]] == [{"operations": ["listUsers"]}]
