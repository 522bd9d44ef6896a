"""Objects as XML: names, attributes, lists, and nothing that breaks out."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apis.samples import built, refusal, taking

from knowgate.apis.examples import sample_arguments
from knowgate.apis.xml_text import write_xml

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
PET: dict[str, Any] = {
    "type": "object",
    "xml": {"name": "pet", "namespace": "http://pets.test/?a&b"},
    "properties": {
        "id": {"type": "integer", "xml": {"attribute": True}},
        "name": {"type": "string", "xml": {"prefix": "p", "namespace": "http://p.test"}},
        "tags": {"type": "array", "xml": {"name": "all", "wrapped": True}, "items": {"xml": {"name": "tag"}}},
        "photos": {"type": "array", "items": {"type": "string"}},
        "owner": {"properties": {"good": {"type": "boolean"}}},
    },
}


def test_every_word_of_openapi_about_xml() -> None:
    value = {"id": 7, "name": "<R&x>", "tags": ["a", "b"], "photos": ["x", "y"], "owner": {"good": True}}
    expected = (
        '<pet xmlns="http://pets.test/?a&amp;b" id="7"><p:name xmlns:p="http://p.test">&lt;R&amp;x&gt;</p:name>'
        "<all><tag>a</tag><tag>b</tag></all><photos>x</photos><photos>y</photos><owner><good>true</good></owner></pet>"
    )
    assert write_xml(value, PET, {}).decode() == HEAD + expected


def test_a_reference_names_the_root_unless_told_otherwise() -> None:
    assert write_xml({}, {"$ref": "#/$defs/Dog"}, {"Dog": {"type": "object"}}).decode() == HEAD + "<Dog></Dog>"
    assert write_xml({}, {"$ref": "#/$defs/Dog"}, {"Dog": PET}).decode().endswith("</pet>")
    assert write_xml([1], {"type": "array"}, {}).decode() == HEAD + "<root><item>1</item></root>"


def test_an_operation_that_takes_only_xml_can_be_built_from_its_example() -> None:
    one = taking("text/xml", PET)
    root = ElementTree.fromstring(built(one, sample_arguments(one)).body or b"")
    assert root.tag.endswith("pet")
    assert root.attrib == {"id": "1"}


@pytest.mark.parametrize("body", [{"a b": 1}, {"a><b": 1}, {"1": 1}, {"a": "\x00"}, {"xml:a:b": 1}])
def test_what_xml_cannot_say_is_refused(body: dict[str, Any]) -> None:
    assert refusal(taking("application/xml", {"type": "object"}), {"body": body}).code == "unsafe_value"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")))
def test_texts_come_out_as_they_went_in(text: str) -> None:
    value = {"id": text, "owner": {"good": text}}
    schema = {"properties": {"id": {"xml": {"attribute": True}}}}
    root = ElementTree.fromstring(write_xml(value, schema, {}))
    assert root.attrib["id"] == text
    assert (root.findtext("owner/good") or "") == text
