"""Making the indexes, and bringing those of an older Knowgate up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowgate.errors import StorageError
from knowgate.store.opensearch.connection import Address, Answer, Cluster
from knowgate.store.opensearch.migrate import Changes, Move, make, migrate
from knowgate.store.opensearch.schema import KNOWLEDGE, RECORDS, SCHEMA, knowledge_of, records_of

CHANGES: Changes = {}
"""What becomes of a row of the knowledge, from each format to the next. Records have had one form all along."""
_TURNS = 10


def prepare(cluster: Cluster, schema: int = SCHEMA, changes: Changes = CHANGES) -> None:
    """Make the indexes that are missing, bring older ones up to date, and refuse those of a newer Knowgate."""
    address = cluster.address
    large = {
        "index.knn": True,
        "index.mapping.nested_objects.limit": 1_000_000,
        "index.max_inner_result_window": 1000,
        "index.max_terms_count": 1_000_000,
    }
    _check_both(cluster)
    _prepare(cluster, knowledge_of(cluster), KNOWLEDGE, {"number_of_shards": address.shards, **large}, schema, changes)
    _prepare(cluster, records_of(cluster), RECORDS, {"number_of_shards": 1}, schema, {})


def _check_both(cluster: Cluster) -> None:
    """Neither is somebody else's; and one without the other is a loss, which an empty one in its place would hide."""
    names = (knowledge_of(cluster), records_of(cluster))
    found = {name: cluster.ask("GET", f"/{name}/_mapping", missing_ok=True) for name in names}
    there = [name for name in names if found[name]]
    for name in there:
        if not all("schema" in each["mappings"].get("_meta", {}) for each in found[name].values()):
            raise StorageError(
                "not_our_index", f"There is an index {name} that Knowgate did not make.", "Choose another store.prefix."
            )
    if not there:
        version = cluster.ask("GET", "/").get("version", {})
        if version.get("distribution") != "opensearch":
            raise StorageError(
                "store_not_opensearch", "What answers there is not OpenSearch.", "Set store.url to an OpenSearch."
            )
    if len(there) == 1 and _holds_something(cluster, there[0]):
        (lost,) = set(names) - set(there)
        raise StorageError(
            "store_missing",
            f"The index {lost} is gone, {there[0]} is still there.",
            f"Restore a snapshot of both; or, to begin anew, delete {there[0]}, too.",
        )


def _holds_something(cluster: Cluster, index: str) -> bool:
    cluster.ask("POST", f"/{index}/_refresh", patient=True)
    return cluster.ask("GET", f"/{index}/_count")["count"] > 0


def exist(address: Address) -> bool:
    cluster = Cluster(address)
    try:
        return bool(cluster.ask("GET", f"/{knowledge_of(cluster)}/_mapping", missing_ok=True))
    finally:
        cluster.close()


def _prepare(
    cluster: Cluster, alias: str, fields: Answer, settings: Mapping[str, Any], schema: int, changes: Changes
) -> None:
    for _ in range(_TURNS):
        found = cluster.ask("GET", f"/{alias}/_mapping", missing_ok=True)
        new = f"{alias}-v{schema}"
        body: dict[str, Any] = {
            "settings": {"number_of_replicas": cluster.address.replicas, **settings},
            "mappings": {
                "dynamic": "strict",
                "_meta": {"schema": schema},
                # Vectors are kept packed beside; as text in the source they would be the largest part of the index.
                "_source": {"excludes": ["vector_*"]},
                "properties": fields,
            },
        }
        if not found:
            make(cluster, new, body | {"aliases": {alias: {}}})
            return
        ((old, mapping),) = found.items()
        version = mapping["mappings"]["_meta"]["schema"]
        if version == schema:
            return
        if version > schema:
            raise StorageError(
                "newer_data",
                f"The indexes {alias}* were made by a newer Knowgate (format {version}, this one knows {schema}).",
                "Upgrade with `pip install -U knowgate`, or choose another store.prefix.",
            )
        known = mapping["mappings"]["properties"]
        body["mappings"]["properties"] = fields | {name: known[name] for name in known if name.startswith("vector_")}
        steps = [changes[each] for each in range(version, schema) if each in changes]
        try:
            migrate(cluster, Move(alias, old, new, steps), body)
        except StorageError as error:
            # Another server was quicker.
            if error.code != "store_missing":
                raise
