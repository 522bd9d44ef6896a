"""The whole: text, JSON values, JSON bytes."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowgate.errors import InputError, LimitError
from knowgate.guard.redact import Numbers, Redactor, RedactRules
from knowgate.guard.redact.cleaner import Cleaner
from knowgate.guard.redact.structure import walk

REDACTOR = Redactor(secrets=["tops3cret"])
PERSONAL = Redactor(RedactRules(personal=True), secrets=["tops3cret"])
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3iO6"

names = st.sampled_from(
    "a name key value password token api_key dbPass user id card_number cookie x.auth ibm_key".split()
)
leaves = (
    st.text(max_size=12)
    | st.sampled_from([TOKEN, "tops3cret", 'say "tops3cret"', "password=Hunter2x", "Bearer k8Jd72hsKq01Zx", "a\\", '"'])
    | st.sampled_from(["Authorization", "DB_PASSWORD", "k8Jd72hsKq01ZxPq92mVb64c", "4539578763621486", "a@b.org"])
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return [shape(item) for item in value] if isinstance(value, list) else "leaf"


@settings(max_examples=150, deadline=None)
@given(trees)
@example({"password": {"deep": ["tops3cret"]}})
def test_json_stays_valid_keeps_its_shape_and_loses_the_secret(tree: Any) -> None:
    for redactor in (REDACTOR, PERSONAL):
        clean = orjson.loads(redactor.json_bytes(orjson.dumps(tree)).value)
        assert shape(clean) == shape(tree)
        assert "tops3cret" not in str(clean)
        assert TOKEN not in str(clean)
        assert redactor.json(tree).value == clean


@settings(max_examples=150, deadline=None)
@given(trees, st.sampled_from([None, 2]))
def test_bytes_and_values_are_cleaned_alike(tree: Any, indent: int | None) -> None:
    spliced = orjson.loads(REDACTOR.json_bytes(json.dumps(tree, indent=indent).encode()).value)
    cleaner = Cleaner(REDACTOR._finders, REDACTOR._names, frozenset(), Numbers())
    assert spliced == walk(orjson.loads(orjson.dumps(tree)), cleaner)


@settings(max_examples=100, deadline=None)
@given(trees)
def test_cleaning_twice_changes_nothing(tree: Any) -> None:
    once = REDACTOR.json(tree)
    again = REDACTOR.json(once.value)
    assert again.value == once.value


@settings(max_examples=100, deadline=None)
@given(st.text() | st.lists(leaves.map(str), max_size=4).map(" ".join))
def test_text_cleaned_twice_is_the_same(text: str) -> None:
    for redactor in (REDACTOR, PERSONAL):
        once = redactor.text(text).value
        assert redactor.text(once).value == once


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80) | trees.map(lambda tree: orjson.dumps(tree)[:-1]) | st.text().map(str.encode))
def test_what_is_no_json_is_cleaned_as_text(data: bytes) -> None:
    clean = REDACTOR.json_bytes(data).value
    assert b"tops3cret" not in clean
    assert TOKEN.encode() not in clean


def test_clean_json_comes_back_as_it_was() -> None:
    data = b'{ "price" : 1.10, "id": 123456789012345678901234567890, "max_tokens": 5 }'
    assert REDACTOR.json_bytes(data).value is data
    value = {"name": "Ada", "keyboard": "qwerty"}
    assert REDACTOR.json(value).value is value


def test_only_what_changes_is_rewritten() -> None:
    data = b'{ "id": 123456789012345678901234567890,\n  "password" : "hunter2", "price": 1.10 }'
    assert REDACTOR.json_bytes(data).value == data.replace(b"hunter2", b"[REDACTED:PASSWORD]")


def test_secrets_go_by_the_name_that_stands_beside_them() -> None:
    headers = [{"name": "Authorization", "value": "Bearer abc"}, {"value": "x", "name": "Accept"}]
    assert REDACTOR.json(headers).value[0]["value"] == "[REDACTED:AUTHORIZATION]"
    assert REDACTOR.json(headers).value[1] == headers[1]


def test_names_decide_about_numbers_lists_and_objects() -> None:
    value = {
        "password": 12345,
        "token": 17,
        "api_key": ["a1", None],
        "secret": {"id": "k8Jd72hsKq01Zx", "value": "k8Jd72hsKq01Zx"},
    }
    assert REDACTOR.json(value).value == {
        "password": "[REDACTED:PASSWORD]",
        "token": 17,
        "api_key": ["[REDACTED:KEY]", None],
        "secret": {"id": "k8Jd72hsKq01Zx", "value": "[REDACTED:SECRET]"},
    }


def test_secrets_in_keys_are_numbered_so_that_no_field_is_lost() -> None:
    other = TOKEN.replace("a", "b")
    clean = REDACTOR.json({TOKEN: 1, other: 2}).value
    assert clean == {"[REDACTED:GITHUB_TOKEN#1]": 1, "[REDACTED:GITHUB_TOKEN#2]": 2}


def test_values_are_told_apart_for_as_long_as_the_numbers_live() -> None:
    numbers = Numbers()
    assert PERSONAL.text("ada@x.org to bob@x.org", numbers).value == "[REDACTED:EMAIL#1] to [REDACTED:EMAIL#2]"
    assert PERSONAL.json(["bob@x.org"], numbers=numbers).value == ["[REDACTED:EMAIL#2]"]
    assert PERSONAL.text("bob@x.org").value == "[REDACTED:EMAIL#1]"


def test_personal_data_is_left_alone_unless_asked_for() -> None:
    text = "Mr. Smith, ada@x.org, +44 7700 900 123, 81.2.69.142"
    assert REDACTOR.text(text).value == text
    assert dict(PERSONAL.text(text).counts) == {"NAME": 1, "EMAIL": 1, "PHONE": 1, "IP": 1}
    assert PERSONAL.json({"first_name": "Ada"}).value == {"first_name": "[REDACTED:NAME#1]"}


def test_hints_hide_what_the_api_calls_sensitive() -> None:
    value = {"items": [{"note": "a", "n": 1}, {"note": None}], "other": {"note": "b"}}
    clean = REDACTOR.json(value, hints=[("items", "*", "note"), ("missing", "x")])
    assert clean.value == {"items": [{"note": "[REDACTED:SENSITIVE]", "n": 1}, {"note": None}], "other": {"note": "b"}}
    assert clean.counts == {"SENSITIVE": 1}
    assert value["items"][0]["note"] == "a"


def test_allowed_fields_and_values_stay_but_our_own_secrets_do_not() -> None:
    redactor = Redactor(
        RedactRules(allow_fields=frozenset({"sample"}), allow_values=frozenset({"letmein99"})), secrets=["tops3cret"]
    )
    value = {"sample": TOKEN, "password": "letmein99", "note": TOKEN}
    assert redactor.json(value).value == {**value, "note": "[REDACTED:GITHUB_TOKEN]"}
    assert redactor.json({"sample": "tops3cret"}).value == {"sample": "[REDACTED:CREDENTIAL]"}


def test_a_users_pattern_has_its_own_kind() -> None:
    redactor = Redactor(RedactRules(patterns={"ORDER": r"^ord-[0-9]+$"}))
    assert redactor.json(["ord-12", "my ord-12"]).value == ["[REDACTED:ORDER]", "my ord-12"]
    assert redactor.json_bytes(b'["ord-1"]').value == b'["[REDACTED:ORDER]"]'


@pytest.mark.parametrize(
    ("pattern", "place"), [("ab[z-a]", "character 4"), ("x(?=y)", "character 2"), ("a**", "character 2")]
)
def test_a_wrong_pattern_says_where(pattern: str, place: str) -> None:
    with pytest.raises(InputError, match=place) as error:
        Redactor(RedactRules(patterns={"ORDER": pattern}))
    assert error.value.code == "redact_pattern_invalid"


@pytest.mark.parametrize(("kind", "pattern"), [("order", "a"), ("ORDER", "a*")])
def test_a_pattern_without_a_kind_or_a_character_is_refused(kind: str, pattern: str) -> None:
    with pytest.raises(InputError):
        Redactor(RedactRules(patterns={kind: pattern}))


def test_what_is_too_deep_to_be_checked_is_refused() -> None:
    deep: Any = "tops3cret"
    for _ in range(300):
        deep = [deep]
    with pytest.raises(LimitError):
        REDACTOR.json({"secret": deep})


def test_values_that_the_fast_way_cannot_write_take_the_slow_one() -> None:
    value = {"big": 2**80, "half": "\ud800", "password": "x1"}
    assert REDACTOR.json(value).value == {"big": 2**80, "half": "\ud800", "password": "[REDACTED:PASSWORD]"}
