"""The composition root: builds the rooms from the settings, each when it is first needed."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from knowgate.config.settings import Settings
from knowgate.errors import NotFoundError, StorageError
from knowgate.knowledge.tasks import Tasks
from knowgate.model import NOTHING, Filter, Schema
from knowgate.store.port import Store

if TYPE_CHECKING:
    from pathlib import Path

    from knowgate.apis.credentials.wallet import Wallet
    from knowgate.apis.kept import Kept
    from knowgate.apis.opening import Opened
    from knowgate.apis.pins import Pins
    from knowgate.apis.ranking import Ranker
    from knowgate.config.settings import Store as StoreSettings
    from knowgate.guard.approvals import Approvals
    from knowgate.guard.audit.trail import Trail
    from knowgate.guard.gate import Gate
    from knowgate.guard.keys import Keys
    from knowgate.guard.policy import Policy, Redact
    from knowgate.guard.redact import Redactor
    from knowgate.guard.switch import Switch
    from knowgate.knowledge.chat.chat import Answering
    from knowgate.knowledge.chat.history import Chats
    from knowgate.knowledge.chat.models import ChatModel
    from knowgate.knowledge.embed.port import Embedder
    from knowgate.knowledge.embedding import Embedding
    from knowgate.knowledge.extract.llm.stage import ModelExtraction
    from knowgate.knowledge.filters import Filters
    from knowgate.knowledge.graph.graph import Graph
    from knowgate.knowledge.graph.meta import Meta
    from knowgate.knowledge.inbox import Inbox
    from knowgate.knowledge.ingest import Ingest
    from knowgate.knowledge.leases import Leases
    from knowgate.knowledge.search import Search
    from knowgate.store.opensearch.connection import Address

Room = TypeVar("Room")
_MOST_REDACTORS = 32
"""Each takes a while to make; a policy has a few, and who changes it often shall not fill the memory."""


class once(Generic[Room]):  # noqa: N801
    """A property that is built on first use, by one thread."""

    def __init__(self, build: Callable[[Any], Room]) -> None:
        self._build = build

    def __get__(self, rooms: Any, _: type) -> Room:
        with self._lock(rooms):
            if self not in rooms._built:
                rooms._built[self] = self._build(rooms)
            return rooms._built[self]

    def _lock(self, rooms: Any) -> threading.RLock:
        return rooms._lock


class once_reachable(once[Room]):  # noqa: N801
    """One that may have to wait for the network: meanwhile it holds up only those who want it."""

    def _lock(self, rooms: Any) -> threading.RLock:
        return rooms._reaching


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
        self._reaching = threading.RLock()
        self._built: dict[object, object] = {}
        self._closers = ExitStack()
        self._redactors: dict[tuple[tuple[str, ...], Redact], Redactor] = {}

    @once
    def store(self) -> Store:
        store = open_store(with_login(self.settings), self.settings.data)
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
    def policy(self) -> Callable[[], Policy]:
        from knowgate.guard.building import policy_of

        return policy_of(self.settings.policy)

    @once
    def trail(self) -> Trail | None:
        from knowgate.guard.building import trail_of

        return trail_of(self.settings.audit, self.settings.data)

    @once
    def approvals(self) -> Approvals:
        from knowgate.guard.approvals import Approvals

        return Approvals(self.store, self.settings.policy.approval_seconds)

    @once
    def switch(self) -> Switch:
        from knowgate.guard.switch import Switch

        return Switch(self.store)

    @once
    def gate(self) -> Gate:
        from knowgate.guard.building import limits_of
        from knowgate.guard.gate import Gate
        from knowgate.guard.wariness import Wariness

        limits = limits_of(self.settings.limits, self.switch, self.store)
        return Gate(self.policy, self.trail, self.approvals, limits, Wariness(self.store))

    def redactor(self, secrets: Iterable[str] = (), more: Redact | None = None) -> Redactor:
        """Hides what the settings say, our own secrets, and what a rule of the policy says on top."""
        from knowgate.guard.building import redactor_of
        from knowgate.guard.policy import Redact

        key = tuple(secrets), more or Redact()
        with self._lock:
            if key not in self._redactors:
                if len(self._redactors) >= _MOST_REDACTORS:
                    self._redactors.clear()
                self._redactors[key] = redactor_of(self.settings.redact, *key)
            return self._redactors[key]

    @once_reachable
    def apis(self) -> Opened:
        from knowgate.apis.building import apis_of
        from knowgate.knowledge.fetch import fetch

        return apis_of(self.settings, lambda url, rules: fetch(url, rules).data)

    @once_reachable
    def pins(self) -> Pins:
        """What of the APIs is not as it was accepted."""
        from knowgate.apis.pins import Pins

        return Pins(self.store, self.apis.catalogue)

    @once_reachable
    def wallet(self) -> Wallet:
        from knowgate.apis.building import wallet_of

        # Its variables are looked up when they are needed: what a person exports is a secret, not a setting.
        return wallet_of(self.settings, self.apis, os.environ)

    @once_reachable
    def ranker(self) -> Ranker:
        from knowgate.apis.ranking import Ranker

        return Ranker(self.apis.catalogue.list())

    @once
    def kept(self) -> Kept:
        """What had no room in the answers of APIs."""
        from knowgate.apis.kept import Kept

        return Kept()

    @once
    def filters(self) -> Filters:
        from knowgate.knowledge.filters import Filters

        return Filters(self.store)

    @once
    def chats(self) -> Chats:
        from knowgate.knowledge.chat.history import Chats

        return Chats(self.store)

    @property
    def home(self) -> str:
        """Where paths are meant that are named here: other machines share the store, not the disk."""
        return f"{socket.gethostname()}:{self.settings.data.absolute()}"

    @once
    def inbox(self) -> Inbox:
        from knowgate.knowledge.inbox import Inbox

        inbox = Inbox(self.store, self.tasks, self.settings.parse.max_file_mb * 1024 * 1024)
        inbox.sweep()
        return inbox

    def embedder(self) -> Embedder:
        return self._embedder

    @once
    def _embedder(self) -> Embedder:
        from knowgate.knowledge.building import embedder_of

        embedder = embedder_of(self.settings.embedder)
        self._closers.callback(embedder.close)
        return embedder

    @once
    def search(self) -> Search:
        from knowgate.knowledge.search import Search

        return Search(self.store, self.embedder, lambda: self.graph)

    @once
    def answering(self) -> Answering:
        from knowgate.knowledge.chat.chat import Answering

        # The model and what it is told can be changed while we run, so both are looked up at every message.
        return Answering(self.search, self.embedder, lambda: self.model, lambda: self.settings.chat)

    @once
    def model(self) -> ChatModel | None:
        from knowgate.knowledge.building import model_of

        return model_of(self.settings.chat)

    def model_names(self) -> list[str]:
        """What the provider of chat offers."""
        from knowgate.knowledge.building import model_names

        return model_names(self.settings.chat)

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
        from knowgate.knowledge.building import read_rules_of, sandbox_of
        from knowgate.knowledge.ingest import Ingest
        from knowgate.knowledge.reading import Reading

        leases = self.leases
        sandbox = sandbox_of(self.settings)
        self._closers.callback(sandbox.close)
        extractor = self._extraction.fingerprint if self._extraction else ""
        rules = read_rules_of(self.settings, self.embedder(), self.schema, extractor)
        return Ingest(
            self.store,
            leases,
            self.tasks,
            Reading(self.store, sandbox, rules, lambda text: self.embedder().count(text)),
            self.embedding,
            self._extraction,
            exclude=self.settings.ingest.exclude,
            data=self.settings.data.resolve(),
            workers=self.settings.parse.workers,
            bound=self.bound,
        )

    @once
    def _extraction(self) -> ModelExtraction | None:
        from knowgate.knowledge.building import extraction_of

        return extraction_of(self.settings.extract, self.store, self.leases, self.schema)

    @property
    def schema(self) -> Schema:
        from knowgate.knowledge.building import schema_of

        return schema_of(self.settings.schema_)

    @once
    def graph(self) -> Graph:
        from knowgate.knowledge.graph.graph import Graph

        return Graph(self.store, self.schema)

    def _meta(self) -> Meta:
        """With what documents are indexed from now on."""
        from knowgate.knowledge.graph.meta import Maker, Meta

        chosen, extractor, schema = self.settings.embedder, self.settings.extract, self.schema
        return Meta(
            Maker("local" if chosen.provider == "minilm" else chosen.provider, chosen.model),
            Maker("rules") if extractor.provider == "none" else Maker(extractor.provider, extractor.model),
            schema.entity_types,
            schema.relation_types,
            time.time(),
            self.store.stats().documents,
        )

    def note_indexed(self) -> None:
        """Write down with what the documents were indexed."""
        from knowgate.knowledge.graph import meta

        meta.write(self.settings.data, self._meta())

    def config_changes(self) -> list[str]:
        """What was configured otherwise when documents were indexed last."""
        from knowgate.knowledge.graph import meta

        try:
            before = meta.read(self.settings.data)
        except StorageError as error:
            return [str(error)]
        return [each.sentence for each in meta.changes(before, self._meta())] if before else []

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


def open_store(chosen: StoreSettings, data: Path) -> Store:
    if chosen.provider == "opensearch":
        from knowgate.store.opensearch.store import OpenSearchStore

        return OpenSearchStore(cluster_address(chosen))
    from knowgate.store.sqlite.store import SqliteStore

    return SqliteStore(data, chosen.sync)


def store_exists(chosen: StoreSettings, data: Path) -> bool:
    """Opening one makes it."""
    if chosen.provider == "opensearch":
        from knowgate.store.opensearch.indexes import exist

        return exist(cluster_address(chosen))
    return (data / "store.db").is_file()


def with_login(settings: Settings) -> StoreSettings:
    """How the store is to be opened, with the secrets of the profile that it names."""
    chosen = settings.store
    if chosen.auth is None:
        return chosen
    from knowgate.apis.building import login_of

    # As for APIs: what a person exports is a secret, not a setting.
    return chosen.model_copy(update=login_of(settings, chosen.auth, os.environ))


def cluster_address(chosen: StoreSettings) -> Address:
    from knowgate.store.opensearch.connection import Address

    key, token = (each.get_secret_value() if each else "" for each in (chosen.api_key, chosen.token))
    return Address(
        chosen.url,
        chosen.user or "",
        chosen.password.get_secret_value() if chosen.password else "",
        f"ApiKey {key}" if key else f"Bearer {token}" if token else "",
        str(chosen.ca_file) if chosen.ca_file else None,
        chosen.verify,
        chosen.prefix,
        chosen.shards,
        chosen.replicas,
        chosen.timeout_seconds,
    )
