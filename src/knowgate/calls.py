"""What a caller asks in the words of the wire, answered by an engine: the same for REST and for the tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from knowgate import answers
from knowgate.engine import Engine
from knowgate.errors import InputError, NotFoundError
from knowgate.knowledge.filters import CLIENT_LIMIT, merge
from knowgate.model import Filter
from knowgate.wire import (
    DeleteAnswer,
    DocumentAnswer,
    DocumentsAnswer,
    EntitySearchAnswer,
    FoundEntity,
    StatsAnswer,
)


def narrowed(
    engine: Engine, filter_id: str | None, inline: Mapping[str, object], limit: int | None, threshold: float
) -> tuple[Filter, int | None, float]:
    """Which documents, how many passages and how good they must be, by the saved filter and what was sent with it."""
    saved = engine.filter(filter_id) if filter_id is not None else None
    where, most, least = merge(saved, inline, CLIENT_LIMIT if limit is None else limit, threshold)
    return where, None if saved is None and limit is None else most, least


def documents(engine: Engine, query: str, limit: int, cursor: str) -> DocumentsAnswer:
    page = engine.documents(query, limit=limit, cursor=cursor)
    return DocumentsAnswer([answers.listed(each) for each in page.documents], page.cursor)


def document(engine: Engine, name: str, limit: int, cursor: str) -> DocumentAnswer:
    """A document and its passages in order."""
    start = int(cursor) if cursor.isascii() and cursor.isdecimal() and len(cursor) < 10 else 0
    if cursor and str(start) != cursor:
        raise InputError("bad_cursor", "The cursor is not one of ours.", "Read without a cursor to start again.")
    found = engine.document(name)
    passages = engine.passages(found)
    more = str(start + limit) if len(passages) > start + limit else ""
    shown = [answers.passage(each) for each in passages[start : start + limit]]
    return DocumentAnswer(answers.listed(found), shown, more)


def delete(engine: Engine, name: str) -> DeleteAnswer:
    """All documents of a name. That there is none is told in the same form: OpenRAG's clients read it."""
    try:
        gone = engine.delete_called(name)
    except NotFoundError as error:
        return DeleteAnswer(False, 0, name, error=error.message, code=error.code, fix=error.fix)
    chunks = sum(document.chunks for document in gone)
    return DeleteAnswer(True, chunks, name, f"Deleted {name} ({chunks} passages).")


def delete_matching(engine: Engine, filter_id: str) -> DeleteAnswer:
    """All documents that a saved filter names, in the same form."""
    try:
        gone = engine.delete_matching(filter_id)
    except NotFoundError as error:
        return DeleteAnswer(False, 0, error=error.message, filter_id=filter_id, code=error.code, fix=error.fix)
    each = Counter[str]()
    for document in gone:
        each[document.name] += document.chunks
    message = f"{len(gone)} deleted."
    return DeleteAnswer(True, each.total(), None, message, None, [*each], filter_id, dict(each))


def search_entities(engine: Engine, query: str, type: str, limit: int) -> EntitySearchAnswer:
    found = engine.search_entities(query, type=type, limit=limit)
    return EntitySearchAnswer([FoundEntity(entity, score) for entity, score in found])


def stats(engine: Engine) -> StatsAnswer:
    counts = engine.stats()
    return StatsAnswer(counts.documents, counts.chunks, counts.pending)
