from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.apis.spec.parse import Limits, parse
from knowgate.errors import DocumentError

LIMITS = Limits()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def code_of(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(data, limits)
    return caught.value.code


def test_yaml_keys_become_text() -> None:
    text = b"responses: {200: ok, 1.5: x}\non: no\ntrue: 1\nnull: 2\nday: 2020-01-01\n"
    assert parse(text, LIMITS) == {
        "responses": {"200": "ok", "1.5": "x"},
        "on": "no",
        "true": 1,
        "null": 2,
        "day": "2020-01-01",
    }


def test_merge_keys_are_merged_and_own_keys_win() -> None:
    text = b"a: &a {x: 1, y: 2}\nb: &b {y: 3}\nc:\n  <<: [*b, *a]\n  z: 4\nd:\n  <<: *a\n  x: 9\n"
    assert parse(text, LIMITS)["c"] == {"x": 1, "y": 3, "z": 4}
    assert parse(text, LIMITS)["d"] == {"x": 9, "y": 2}


def test_lines_of_tabs_and_huge_integers_are_mended() -> None:
    assert parse(b"a: |-\n  \t\n  text\nb: 18446744073709552000\n", LIMITS) == {
        "a": "\ntext",
        "b": 18446744073709552000.0,
    }


def test_numbers_that_json_has_not_are_left_out() -> None:
    assert parse(b"a: .inf\nb: [.nan, 1]\n", LIMITS) == {"a": None, "b": [None, 1]}


def test_a_flow_mapping_may_look_like_json() -> None:
    assert parse(b"{a: 1, 'b': [x]}", LIMITS) == {"a": 1, "b": ["x"]}


def test_utf_16_and_byte_order_marks_are_read() -> None:
    assert parse('{"a": "é"}'.encode("utf-16"), LIMITS) == {"a": "é"}
    assert parse(b"\xef\xbb\xbfa: 1", LIMITS) == {"a": 1}


@pytest.mark.parametrize("data", [b"a: [", b"\xff\xff", b"\x00", b"a: 1\na: 2\n", b'{"a": ]', b"&a [*a]"])
def test_what_is_not_text_or_not_yaml_is_unreadable(data: bytes) -> None:
    assert code_of(data) == "spec_unreadable"


def test_the_error_names_the_place() -> None:
    with pytest.raises(DocumentError, match="line 3"):
        parse(b"a: 1\nb:\n  c: [}\n", LIMITS)
    with pytest.raises(DocumentError, match="at /a/0/b~1c"):
        parse(b'{"a": [{"b/c": [[1]]}]}', Limits(depth=4))


def test_bounds_hold() -> None:
    assert code_of(b"a: 123456789", Limits(size=5)) == "spec_too_large"
    assert code_of(b"[[],[],[]]", Limits(containers=3)) == "spec_too_large"
    assert code_of(b"[" * 200 + b"]" * 200) == "spec_too_deep"


@given(JSON)
def test_json_is_read_as_it_is(value: object) -> None:
    assert parse(orjson.dumps({"value": value}), LIMITS) == {"value": value}


@given(st.binary(max_size=300) | st.text(alphabet="&*a: -[]{}'\"\n|>!<?", max_size=60).map(str.encode))
def test_anything_is_a_value_or_a_typed_error(data: bytes) -> None:
    try:
        orjson.dumps(parse(data, LIMITS))
    except DocumentError as error:
        assert error.code.startswith("spec_")
