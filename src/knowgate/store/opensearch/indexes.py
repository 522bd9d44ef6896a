"""Making the indexes, and bringing those of an older Knowgate up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowgate.errors import StorageError
from knowgate.store.opensearch.connection import Answer, Cluster
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
    _prepare(cluster, knowledge_of(cluster), KNOWLEDGE, {"number_of_shards": address.shards, **large}, schema, changes)
    _prepare(cluster, records_of(cluster), RECORDS, {"number_of_shards": 1}, schema, {})


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
        version = mapping["mappings"].get("_meta", {}).get("schema", 0)
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
