from knowgate.knowledge.parse.data import read
from knowgate.knowledge.parse.reader import ParseOptions

SHOP = """
openapi: 3.1.0
info: {title: Shop, version: 2.0.0, description: Sells things.}
servers: [{url: https://shop.example}]
paths:
  /orders/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getOrder
      summary: Finds an order
      tags: [orders]
      responses: {200: {description: The order}, 404: {$ref: '#/components/responses/Missing'}}
    put:
      deprecated: true
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
components:
  schemas:
    Order:
      description: What was bought.
      required: [id]
      properties:
        id: {type: string, description: Its number}
        lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
        state: {type: string, enum: [open, paid]}
"""


def test_every_operation_and_schema_has_a_heading():
    parsed = read(SHOP.encode(), "shop.yaml", ParseOptions())
    pieces = {parsed.text[each.start : each.end]: each for each in parsed.blocks}
    headings = [text for text, block in pieces.items() if block.kind == "heading"]
    assert headings == ["Shop 2.0.0", "GET /orders/{id}", "PUT /orders/{id}", "Schema Order"]
    assert parsed.title == "Shop"


def test_operations_and_schemas_are_described():
    text = read(SHOP.encode(), "shop.yaml", ParseOptions()).text
    assert "Operation: getOrder\nTags: orders\nParameter id (path, string, required)\nResponse 200: The order" in text
    assert "Response 404: Missing" in text
    assert "Deprecated." in text
    assert "Request body (application/json): Order" in text
    assert "id (string, required): Its number\nlines (list of Line)\nstate (string: open, paid)" in text


def test_swagger_definitions_are_schemas():
    data = b'{"swagger": "2.0", "info": {"title": "T"}, "paths": {}, "definitions": {"A": {"type": "string"}}}'
    assert "Schema A\n\nstring" in read(data, "a.json", ParseOptions()).text


def test_nonsense_in_the_description_does_no_harm():
    data = b'{"openapi": 3, "info": [1], "paths": {"/a": {"get": {"tags": 1, "parameters": [1], "responses": []}}}}'
    assert "GET /a" in read(data, "a.json", ParseOptions()).text
