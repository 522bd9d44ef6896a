"""An index of an older format is copied into a new one, which then takes its name.

The old index takes no more writes, and what was written last is made visible; so it stands still, and every row has its
lasting number in its shard. Whoever copies writes through a name that goes in the same instant in which the new index
comes into force: a second server that is still copying then is refused, and looks again. How far the copy is stands in
the new index, so another may go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowgate.errors import StorageError
from knowgate.store.opensearch.connection import Answer, Cluster, Write
from knowgate.store.opensearch.failures import failure
from knowgate.store.opensearch.rows import Source, with_vector
from knowgate.store.opensearch.view import WHOLE

Changes = Mapping[int, Callable[[Source], Source]]
"""What becomes of a row of the format with this number in the next one."""
_PAGE = 200
_NOTED = 20
"""After so many pages it is written down how far the copy is."""


@dataclass(frozen=True, slots=True)
class Move:
    alias: str
    old: str
    new: str
    changes: Sequence[Callable[[Source], Source]]

    @property
    def door(self) -> str:
        """The name through which rows are copied."""
        return f"{self.alias}-moving"


def migrate(cluster: Cluster, move: Move, body: Answer) -> None:
    """`body` is what the new index is made of. Safe to end, to begin again, and to do in several servers at once."""
    cluster.ask("PUT", f"/{move.old}/_block/write", patient=True)
    _refresh(cluster, move.old)
    make(cluster, move.new, body | {"aliases": {move.door: {}}})
    shards = cluster.ask("GET", f"/{move.old}/_search_shards")["shards"]
    for shard in range(len(shards)):
        _copy(cluster, move, shard)
    _compare(cluster, move)
    switch = [
        {"remove_index": {"index": move.old}},
        {"remove": {"index": move.new, "alias": move.door}},
        {"add": {"index": move.new, "alias": move.alias}},
    ]
    cluster.ask("POST", "/_aliases", {"actions": switch}, patient=True)


def make(cluster: Cluster, index: str, body: Answer) -> None:
    """Another server may be making it at the same moment."""
    try:
        cluster.ask("PUT", f"/{index}", body, patient=True)
    except StorageError as error:
        if "resource_already_exists" not in error.message:
            raise


def _copy(cluster: Cluster, move: Move, shard: int) -> None:
    meta = _meta(cluster, move.new)
    after: list[int] = meta.get("copied", {}).get(str(shard), [])
    pages = 0
    while True:
        body: dict[str, Any] = {"size": _PAGE, "sort": [{"_seq_no": "asc"}], "query": {"match_all": {}}}
        if after:
            body["search_after"] = after
        answer = cluster.ask("POST", f"/{move.old}/_search", body, {**WHOLE, "preference": f"_shards:{shard}"})
        hits = answer["hits"]["hits"]
        if not hits:
            return
        cluster.bulk([_row(move, hit) for hit in hits])
        after = hits[-1]["sort"]
        pages += 1
        if pages % _NOTED == 0:
            meta = _meta(cluster, move.new)
            meta["copied"] = {**meta.get("copied", {}), str(shard): after}
            cluster.ask("PUT", f"/{move.door}/_mapping", {"_meta": meta}, patient=True)


def _row(move: Move, hit: Answer) -> Write:
    row: Source = hit["_source"]
    for change in move.changes:
        row = change(row)
    # What is there was copied before.
    return Write(move.door, "create", hit["_id"], with_vector(row), hit.get("_routing"))


def _meta(cluster: Cluster, index: str) -> Answer:
    return cluster.ask("GET", f"/{index}/_mapping")[index]["mappings"]["_meta"]


def _refresh(cluster: Cluster, index: str) -> None:
    """On every copy of every shard: a row that one of them does not show would be lost."""
    shards = cluster.ask("POST", f"/{index}/_refresh", patient=True)["_shards"]
    if shards["failed"]:
        raise failure({"status": 503, "error": shards["failures"][0]["reason"]})


def _total(cluster: Cluster, index: str) -> int:
    body = {"size": 0, "track_total_hits": True}
    return cluster.ask("POST", f"/{index}/_search", body, WHOLE)["hits"]["total"]["value"]


def _compare(cluster: Cluster, move: Move) -> None:
    _refresh(cluster, move.door)
    wanted, found = _total(cluster, move.old), _total(cluster, move.door)
    if wanted != found:
        raise StorageError(
            "store_not_moved",
            f"Of {wanted} rows of {move.old}, {found} have come to {move.new}.",
            f"Delete the index {move.new}, and start again; {move.old} is as it was.",
        )
