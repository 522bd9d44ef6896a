"""Documents and operations as things to be opened: their addresses, the list of documents, their whole text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from knowgate.errors import NotFoundError
from knowgate.model import SchemaField
from knowgate.tools.backend import Backend

if TYPE_CHECKING:
    from knowgate.wire import Passage

SHELF = "knowgate://documents"
TEMPLATE = SHELF + "/{+name}"
OPERATIONS = "knowgate://operations"
OPERATION_TEMPLATE = OPERATIONS + "/{id}"
_MOST_LISTED = 1000
_LONGEST_DOCUMENT = 200_000


def address_of(name: str) -> str:
    return f"{SHELF}/{quote(name, safe='/')}"


async def read_shelf(backend: Backend, address: str) -> tuple[str, str]:
    """The media type and the text of what lies at an address."""
    if address.rstrip("/") == SHELF:
        return "application/json", await _listing(backend)
    if address.startswith(f"{OPERATIONS}/"):
        detail = await backend.describe_operation(unquote(address.removeprefix(f"{OPERATIONS}/")))
        return "application/json", json.dumps(asdict(detail), ensure_ascii=False)
    if not address.startswith(f"{SHELF}/"):
        raise NotFoundError("no_such_resource", f"There is nothing at {address}.", f"Open {SHELF} for a list.")
    return "text/plain", await _document(backend, unquote(address.removeprefix(f"{SHELF}/")))


async def read_schema(backend: Backend) -> str:
    """The schema of the graph, in FlowRAG's names."""
    schema = await backend.schema()
    told: dict[str, object] = {
        "entityTypes": list(schema.entity_types),
        "relationTypes": list(schema.relation_types),
    }
    fields = {
        "documentFields": schema.document_fields,
        "entityFields": schema.entity_fields,
        "relationFields": schema.relation_fields,
    }
    told |= {kind: {name: _field(each) for name, each in those.items()} for kind, those in fields.items() if those}
    return json.dumps(told, indent=2, ensure_ascii=False)


def _field(field: SchemaField) -> dict[str, object]:
    """Only what is said of it."""
    told = {"type": field.type, "values": list(field.values), "default": field.default, "filterable": field.filterable}
    return {name: value for name, value in told.items() if value not in ([], None, False)}


async def names_like(backend: Backend, part: str, most: int) -> tuple[list[str], bool]:
    """Names that go on from what was typed, and whether there are more."""
    page = await backend.documents(part.replace("*", ""), most)
    return [each.filename for each in page.documents], bool(page.cursor)


async def operations_like(backend: Backend, part: str, most: int) -> tuple[list[str], bool]:
    """Ids that go on from what was typed, and whether there are more."""
    page = await backend.operations("", {"limit": _MOST_LISTED})
    found = [each.operation_id for each in page.operations if part.lower() in each.operation_id.lower()]
    return found[:most], len(found) > most or bool(page.cursor)


async def _listing(backend: Backend) -> str:
    page = await backend.documents("", _MOST_LISTED)
    listed = [
        {"name": each.filename, "uri": address_of(each.filename), "title": each.title, "passages": each.chunks}
        for each in page.documents
    ]
    return json.dumps({"documents": listed, "more": bool(page.cursor)}, ensure_ascii=False)


async def _document(backend: Backend, name: str) -> str:
    passages: list[Passage] = []
    cursor = ""
    while True:
        page = await backend.document(name, limit=1000, cursor=cursor)
        passages += page.passages
        cursor = page.cursor
        if not cursor or passages[-1].end > _LONGEST_DOCUMENT:
            break
    text = whole(passages)
    if len(text) > _LONGEST_DOCUMENT:
        text = f"{text[:_LONGEST_DOCUMENT]}\n\n[Cut here. Find what follows with a search in {name}.]"
    return text


def whole(passages: Sequence[Passage]) -> str:
    """The text that the passages were cut from, but for blank space between them."""
    text, end = "", 0
    for passage in passages:
        if passage.start > end and text:
            text += "\n\n"
        text += passage.text[max(0, end - passage.start) :]
        end = max(end, passage.end)
    return text
