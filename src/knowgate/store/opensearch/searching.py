"""What documents, passages and the graph share: asking the index, and seeing one's own writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from knowgate.model import Filter
from knowgate.store.opensearch.connection import Answer, Cluster
from knowgate.store.opensearch.schema import knowledge_of
from knowgate.store.opensearch.view import WHOLE, Views
from knowgate.store.opensearch.where import Clause, clauses

_PAGE = 1000


class Searching:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._index = knowledge_of(cluster)
        self._views = Views(cluster, self._index)
        # Who comes expects to find what others had written before, so the first search is behind, too.
        self._writes = 1
        self._shown = 0
        self._counting = threading.Lock()

    def refresh(self) -> None:
        with self._counting:
            writes = self._writes
        self._cluster.ask("POST", f"/{self._index}/_refresh", patient=True)
        with self._counting:
            self._shown = max(self._shown, writes)
        self._views.renew()

    def _wrote(self) -> None:
        with self._counting:
            self._writes += 1

    def _show_own(self) -> None:
        """Others wait for the index to refresh itself; who has just written something expects to find it."""
        with self._counting:
            behind = self._writes > self._shown
        if behind:
            self.refresh()

    def _search(self, body: Answer) -> Answer:
        self._show_own()
        return self._cluster.ask("POST", f"/{self._index}/_search", body, WHOLE)

    def _filters(self, where: Filter) -> list[Clause]:
        return clauses(where, self._everybody)

    def _rows(
        self, filters: list[Clause], sort: list[str], fields: list[str], after: list[Any], most: int = 1 << 40
    ) -> Iterator[Answer]:
        """Rows in an order that leaves no two in the same place, in pages no longer than what is wanted."""
        page = max(1, min(most, _PAGE))
        while True:
            body: Answer = {
                "query": {"bool": {"filter": filters}},
                "sort": [{each: "asc"} for each in sort],
                "size": page,
                "_source": fields,
                **({"search_after": after} if after else {}),
            }
            hits = self._search(body)["hits"]["hits"]
            for hit in hits:
                yield hit["_source"]
            if len(hits) < page:
                return
            after = hits[-1]["sort"]

    def _everybody(self) -> Iterator[tuple[str, str, str]]:
        filters = [{"term": {"kind": "document"}}]
        for row in self._rows(filters, ["document"], ["document", "name", "source"], []):
            yield row["document"], row["name"], row["source"]
