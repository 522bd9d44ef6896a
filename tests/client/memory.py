"""A server that speaks Knowgate's wire and keeps everything in memory, as simple as can be."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

from loopback import Answer, Asked, events, stream

from knowgate import wire

MOMENT = "2026-01-02T03:04:05+00:00"


class Memory:
    def __init__(self, key: str) -> None:
        self._key = key
        self._texts: dict[str, str] = {}
        self._tasks: dict[str, wire.TaskAnswer] = {}
        self._chats: dict[str, list[wire.ConversationMessage]] = {}
        self._filters: dict[str, wire.FilterItem] = {}
        self._keys: dict[str, wire.KeyItem] = {}
        self._chunk_size = 1000

    def __call__(self, asked: Asked) -> Answer:
        if asked.headers.get("x-api-key") != self._key:
            return refused(401, "invalid_key", "Invalid API key.")
        room, *rest = asked.parts
        answer = getattr(self, f"{asked.method.lower()}_{room.replace('-', '_')}")(asked, rest)
        if isinstance(answer, Answer):
            return answer
        return Answer(dataclasses.asdict(answer))

    def post_chat(self, asked: Asked, rest: Sequence[str]) -> object:
        said = asked.json
        if not said["message"].strip():
            return refused(400, "blank_message", "The message is blank.")
        chat_id = said.get("chat_id") or f"chat{len(self._chats) + 1}"
        if said.get("chat_id") and chat_id not in self._chats:
            return refused(404, "chat_not_found", "No such chat.")
        sources = self._find(said["message"], said.get("filters") or {})
        text = f"{sources[0].text} [1]" if sources else "The documents do not answer this."
        turns = self._chats.setdefault(chat_id, [])
        turns.append(wire.ConversationMessage("user", said["message"], MOMENT))
        turns.append(wire.ConversationMessage("assistant", text, MOMENT))
        cited = (1,) if sources else ()
        if not said["stream"]:
            return wire.ChatReply(text, chat_id, sources, cited, bool(sources))
        pieces = [{"type": "content", "delta": word} for word in re.split(r"(?<= )", text)]
        found = {"type": "sources", "sources": [dataclasses.asdict(source) for source in sources]}
        done = {"type": "done", "chat_id": chat_id, "answered": bool(sources), "cited": cited}
        return stream(b": ping\n\n", *events(*pieces, found, done))

    def get_chat(self, asked: Asked, rest: Sequence[str]) -> object:
        if not rest:
            chats = [wire.Conversation(id, "A chat", MOMENT, MOMENT, len(turns)) for id, turns in self._chats.items()]
            return wire.ConversationList(chats)
        if rest[0] not in self._chats:
            return refused(404, "chat_not_found", "No such chat.")
        turns = self._chats[rest[0]]
        return wire.ConversationDetail(rest[0], "A chat", MOMENT, MOMENT, len(turns), turns)

    def delete_chat(self, asked: Asked, rest: Sequence[str]) -> object:
        return wire.Done(self._chats.pop(rest[0], None) is not None)

    def post_search(self, asked: Asked, rest: Sequence[str]) -> object:
        said = asked.json
        if not said["query"].strip():
            return refused(400, "blank_query", "The query is blank.")
        found = self._find(said["query"], said.get("filters") or {})
        start, limit = int(said.get("cursor") or 0), said.get("limit", 10)
        more = str(start + limit) if len(found) > start + limit else ""
        return wire.SearchAnswer(found[start : start + limit], said.get("mode", "hybrid"), more)

    def post_documents(self, asked: Asked, rest: Sequence[str]) -> object:
        if asked.headers["content-type"].startswith("multipart/"):
            new = {name: content.decode() for name, content in asked.files.items()}
        else:
            new = {asked.json["filename"]: asked.json["text"]}
        self._texts |= new
        id, count = f"task{len(self._tasks) + 1}", len(new)
        files = {name: wire.FileAnswer(name, "completed", 1) for name in new}
        self._tasks[id] = wire.TaskAnswer(
            id, "ingest", "completed", "done", count, count, count, 0, 0, 0, 0, MOMENT, MOMENT, 0.1, files
        )
        answer = wire.IngestAnswer(id, "Queued.", count, next(iter(new)) if count == 1 else None)
        return Answer(dataclasses.asdict(answer), 202)

    def get_documents(self, asked: Asked, rest: Sequence[str]) -> object:
        if not rest:
            names = [name for name in sorted(self._texts) if asked.query.get("query", "") in name]
            start, limit = int(asked.query.get("cursor", 0)), int(asked.query.get("limit", 1))
            more = str(start + limit) if len(names) > start + limit else ""
            return wire.DocumentsAnswer([self._listed(name) for name in names[start : start + limit]], more)
        name = "/".join(rest)
        if name not in self._texts:
            return refused(404, "document_not_found", f"There is no document {name}.")
        text = self._texts[name]
        return wire.DocumentAnswer(self._listed(name), [wire.Passage(text, None, (), 0, len(text))], "")

    def delete_documents(self, asked: Asked, rest: Sequence[str]) -> object:
        if "filter_id" in asked.json:
            scope = json.loads(self._filters[asked.json["filter_id"]].query_data)
            gone = [name for name in self._texts if name in scope["filters"]["data_sources"]]
        else:
            gone = [name for name in self._texts if name == asked.json["filename"]]
        for name in gone:
            del self._texts[name]
        answer = wire.DeleteAnswer(bool(gone), len(gone), filenames=gone)
        return Answer(dataclasses.asdict(answer), 200 if gone else 404)

    def get_tasks(self, asked: Asked, rest: Sequence[str]) -> object:
        if not rest:
            return wire.TaskList(list(self._tasks.values()))
        return self._tasks.get(rest[0]) or refused(404, "task_not_found", "Task not found")

    def post_tasks(self, asked: Asked, rest: Sequence[str]) -> object:
        return self._tasks[rest[0]]

    def post_knowledge_filters(self, asked: Asked, rest: Sequence[str]) -> object:
        if rest == ["search"]:
            return wire.FilterList(True, [each for each in self._filters.values() if asked.json["query"] in each.name])
        id = f"filter{len(self._filters) + 1}"
        said = asked.json
        data = json.dumps(said["queryData"])
        self._filters[id] = wire.FilterItem(id, said["name"], said["description"], data, "local", MOMENT, MOMENT)
        return Answer(dataclasses.asdict(wire.FilterCreated(True, id, self._filters[id])), 201)

    def get_knowledge_filters(self, asked: Asked, rest: Sequence[str]) -> object:
        if rest[0] not in self._filters:
            return refused(404, "filter_not_found", "No such filter.")
        return wire.FilterAnswer(True, self._filters[rest[0]])

    def put_knowledge_filters(self, asked: Asked, rest: Sequence[str]) -> object:
        said = {"query_data" if name == "queryData" else name: value for name, value in asked.json.items()}
        if "query_data" in said:
            said["query_data"] = json.dumps(said["query_data"])
        self._filters[rest[0]] = dataclasses.replace(self._filters[rest[0]], **said)
        return wire.FilterAnswer(True, self._filters[rest[0]])

    def delete_knowledge_filters(self, asked: Asked, rest: Sequence[str]) -> object:
        return wire.Done(self._filters.pop(rest[0], None) is not None)

    def get_settings(self, asked: Asked, rest: Sequence[str]) -> object:
        knowledge = wire.KnowledgeSettings("local", "minilm", self._chunk_size, 0, True, False, False)
        return wire.SettingsAnswer(wire.AgentSettings("none", None, ""), knowledge)

    def post_settings(self, asked: Asked, rest: Sequence[str]) -> object:
        self._chunk_size = asked.json["chunk_size"]
        return wire.SettingsChanged("Settings updated.")

    def get_models(self, asked: Asked, rest: Sequence[str]) -> object:
        return refused(400, "unknown_provider", f"There is no provider {rest[0]}.")

    def get_keys(self, asked: Asked, rest: Sequence[str]) -> object:
        return wire.KeyList(list(self._keys.values()))

    def post_keys(self, asked: Asked, rest: Sequence[str]) -> object:
        said, id = asked.json, f"key{len(self._keys) + 1}"
        common: dict[str, Any] = {
            "key_id": id,
            "key_prefix": "orag_abc",
            "name": said["name"],
            "scopes": said.get("scopes", ["read"]),
            "filter_id": said.get("filter_id"),
            "created_at": MOMENT,
            "expires_at": said.get("expires_at"),
        }
        self._keys[id] = wire.KeyItem(**common, revoked_at=None)
        return wire.KeyCreated(True, **common, api_key="orag_" + "x" * 43)

    def delete_keys(self, asked: Asked, rest: Sequence[str]) -> object:
        self._keys[rest[0]] = dataclasses.replace(self._keys[rest[0]], revoked_at=MOMENT)
        return wire.Done(True)

    def get_stats(self, asked: Asked, rest: Sequence[str]) -> object:
        return wire.StatsAnswer(len(self._texts), len(self._texts), 0)

    def _find(self, query: str, filters: dict[str, list[str]]) -> list[wire.Result]:
        """Passages that share a longer word with the query."""
        words = {word.strip("?.,").lower() for word in query.split() if len(word) > 3}
        within = filters.get("data_sources")
        return [
            wire.Result(name, text, 0.5)
            for name, text in sorted(self._texts.items())
            if (query == "*" or any(word in text.lower() for word in words)) and (within is None or name in within)
        ]

    def _listed(self, name: str) -> wire.Listed:
        size = len(self._texts[name])
        return wire.Listed(name, name, name, "text", "text/plain", size, 1, "local", MOMENT, MOMENT, None)


def refused(status: int, code: str, message: str) -> Answer:
    return Answer({"error": message, "code": code, "request_id": "r1", "fix": ""}, status)
