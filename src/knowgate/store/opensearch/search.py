"""Words and vectors: what is asked of a view, and how its scores become those that the port promises."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

from knowgate.errors import ConflictError
from knowgate.store.opensearch.connection import Answer, Cluster
from knowgate.store.opensearch.failures import failure
from knowgate.store.opensearch.schema import knowledge_of, vector_field
from knowgate.store.opensearch.view import View
from knowgate.store.opensearch.where import Clause
from knowgate.store.port import Scored, Space, Vector

_K1 = 1.2
MOST_TERMS = 600
"""A cluster takes 1,024 clauses in a query, and filters need some."""
_MOST_SHARDS_TRIED = 10_000


class Rarity:
    """How rare terms are, from the counts that scoring itself uses; asking for them costs no search."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._index = knowledge_of(cluster)
        self._lock = threading.Lock()
        self._routings: list[str] = []

    @property
    def shards(self) -> int:
        return len(self._each_shard())

    def weights(self, terms: Sequence[int]) -> list[float]:
        """The idf of each; all zero when there are no passages."""
        text = {"terms": " ".join(map(str, terms))}
        how = {"term_statistics": True, "positions": False, "offsets": False, "payloads": False, "fields": ["terms"]}
        docs = [{"_index": self._index, "routing": each, "doc": text, **how} for each in self._each_shard()]
        total = 0
        holding = dict.fromkeys(map(str, terms), 0)
        for answer in self._cluster.ask("POST", "/_mtermvectors", {"docs": docs})["docs"]:
            if "error" in answer:
                raise failure({"status": 503, "error": answer["error"]})
            field: Answer = answer.get("term_vectors", {}).get("terms", {})
            total += field.get("field_statistics", {}).get("doc_count", 0)
            for term, counts in field.get("terms", {}).items():
                holding[term] += counts.get("doc_freq", 0)
        if not total or not any(holding.values()):
            return [0.0] * len(terms)
        return [math.log(1 + (total - held + 0.5) / (held + 0.5)) for held in holding.values()]

    def _each_shard(self) -> list[str]:
        """A routing that leads to each shard."""
        with self._lock:
            if not self._routings:
                found: dict[int, str] = {}
                (index,) = self._cluster.ask("GET", f"/{self._index}/_settings").values()
                shards = int(index["settings"]["index"]["number_of_shards"])
                for number in range(_MOST_SHARDS_TRIED):
                    if len(found) == shards:
                        break
                    answer = self._cluster.ask("GET", f"/{self._index}/_search_shards", None, {"routing": str(number)})
                    found.setdefault(answer["shards"][0][0]["shard"], str(number))
                self._routings = list(found.values())
            return self._routings


def find_words(view: View, rarity: Rarity, terms: Sequence[int], k: int, filters: list[Clause]) -> list[Scored]:
    terms = terms[:MOST_TERMS]
    ideal = (_K1 + 1) * sum(rarity.weights(terms)) if terms and k > 0 else 0.0
    if not ideal:
        return []
    any_term = [{"term": {"terms": str(term)}} for term in terms]
    body: dict[str, Any] = {"query": {"bool": {"should": any_term, "minimum_should_match": 1, "filter": filters}}}
    # Else each shard would weigh terms by its own counts.
    how = {"search_type": "dfs_query_then_fetch"} if rarity.shards > 1 else {}
    return [Scored(id, min(score / ideal, 1.0)) for id, score in view.whole(body, k, how)]


def find_nearest(view: View, space: Space | None, vector: Vector, k: int, filters: list[Clause]) -> list[Scored]:
    if space is None or k < 1:
        return []
    if len(vector) != space.identity.dimension:
        raise ConflictError(
            "other_dimension",
            f"The question's vector has {len(vector)} dimensions, those of the index have {space.identity.dimension}.",
            "Embed the question with the index's own embedder, or run `knowgate reembed`.",
        )
    if not vector.any():
        return []
    how: dict[str, Any] = {"vector": vector.tolist()}
    if filters:
        how["filter"] = {"bool": {"filter": filters}}
    body = {"query": {"knn": {vector_field(space.generation, space.identity.dimension): how}}}
    # The index shows a cosine as (1 + cosine) / 2.
    return [Scored(id, 2 * score - 1) for id, score in view.whole(body, k)]
