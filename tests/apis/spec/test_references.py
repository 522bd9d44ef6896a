from __future__ import annotations

from typing import Any

import pytest

LEAF = {"type": "string", "minLength": 3}


def test_references_stay_references_and_cycles_end(load_schema: Any) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    schema, defs = load_schema({"$ref": "#/components/schemas/Node"}, schemas={"Node": node, "Unused": {}})
    assert schema == {"$ref": "#/$defs/Node"}
    assert defs == {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}


def test_a_property_may_be_named_ref(load_schema: Any) -> None:
    schema, defs = load_schema({"properties": {"$ref": {"type": "string"}, "$defs": {"type": "integer"}}})
    assert schema == {"properties": {"$ref": {"type": "string"}, "$defs": {"type": "integer"}}}
    assert defs == {}


def test_values_are_not_schemas(load_schema: Any) -> None:
    value = {"$ref": "#/nowhere"}
    schema, _ = load_schema({"default": value, "enum": [value], "example": value})
    assert schema == {"default": value, "enum": [value], "examples": [value]}


@pytest.mark.parametrize(
    "pointer",
    ["#/components/schemas/a~1b~0c%20d", "#/components/schemas/a~1b~0c d", "api.json#/components/schemas/a~1b~0c%20d"],
)
def test_pointers_are_escaped_in_two_ways(load_schema: Any, pointer: str) -> None:
    schema, defs = load_schema({"$ref": pointer}, schemas={"a/b~c d": LEAF})
    assert defs[schema["$ref"].removeprefix("#/$defs/")] == LEAF


def test_pointers_lead_through_lists_and_other_references(load_schema: Any) -> None:
    schemas = {"A": {"allOf": [True, {"properties": {"b": LEAF}}]}, "Alias": {"$ref": "#/components/schemas/A"}}
    schema, defs = load_schema({"$ref": "#/components/schemas/Alias/allOf/1/properties/b"}, schemas=schemas)
    assert list(defs.values()) == [LEAF]
    assert schema["$ref"] == f"#/$defs/{next(iter(defs))}"


def test_aliases_of_aliases_are_one_definition(load_schema: Any) -> None:
    schemas = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/C"}, "C": LEAF}
    assert load_schema({"$ref": "#/components/schemas/A"}, schemas=schemas) == ({"$ref": "#/$defs/C"}, {"C": LEAF})


def test_words_beside_a_reference_count_from_3_1_on(load_schema: Any) -> None:
    schema = {"$ref": "#/components/schemas/A", "minLength": 9, "description": "Here", "readOnly": True}
    new, _ = load_schema(schema, schemas={"A": LEAF})
    old, _ = load_schema(schema, schemas={"A": LEAF}, version="3.0.3")
    assert new == {"$ref": "#/$defs/A", "description": "Here", "minLength": 9, "readOnly": True}
    assert old == {"$ref": "#/$defs/A", "description": "Here", "readOnly": True}


def test_files_beside_the_description_are_read(load_schema: Any) -> None:
    files = {
        "models/pet.json": {"properties": {"tag": {"$ref": "../common.yaml#/Tag"}, "mother": {"$ref": "#"}}},
        "common.yaml": b"Tag: {type: string, minLength: 3}\n",
    }
    schema, defs = load_schema({"$ref": "models/pet.json"}, files=files)
    pet = defs[schema["$ref"].removeprefix("#/$defs/")]
    assert pet["properties"]["mother"] == schema
    assert defs[pet["properties"]["tag"]["$ref"].removeprefix("#/$defs/")] == LEAF


def test_same_names_in_several_files_stay_apart(load_schema: Any) -> None:
    files = {"a.json": {"definitions": {"X": {"const": 1}}}, "b.json": {"definitions": {"X": {"const": 2}}}}
    schema, defs = load_schema(
        {"allOf": [{"$ref": "a.json#/definitions/X"}, {"$ref": "b.json#/definitions/X"}]}, files=files
    )
    names = [each["$ref"].removeprefix("#/$defs/") for each in schema["allOf"]]
    assert [defs[name] for name in names] == [{"const": 1}, {"const": 2}]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("#/components/schemas/Missing", "leads nowhere"),
        ("#/components/schemas/Self", "back to itself"),
        ("#/components/schemas/Loop", "back to itself"),
        ("#/components/schemas/Text", "not lead to a schema"),
        ("#anchor", "anchor"),
        ("https://example.com/pet.json", "another address"),
        ("//example.com/pet.json", "another address"),
        ("file:///etc/passwd", "another address"),
        ("c:/secret.json", "another address"),
        ("../secret.json", "outside"),
        ("a/../../secret.json", "outside"),
        ("%2e%2e/secret.json", "outside"),
        ("/etc/passwd", "outside"),
        ("..\\secret.json", "outside"),
        ("missing.json", "cannot be read"),
        ("broken.json", "cannot be used"),
    ],
)
def test_a_bad_reference_quarantines_its_operation_only(load_spec: Any, reference: str, reason: str) -> None:
    def posting(schema: object) -> object:
        return {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}

    schemas = {
        "Self": {"$ref": "#/components/schemas/Self"},
        "Loop": {"$ref": "#/components/schemas/Loop2"},
        "Loop2": {"$ref": "#/components/schemas/Loop"},
        "Text": "text",
        "Deep": {"properties": {"a": {"$ref": reference}}},
    }
    paths = {
        "/direct": posting({"$ref": reference}),
        "/deep": posting({"items": {"$ref": "#/components/schemas/Deep"}}),
        "/good": posting(True),
    }
    api = load_spec(paths, components={"schemas": schemas}, files={"broken.json": b"{"})
    assert [each.path for each in api.operations] == ["/good"]
    assert {each.path: each.place for each in api.quarantined} == {
        "/direct": "/paths/~1direct/post/requestBody/content/application~1json/schema",
        "/deep": "/components/schemas/Deep/properties/a",
    }
    assert all(reason in each.reason for each in api.quarantined)


def test_pointers_that_lead_through_each_other_end(load_spec: Any) -> None:
    schemas = {"A": {"$ref": "#/components/schemas/B/y"}, "B": {"$ref": "#/components/schemas/A/x"}}
    query = {"name": "q", "in": "query", "schema": {"$ref": "#/components/schemas/A/x"}}
    api = load_spec({"/x": {"get": {"parameters": [query]}}}, components={"schemas": schemas})
    assert "back to itself" in api.quarantined[0].reason


def test_without_a_reader_other_files_cannot_be_had(load_spec: Any) -> None:
    api = load_spec({"/x": {"$ref": "paths.json"}})
    assert [(each.path, each.place) for each in api.quarantined] == [("/x", "/paths/~1x")]


def test_a_place_in_another_file_is_named_with_it(load_spec: Any) -> None:
    files = {"paths.json": {"get": {"parameters": [{"$ref": "#/nowhere"}]}}}
    api = load_spec({"/x": {"$ref": "paths.json"}}, files=files)
    assert [each.place for each in api.quarantined] == ["paths.json#/get/parameters/0"]
