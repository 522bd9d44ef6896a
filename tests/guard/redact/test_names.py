"""Which names promise a secret."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.guard.redact.names import Names
from knowgate.guard.redact.patterns import compiled

ANCHORS = compiled("|".join(Names(personal=True).anchors()), groups=False)
WORDS = (
    "my db api secret access private key keys token tokens pass word password pw auth authorization cookie credentials "
    "card number cvv first last name email hash value old public next client 2 id count"
).split()
SPELLINGS = ["_".join, "-".join, ".".join, " ".join, lambda words: "".join(map(str.title, words)), "/".join]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("password", "PASSWORD"),
        ("newPassword", "PASSWORD"),
        ("DB_PASS", "PASSWORD"),
        ("password_hash", "PASSWORD"),
        ("client_secret", "SECRET"),
        ("clientsecret", "SECRET"),
        ("SecretString", "SECRET"),
        ("api_key", "KEY"),
        ("X-API-Key", "KEY"),
        ("apiKey2", "KEY"),
        ("AWS_SECRET_ACCESS_KEY", "KEY"),
        ("private_key", "KEY"),
        ("accessToken", "TOKEN"),
        ("token", "TOKEN"),
        ("Authorization", "AUTHORIZATION"),
        ("Set-Cookie", "COOKIE"),
        ("cvv", "CARD"),
    ],
)
def test_a_secret_is_known_by_its_last_words(name: str, kind: str) -> None:
    named = Names().judge(name)
    assert named
    assert named.kind == kind


@pytest.mark.parametrize(
    "name",
    "token_count max_tokens total_tokens keyboard monkey turkey token_type nextPageToken continuation_token key key_id "
    "secret_name password_policy passwordChangedAt public_key publishable_key csrf_token author authority compass "
    "bypass keyword tokenizer secretary cache_key primaryKey passenger".split(),
)
def test_other_things_have_names_that_look_alike(name: str) -> None:
    assert Names().judge(name) is None


def test_more_names_can_be_given_in_any_spelling() -> None:
    names = Names.of(["salary", "staff-number"], [], False)
    assert names.judge("base_salary")
    assert names.judge("staffNumber")
    assert names.judge("salary_band") is None


def test_an_allowed_name_is_not_judged() -> None:
    assert Names.of([], ["device_token"], False).judge("deviceToken") is None


def test_names_of_personal_data_count_only_when_asked_for() -> None:
    assert Names().judge("firstName") is None
    named = Names.of([], [], True).judge("firstName")
    assert named
    assert named.kind == "NAME"


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(SPELLINGS), st.booleans())
def test_every_name_that_counts_is_noticed_by_the_quick_pass(words: list[str], spelled: object, loud: bool) -> None:
    name = spelled(words)  # type: ignore[operator]
    name = name.upper() if loud else name
    if Names.of([], [], True).judge(name):
        assert ANCHORS.search(f'"{name}":'.encode())
