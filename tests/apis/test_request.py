"""From arguments to the exact request."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apis.samples import BASE, built, operation, parameter, refusal, taking

from knowgate.apis.operation import Answer, SecurityScheme

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
def test_query_values_come_back_from_other_parsers(text: str, members: list[str], reserved: bool) -> None:
    one = operation(
        parameter("q", schema={"type": "string"}, allow_reserved=reserved), parameter("tag", schema={"type": "array"})
    )
    request = built(one, {"q": text, "tag": members})
    expected = {"q": [text], "tag": members}
    assert parse_qs(urlsplit(request.url).query, keep_blank_values=True, strict_parsing=True) == expected
    url = httpx2.URL(request.url)
    assert {"q": url.params.get_list("q"), "tag": url.params.get_list("tag")} == expected
    assert url.host == "api.example.com"
    assert url.path == "/v1/things"
    assert not url.fragment


@given(st.dictionaries(TEXTS.filter(lambda key: key not in ("__proto__", "constructor")), TEXTS, max_size=4))
def test_exploded_objects_and_deep_objects_come_back(value: dict[str, str]) -> None:
    exploded = built(operation(parameter("point")), {"point": value}) if "point" not in value else None
    deep = built(operation(parameter("point", style="deepObject")), {"point": value})
    pairs = parse_qsl(urlsplit(deep.url).query, keep_blank_values=True)
    assert {key.removeprefix("point[")[:-1]: text for key, text in pairs} == value
    if exploded:
        assert dict(parse_qsl(urlsplit(exploded.url).query, keep_blank_values=True)) == value


def test_content_parameters_are_json() -> None:
    one = operation(parameter("filter", content_type="application/json", schema={"type": "object"}))
    assert parse_qs(urlsplit(built(one, {"filter": {"a": [1]}}).url).query) == {"filter": ['{"a":[1]}']}
    header = operation(parameter("X-Filter", "header", content_type="application/json"))
    assert built(header, {"X-Filter": {"a": "b,c"}}).headers[1] == ("X-Filter", '{"a":"b,c"}')


@pytest.mark.parametrize("key", ["page", "api_key"])
def test_keys_of_an_exploded_object_cannot_pose_as_other_parameters(key: str) -> None:
    schemes = (SecurityScheme("key", "apiKey", "query", "api_key"),)
    one = operation(parameter("filter", schema={"type": "object"}), parameter("page"))
    assert refusal(one, {"filter": {key: "1"}}, schemes=schemes).code == "unsafe_value"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")], "\ud800", {"__proto__": {}}])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    assert refusal(operation(parameter("q")), {"q": value}).code == "unsafe_value"
    assert refusal(taking("application/json"), {"body": {"q": value}}).code == "unsafe_value"


def test_what_nests_without_end_is_refused() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert refusal(taking("application/json"), {"body": deep}).code == "bad_arguments"
    assert refusal(taking("application/json", {"type": "array"}), {"body": "[" * 100_000}).code == "bad_arguments"


def test_accept_is_what_success_promises_json_first() -> None:
    answers = (
        Answer("200", content={"text/csv": True, "application/json": True}),
        Answer("404", content={"a/b": True}),
    )
    assert built(operation(answers=answers), {}).headers == (("Accept", "application/json, text/csv"),)
    assert built(operation(answers=answers), {"Accept": "text/csv"}).headers == (("Accept", "text/csv"),)


def test_equal_arguments_give_an_equal_request_and_digest() -> None:
    one = taking("multipart/form-data", {"type": "object"})
    assert built(one, {"body": {"a": "1"}}) == built(one, {"body": {"a": "1"}})
    request = built(one, {"body": {"a": "1"}})
    assert request.digest() == built(one, {"body": {"a": "1"}}).digest()


def test_every_part_of_a_request_counts_for_its_digest() -> None:
    request = built(taking("application/json"), {"body": {}})
    others = [
        replace(request, method="PUT"),
        replace(request, url=BASE),
        replace(request, headers=(("Accep", "t*/*"),)),
        replace(request, body=None),
        replace(request, body=b""),
        replace(request, content_type=""),
        replace(request, operation="other"),
    ]
    assert len({request.digest(), *(other.digest() for other in others)}) == len(others) + 1
