"""The API that `mrapids-agent init --example` begins with; `knowgate apis mock` can play it."""

EXAMPLE = """\
openapi: 3.1.0
info: {title: Bookshelf, version: "1.0"}
servers: [{url: "http://127.0.0.1:4010"}]
paths:
  /books:
    get:
      operationId: listBooks
      tags: [books]
      summary: List the books
      parameters:
        - {name: author, in: query, schema: {type: string}}
      responses:
        "200":
          description: All books
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Book"}}
    post:
      operationId: addBook
      tags: [books]
      summary: Put a book on the shelf
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Book"}
      responses:
        "201":
          description: The book
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Book"}
  /books/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer, examples: [1]}}
    get:
      operationId: getBook
      tags: [books]
      summary: Show one book
      responses:
        "200":
          description: The book
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Book"}
    delete:
      operationId: removeBook
      tags: [books]
      summary: Take a book off the shelf
      responses:
        "204": {description: It is gone}
components:
  schemas:
    Book:
      type: object
      required: [title]
      properties:
        id: {type: integer, readOnly: true, examples: [1]}
        title: {type: string, examples: [The Tin Drum]}
        author: {type: string, examples: [Günter Grass]}
"""
