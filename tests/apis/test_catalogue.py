from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import CompiledApi, compile_api
from knowgate.errors import InputError, NotFoundError

BODY = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}, "required": True}
PATHS: dict[str, Any] = {
    "/pets": {
        "get": {
            "operationId": "listPets",
            "tags": ["Pets"],
            "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}, "description": "How many"}],
        },
        "post": {"operationId": "addPet", "requestBody": BODY},
    },
    "/pets/{id}": {
        "put": {
            "operationId": "changePet",
            "parameters": [{"name": "id", "in": "query"}, {"name": "X-Key", "in": "header"}],
            "requestBody": {"content": {**BODY["content"], "text/plain": {"schema": {"type": "string"}}}},
            "responses": {
                "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}}
            },
        }
    },
}
COMPONENTS = {
    "schemas": {
        "Pet": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "id": {"type": "string", "readOnly": True},
                "mother": {"$ref": "#/components/schemas/Pet"},
            },
            "required": ["name", "id"],
        },
        "Answer": {"type": "object"},
    },
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
}


def compiled(folder: Path, name: str, paths: object = None) -> CompiledApi:
    data = orjson.dumps({"openapi": "3.1.0", "paths": paths or PATHS, "components": COMPONENTS})
    return compile_api(data, name=name, source="api.json", folder=folder)


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(
        [compiled(tmp_path, "shop"), compiled(tmp_path, "zoo", {"/x": {"get": {"operationId": "listPets"}}})]
    )


def ids(found: list[Any]) -> list[str]:
    return [each.id for each in found]


def test_operations_are_listed_with_filters(catalogue: Catalogue) -> None:
    assert ids(catalogue.list()) == ["listPets", "addPet", "changePet", "zoo_listPets"]
    assert ids(catalogue.list(method="get")) == ["listPets", "zoo_listPets"]
    assert ids(catalogue.list(tag="pets")) == ["listPets"]
    assert ids(catalogue.list(pattern="*Pet")) == ["addPet", "changePet"]
    assert ids(catalogue.list(pattern="/pets/*")) == ["changePet"]
    assert ids(catalogue.list(api="zoo")) == ["zoo_listPets"]
    assert catalogue.list(api="zoo", method="PUT") == []


def test_an_operation_is_found_by_the_id_that_is_listed(catalogue: Catalogue) -> None:
    for entry in catalogue.list():
        operation = catalogue.operation(entry.id)
        assert (operation.id, operation.api, operation.path) == (entry.id, entry.api, entry.path)


def test_a_wrong_id_is_told_with_what_was_meant(catalogue: Catalogue) -> None:
    with pytest.raises(NotFoundError, match="Did you mean addPet"):
        catalogue.operation("addPets")


def test_apis_tell_about_themselves(catalogue: Catalogue) -> None:
    assert list(catalogue.apis) == ["shop", "zoo"]
    assert list(catalogue.apis["shop"].schemes) == ["key"]


def test_the_same_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Catalogue([compiled(tmp_path, "shop"), compiled(tmp_path, "shop")])
    assert caught.value.code == "same_api_twice"


def test_arguments_are_one_object(catalogue: Catalogue) -> None:
    assert catalogue.arguments_schema(catalogue.operation("listPets")) == {
        "type": "object",
        "properties": {"limit": {"type": "integer", "description": "How many"}},
        "additionalProperties": False,
    }


def test_arguments_bring_only_the_definitions_they_need(catalogue: Catalogue) -> None:
    schema = catalogue.arguments_schema(catalogue.operation("addPet"))
    assert schema["properties"] == {"body": {"$ref": "#/$defs/Pet"}}
    assert schema["required"] == ["body"]
    assert list(schema["$defs"]) == ["Pet"]
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid({"body": {"name": "Rex", "mother": {"name": "Bella"}}})
    assert not validator.is_valid({"body": {}})


def test_shared_names_and_several_bodies_are_told_apart(catalogue: Catalogue) -> None:
    schema = catalogue.arguments_schema(catalogue.operation("changePet"))
    assert list(schema["properties"]) == ["query.id", "path.id", "body"]
    assert schema["properties"]["body"] == {"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "string"}]}
    assert schema["required"] == ["path.id"]
