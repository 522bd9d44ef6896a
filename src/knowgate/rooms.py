"""The composition root: builds the rooms from the settings, each when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from knowgate.config.settings import Settings
from knowgate.errors import NotFoundError
from knowgate.knowledge.tasks import Tasks
from knowgate.model import NOTHING, Filter
from knowgate.store.port import Store

if TYPE_CHECKING:
    from knowgate.guard.keys import Keys
    from knowgate.knowledge.chat.chat import Answering
    from knowgate.knowledge.chat.history import Chats
    from knowgate.knowledge.chat.models import ChatModel
    from knowgate.knowledge.embed.port import Embedder
    from knowgate.knowledge.embedding import Embedding
    from knowgate.knowledge.filters import Filters
    from knowgate.knowledge.inbox import Inbox
    from knowgate.knowledge.ingest import Ingest
    from knowgate.knowledge.leases import Leases
    from knowgate.knowledge.search import Search

Room = TypeVar("Room")


class once(Generic[Room]):  # noqa: N801
    """A property that is built on first use, by one thread."""

    def __init__(self, build: Callable[[Any], Room]) -> None:
        self._build = build

    def __get__(self, rooms: Any, _: type) -> Room:
        with rooms._lock:
            if self not in rooms._built:
                rooms._built[self] = self._build(rooms)
            return rooms._built[self]


class Rooms:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.wanted = settings
        """What will be in force after the next start."""
        self.changing = threading.Lock()
        self.submitted = threading.Condition()
        """Told when there is a new task."""
        self.submissions = 0
        self.local_only = True
        """Whether nobody but this machine can reach us; then the local user needs no key."""
        self.attended = False
        """Whether somebody in this process takes tasks up by himself."""
        self._lock = threading.RLock()
        self._built: dict[object, object] = {}
        self._closers = ExitStack()

    @once
    def store(self) -> Store:
        from knowgate.store.sqlite.store import SqliteStore

        store = SqliteStore(self.settings.data, self.settings.store.sync)
        self._closers.callback(store.close)
        return store

    @once
    def tasks(self) -> Tasks:
        return Tasks(self.store)

    @once
    def keys(self) -> Keys:
        from knowgate.guard.keys import Keys

        return Keys(self.store)

    @once
    def filters(self) -> Filters:
        from knowgate.knowledge.filters import Filters

        return Filters(self.store)

    @once
    def chats(self) -> Chats:
        from knowgate.knowledge.chat.history import Chats

        return Chats(self.store)

    @once
    def inbox(self) -> Inbox:
        from knowgate.knowledge.inbox import Inbox

        inbox = Inbox(self.settings.data.absolute(), self.tasks, self.settings.parse.max_file_mb * 1024 * 1024)
        inbox.sweep()
        return inbox

    def embedder(self) -> Embedder:
        return self._embedder

    @once
    def _embedder(self) -> Embedder:
        from knowgate.knowledge.embed import create_embedder

        chosen = self.settings.embedder
        values = chosen.model_dump(exclude={"api_key"})
        embedder = create_embedder(**values, api_key=chosen.api_key.get_secret_value() if chosen.api_key else None)
        self._closers.callback(embedder.close)
        return embedder

    @once
    def search(self) -> Search:
        from knowgate.knowledge.search import Search

        return Search(self.store, self.embedder)

    @once
    def answering(self) -> Answering:
        from knowgate.knowledge.chat.chat import Answering

        # The model and what it is told can be changed while we run, so both are looked up at every message.
        return Answering(self.search, self.embedder, lambda: self.model, lambda: self.settings.chat)

    @once
    def model(self) -> ChatModel | None:
        chosen = self.settings.chat
        if chosen.provider == "none":
            return None
        from knowgate.knowledge.chat.models import create_model

        return create_model(
            chosen.provider,
            chosen.model,
            base_url=chosen.base_url,
            api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
            timeout_seconds=chosen.timeout_seconds,
            region=chosen.region,
        )

    def model_names(self) -> list[str]:
        """What the provider of chat offers."""
        from knowgate.knowledge.chat.listing import list_models

        chosen = self.settings.chat
        key = chosen.api_key.get_secret_value() if chosen.api_key else None
        return list_models(chosen.provider, base_url=chosen.base_url, api_key=key)

    @once
    def leases(self) -> Leases:
        from knowgate.knowledge.leases import Leases

        leases = Leases(self.store)
        self._closers.callback(leases.close)
        return leases

    @once
    def embedding(self) -> Embedding:
        from knowgate.knowledge.embedding import Embedding

        return Embedding(self.store, self.leases, self.embedder)

    @once
    def ingest(self) -> Ingest:
        from knowgate.knowledge.ingest import Ingest
        from knowgate.knowledge.parse.reader import ParseOptions
        from knowgate.knowledge.parse.sandbox import Sandbox
        from knowgate.knowledge.reading import Reading, ReadRules
        from knowgate.net import NetRules

        parse, fetch = self.settings.parse, self.settings.fetch
        sandbox = Sandbox(parse.timeout_seconds, parse.memory_mb * 1024 * 1024, parse.workers)
        leases = self.leases
        self._closers.callback(sandbox.close)
        rules = ReadRules(
            max_file_bytes=parse.max_file_mb * 1024 * 1024,
            # What is longer than the embedder reads would be cut off when it is embedded.
            chunk_tokens=min(self.settings.chunk.tokens, self.embedder().max_tokens),
            options=ParseOptions(ocr=parse.ocr),
            net=NetRules(fetch.allow_private, fetch.allow_hosts, fetch.max_mb * 1024 * 1024, fetch.timeout_seconds),
        )
        return Ingest(
            self.store,
            leases,
            self.tasks,
            Reading(self.store, sandbox, rules, lambda text: self.embedder().count(text)),
            self.embedding,
            exclude=self.settings.ingest.exclude,
            data=self.settings.data.resolve(),
            workers=parse.workers,
            bound=self.bound,
        )

    def bound(self, filter_id: str) -> Filter:
        """What a saved filter lets through; one that is gone lets nothing through."""
        try:
            return self.filters.get(filter_id).where
        except NotFoundError:
            return NOTHING

    def change(self, settings: Settings) -> None:
        """Go on with other settings for chat; the others come into force with the next start."""
        with self._lock:
            self.wanted = settings
            self.settings = self.settings.model_copy(update={"chat": settings.chat})
            self._built.pop(Rooms.__dict__["model"], None)

    def close(self) -> None:
        self._closers.close()
