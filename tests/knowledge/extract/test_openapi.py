"""API descriptions."""

from __future__ import annotations

from facts import links, names, read

API = """
openapi: 3.1.0
info: {title: Pet Store, version: 1.0.0}
paths:
  /pets:
    get:
      tags: [zoo]
      operationId: listPets
      responses: {"200": {description: all of them}}
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


def test_an_api_owns_its_tags_and_schemas() -> None:
    found = read(API, "petstore.yaml")
    assert names(found, "SERVICE") == {"Pet Store"}
    assert names(found, "CONCEPT") == {"zoo", "admin", "Pet", "Owner"}
    assert links(found) == {
        ("Pet Store", "OWNS", "zoo"),
        ("Pet Store", "OWNS", "admin"),
        ("Pet Store", "OWNS", "Pet"),
        ("Pet Store", "OWNS", "Owner"),
        ("Pet Store", "USES", "Pet"),
        ("Pet", "USES", "Owner"),
    }
