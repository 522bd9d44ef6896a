"""API descriptions."""

from __future__ import annotations

import pytest
from facts import aliases, links, names, read

from knowgate.model import Schema

API = """
openapi: 3.1.0
info: {title: Pet Store, version: 1.0.0}
paths:
  /pets:
    get:
      tags: [zoo]
      operationId: listPets
      responses:
        "200":
          description: all of them
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
    post:
      tags: [zoo, admin]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: made}}
components:
  schemas:
    Pet:
      properties:
        name: {type: string}
        owner: {$ref: "#/components/schemas/Owner"}
    Owner:
      properties:
        name: {type: string}
"""


def test_an_api_owns_its_operations_tags_and_schemas() -> None:
    found = read(API, "petstore.yaml")
    assert names(found, "SERVICE") == {"Pet Store"}
    assert names(found, "PROTOCOL") == {"GET /pets", "POST /pets"}
    assert names(found, "CONCEPT") == {"zoo", "admin", "Pet", "Owner"}
    assert links(found) == {
        ("Pet Store", "OWNS", "zoo"),
        ("Pet Store", "OWNS", "admin"),
        ("Pet Store", "OWNS", "Pet"),
        ("Pet Store", "OWNS", "Owner"),
        ("Pet Store", "OWNS", "GET /pets"),
        ("Pet Store", "OWNS", "POST /pets"),
        ("zoo", "OWNS", "GET /pets"),
        ("zoo", "OWNS", "POST /pets"),
        ("admin", "OWNS", "POST /pets"),
        ("GET /pets", "USES", "Pet"),
        ("POST /pets", "USES", "Pet"),
        ("Pet", "USES", "Owner"),
    }


def test_an_operation_goes_by_its_id_too() -> None:
    assert aliases(read(API, "petstore.yaml")) == {("GET /pets", "listPets")}


@pytest.mark.parametrize(
    ("title", "service"),
    [
        ("Order API", "Order"),
        ("Billing REST API", "Billing"),
        ("Inventory Service API", "Inventory Service"),
        ("Public API", ""),
        ("The API", ""),
        ("Pet Store", ""),
    ],
)
def test_the_api_of_a_service_is_that_service(title: str, service: str) -> None:
    found = aliases(read(API.replace("Pet Store", title), "api.yaml"))
    assert found - {("GET /pets", "listPets")} == ({(title, service)} if service else set())


def test_a_schema_may_have_its_own_word_for_operations() -> None:
    schema = Schema(("SERVICE", "ENDPOINT", "OTHER"), ("OWNS", "USES"))
    assert names(read(API, "petstore.yaml", schema), "ENDPOINT") == {"GET /pets", "POST /pets"}
