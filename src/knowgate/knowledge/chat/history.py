"""Conversations, kept as records. Nobody sees another's: an unknown one and a foreign one give the same answer."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import orjson

from knowgate.errors import ConflictError, InputError, NotFoundError
from knowgate.model import Chat, Message
from knowgate.store.port import Batch, Record, Store, new_id, scan_all_records

LONGEST_MESSAGE = 100_000
_TITLE = 60
_ID = re.compile(r"[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class ChatPage:
    chats: tuple[Chat, ...]
    cursor: str = ""
    """Hand it back for the next ones; empty when there are no more."""


class Chats:
    def __init__(self, store: Store) -> None:
        self._store = store

    def start(self, owner: str, first_message: str) -> Chat:
        """A conversation with nothing in it yet, named after the message it is going to begin with."""
        check_message(first_message)
        id = new_id()
        now = time.time()
        value = {"title": title(first_message), "created_at": now, "updated_at": now, "count": 0}
        self._store.apply(Batch(records=[Record("chat", _key(owner, id), value)]))
        return _chat(owner, id, value)

    def get(self, owner: str, chat_id: str) -> Chat:
        record = self._record(owner, chat_id)
        said = (row.value for row in scan_all_records(self._store, "chat_message", f"{record.id}/"))
        messages = tuple(Message(value["role"], value["content"], value["at"]) for value in said)
        # Read after the record: what came in between belongs to it, too.
        return replace(_chat(owner, chat_id, record.value), messages=messages, count=len(messages))

    def list(self, owner: str, limit: int = 100, cursor: str = "") -> ChatPage:
        """Newest activity first, without their messages. Those in which nothing was said are left out."""
        if not 1 <= limit <= 1000:
            raise InputError("bad_limit", f"The limit {limit} is out of range.", "Use 1 to 1000.")
        prefix = _key(owner, "")
        chats = [
            _chat(owner, row.id.removeprefix(prefix), row.value)
            for row in scan_all_records(self._store, "chat", prefix)
        ]
        told = sorted((chat for chat in chats if chat.count), key=_place, reverse=True)
        after = _after(cursor)
        left = [chat for chat in told if after is None or _place(chat) < after]
        more = len(left) > limit
        return ChatPage(tuple(left[:limit]), _cursor(left[limit - 1]) if more else "")

    def append(self, owner: str, chat_id: str, messages: Sequence[Message]) -> Chat:
        """Write a turn down, all of it or nothing; two at once come one after the other."""
        for message in messages:
            if message.role == "user":
                check_message(message.content)
        while True:
            record = self._record(owner, chat_id)
            count = record.value["count"]
            rows = [
                Record("chat_message", f"{record.id}/{n:08d}", {"role": m.role, "content": m.content, "at": m.at})
                for n, m in enumerate(messages, count)
            ]
            value = {**record.value, "count": count + len(messages), "updated_at": time.time()}
            if self._written(Batch(records=[*rows, Record("chat", record.id, value)], holds=[record])):
                return _chat(owner, chat_id, value)

    def delete(self, owner: str, chat_id: str) -> None:
        while True:
            record = self._record(owner, chat_id)
            said = [("chat_message", row.id) for row in scan_all_records(self._store, "chat_message", f"{record.id}/")]
            if self._written(Batch(drop=[*said, ("chat", record.id)], holds=[record])):
                return

    def _record(self, owner: str, chat_id: str) -> Record:
        record = self._store.record("chat", _key(owner, chat_id)) if _ID.fullmatch(chat_id) else None
        if record is None:
            fix = "List yours, or leave the chat_id out to begin a new one."
            raise NotFoundError("chat_not_found", "There is no such conversation.", fix)
        return record

    def _written(self, batch: Batch) -> bool:
        """False when somebody else was faster, so that it is their state to go on from."""
        try:
            self._store.apply(batch)
        except ConflictError as error:
            if error.code != "record_changed":
                raise
            return False
        return True


def check_message(text: str) -> None:
    if not text.strip():
        raise InputError("empty_message", "The message is empty.", "Ask something.")
    if len(text) > LONGEST_MESSAGE:
        message = f"The message has {len(text):,} characters."
        raise InputError("long_message", message, f"Keep it under {LONGEST_MESSAGE:,}, or ingest it as a document.")


def title(message: str) -> str:
    """The message in a line, cut between words."""
    line = " ".join(message[:1000].split())
    if len(line) <= _TITLE:
        return line
    words = line[:_TITLE].rpartition(" ")[0].rstrip(" ,;:–-")
    # A text without spaces, such as Chinese, is cut anywhere.
    return f"{words or line[: _TITLE - 1]}…"


def _key(owner: str, chat_id: str) -> str:
    return f"{quote(owner, safe='')}/{chat_id}"


def _chat(owner: str, id: str, value: Mapping[str, Any]) -> Chat:
    return Chat(id, owner, value["title"], value["created_at"], value["updated_at"], value["count"])


def _place(chat: Chat) -> tuple[float, str]:
    return chat.updated_at, chat.id


def _cursor(chat: Chat) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(_place(chat))).decode()


def _after(cursor: str) -> tuple[float, str] | None:
    if not cursor:
        return None
    try:
        at, id = orjson.loads(base64.urlsafe_b64decode(cursor))
        return float(at), str(id)
    except (ValueError, TypeError) as error:
        fix = "List again without a cursor to start at the beginning."
        raise InputError("bad_cursor", "The cursor is not one of ours.", fix) from error
