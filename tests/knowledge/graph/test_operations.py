"""A trace that ends at an endpoint: documents name the service, its API description the operations."""

from __future__ import annotations

from pathlib import Path

from graphs import look, put

from knowgate.model import Step
from knowgate.store.sqlite.store import SqliteStore

FILES = {
    "shop.md": "# Shop\n\nThe Ledger service calls the Quill service.\n",
    "orders.yaml": """
openapi: 3.1.0
info: {title: Quill API, version: 1.0.0}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      responses:
        "200": {description: it, content: {application/json: {schema: {$ref: "#/components/schemas/Receipt"}}}}
components: {schemas: {Receipt: {properties: {total: {type: number}}}}}
""",
}


def ways(step: Step, above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    here = (*above, step.name)
    return {here}.union(*(ways(each, here) for each in step.steps))


def test_a_trace_ends_at_an_endpoint(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    put(store, FILES)
    view = look(store)
    tree = view.trace(view.resolve("ledger").root, "downstream")
    (quill,) = {way[1] for way in ways(tree) if len(way) > 1}
    assert quill in ("Quill API", "Quill service", "Quill")
    assert any(way[1:3] == (quill, "GET /orders/{id}") for way in ways(tree))
    assert view.resolve("getOrder").root == view.resolve("GET /orders/{id}").root
    store.close()
