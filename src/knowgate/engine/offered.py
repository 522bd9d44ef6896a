"""Which operations a caller could ever be allowed to call, and what in the index tells of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from knowgate.errors import InputError
from knowgate.knowledge.sources import document_id

if TYPE_CHECKING:
    from knowgate.apis.compiled import Entry
    from knowgate.apis.operation import Operation
    from knowgate.guard.policy import Action
    from knowgate.model import Principal
    from knowgate.rooms import Rooms


def source_of(api: str) -> str:
    """Of the document that an API is in the index."""
    return f"api:{api}"


def offered(rooms: Rooms, principal: Principal, entries: Sequence[Entry]) -> list[Entry]:
    """Those that are accepted and that the policy does not deny whatever the arguments."""
    now = datetime.now(UTC)
    waiting = rooms.pins.waiting(entries)
    return [
        entry
        for entry in entries
        if entry.id not in waiting and rooms.gate.offers(listed(rooms, principal, entry, now))
    ]


def listed(rooms: Rooms, principal: Principal, entry: Entry, now: datetime) -> Action:
    """As much as is known before there are arguments."""
    from knowgate.guard.policy import Action, changes_something

    return Action(
        kind="operation",
        principal=principal,
        now=now,
        scope="apis",
        tool="knowgate_run_operation",
        operation=entry.id,
        api=entry.api,
        tags=entry.tags,
        method=entry.method,
        url=known_base_url(rooms, entry.api) + entry.path,
        auth_profile=next(iter(rooms.settings.apis[entry.api].auth), ""),
        changes=changes_something(entry.method, entry.id, entry.path, entry.summary),
    )


def base_url(rooms: Rooms, api: str, operation: Operation | None = None) -> str:
    from knowgate.apis.servers import base_of

    described = rooms.apis.catalogue.apis[api]
    configured = rooms.settings.apis[api].base_url or ""
    return base_of(operation or described, source=described.source, base_url=configured)


def known_base_url(rooms: Rooms, api: str, operation: Operation | None = None) -> str:
    """Empty where nobody said where it is; calling it tells what to do."""
    try:
        return base_url(rooms, api, operation)
    except InputError:
        return ""


def hidden_documents(rooms: Rooms, principal: Principal, *, whole: bool) -> tuple[str, ...]:
    """Ids of the documents of APIs that are not for him; with `whole`, of those that are only in part, too."""
    if not principal.has("apis"):
        return tuple(_documents(rooms))
    if not whole or not _decides(rooms):
        return ()
    now = datetime.now(UTC)

    def is_whole(api: str) -> bool:
        entries = _indexed(rooms, api)
        return bool(entries) and all(rooms.gate.offers(listed(rooms, principal, entry, now)) for entry in entries)

    return tuple(id for id, name in _documents(rooms).items() if not is_whole(name))


def passage_filter(rooms: Rooms, principal: Principal) -> Callable[[str], bool]:
    """Tells by its id whether a passage may be shown, looking at an API when the first of its passages comes up."""
    documents = _documents(rooms) if _decides(rooms) else {}
    known: dict[str, Sequence[Entry]] = {}

    def may_show(chunk_id: str) -> bool:
        document, _, place = chunk_id.rpartition(":")
        if document not in documents:
            return True
        if document not in known:
            known[document] = _indexed(rooms, documents[document])
        now = datetime.now(UTC)
        return any(
            rooms.gate.offers(listed(rooms, principal, entry, now)) for entry in known[document][int(place) :][:1]
        )

    return may_show


def _decides(rooms: Rooms) -> bool:
    """Without a policy of his own nobody has decided to hide an operation."""
    return rooms.settings.policy.file is not None


def _documents(rooms: Rooms) -> dict[str, str]:
    """The APIs by the ids of their documents."""
    return {document_id(source_of(name)): name for name in rooms.settings.apis}


def _indexed(rooms: Rooms, api: str) -> Sequence[Entry]:
    """The operations in the order of the passages; none if it cannot be told which passage is which operation."""
    from knowgate.engine.finding import is_current

    id = document_id(source_of(api))
    catalogue = rooms.apis.catalogue
    described, stored = catalogue.apis.get(api), rooms.store.documents([id]).get(id)
    return catalogue.list(api=api) if described and is_current(rooms, described, stored) else ()
