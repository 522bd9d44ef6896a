"""One state of the index, as searches see it.

A passage is written before the row of its document names its generation, and removed after that row has gone or names
another. All of a document lies in one shard, so whatever state of a shard a point in time shows, the generation named
there is whole there. A hit of any other generation is not yet, or no longer, part of a document.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from knowgate.errors import KnowgateError
from knowgate.store.opensearch.connection import Answer, Cluster, Params
from knowgate.store.opensearch.failures import may_pass
from knowgate.store.opensearch.rows import row_id

Found = TypeVar("Found")
LIFE_SECONDS = 1.0
_KEPT_ALIVE = "1m"
_ATTEMPTS = 6
WHOLE = {"allow_partial_search_results": "false"}
"""An answer without one of the shards would look like one without those documents."""
_WIDE = 400
"""How many neighbours are looked at, though fewer are wanted: a wider look finds more of the true ones."""
_WHOLE_VIEW = {"keep_alive": _KEPT_ALIVE, "allow_partial_pit_creation": "false"}
WINDOW = 10_000
"""How many hits a cluster gives at most."""


class View:
    def __init__(self, cluster: Cluster, index: str) -> None:
        answer = cluster.ask("POST", f"/{index}/_search/point_in_time", None, _WHOLE_VIEW)
        self._cluster = cluster
        self._pit = answer["pit_id"]
        self._generations: dict[str, str] = {}
        self.opened = time.monotonic()
        self.users = 0
        self.replaced = False

    def search(self, body: Answer, params: Params | None = None) -> Answer:
        body = body | {"pit": {"id": self._pit, "keep_alive": _KEPT_ALIVE}}
        return self._cluster.ask_once("POST", "/_search", body, {**WHOLE, **(params or {})})

    def generations(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Of the documents that are there."""
        unknown = list(set(document_ids) - self._generations.keys())
        for start in range(0, len(unknown), WINDOW):
            page = unknown[start : start + WINDOW]
            query = {"ids": {"values": [row_id("d", id) for id in page]}}
            body = {"query": query, "size": len(page), "_source": False, "docvalue_fields": ["document", "generation"]}
            named = {
                hit["fields"]["document"][0]: hit["fields"]["generation"][0]
                for hit in self.search(body)["hits"]["hits"]
            }
            self._generations.update({id: named.get(id, "") for id in page})
        return self._generations

    def whole(self, body: Answer, wanted: int, params: Params | None = None) -> list[tuple[str, float]]:
        """The best passages, of documents that are there as a whole: (passage, score)."""
        size = min(wanted + 10, WINDOW)
        while True:
            asked = body | {"size": size, "_source": False, "docvalue_fields": ["document", "generation", "ordinal"]}
            hits = [(hit["fields"], hit["_score"]) for hit in self.search(_sized(asked, size), params)["hits"]["hits"]]
            named = self.generations(fields["document"][0] for fields, _ in hits)
            found = [
                (f"{fields['document'][0]}:{fields['ordinal'][0]}", float(score))
                for fields, score in hits
                if named[fields["document"][0]] == fields["generation"][0]
            ]
            if len(found) >= wanted or len(hits) < size or size == WINDOW:
                return found[:wanted]
            size = min(4 * size, WINDOW)

    def close(self) -> None:
        self._cluster.ask_once("DELETE", "/_search/point_in_time", {"pit_id": [self._pit]}, missing_ok=True)


def _sized(body: Answer, size: int) -> Answer:
    """Nearest neighbours are looked for with a number of their own."""
    knn = body["query"].get("knn")
    if knn is None:
        return body
    ((field, how),) = knn.items()
    return body | {"query": {"knn": {field: how | {"k": max(size, _WIDE)}}}}


class Views:
    """Searches of the same second share a view."""

    def __init__(self, cluster: Cluster, index: str) -> None:
        self._cluster = cluster
        self._index = index
        self._lock = threading.Lock()
        self._current: View | None = None

    def look(self, search: Callable[[View], Found]) -> Found:
        for attempt in range(_ATTEMPTS):
            view = self._take()
            try:
                return search(view)
            except KnowgateError as error:
                # A view is bound to the nodes it was opened on; when one of them goes, another view may do.
                self.renew()
                if attempt == _ATTEMPTS - 1 or not may_pass(error):
                    raise
                time.sleep(0.2 * 2**attempt)
            finally:
                self._give(view)
        raise AssertionError

    def renew(self) -> None:
        """The next search looks anew."""
        with self._lock:
            old, self._current = self._current, None
        if old is not None:
            old.replaced = True
            self._give(old, 0)

    def close(self) -> None:
        self.renew()

    def _take(self) -> View:
        with self._lock:
            fresh = self._current is not None and time.monotonic() - self._current.opened < LIFE_SECONDS
        if not fresh:
            self.renew()
        with self._lock:
            if self._current is None:
                self._current = View(self._cluster, self._index)
            self._current.users += 1
            return self._current

    def _give(self, view: View, taken: int = 1) -> None:
        with self._lock:
            view.users -= taken
            done = view.replaced and view.users == 0
        if done:
            try:
                view.close()
            except KnowgateError:
                return  # it ends by itself after a while
