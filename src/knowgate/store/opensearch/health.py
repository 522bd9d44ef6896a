"""Whether the cluster is fit to hold the knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from knowgate.store.opensearch.connection import Address, Cluster
from knowgate.store.opensearch.schema import knowledge_of
from knowgate.store.port import Damage

OLDEST = (2, 4)
"""The first with points in time and with filters inside of nearest neighbours."""
_LOW_DISK, _FLOODED_DISK = 85, 95
"""In percent, as a cluster has it unless told otherwise: no new shards, and no more writes."""


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    status: Literal["ok", "warning", "wrong"]
    found: str
    fix: str = ""


def damage(cluster: Cluster) -> list[Damage]:
    """What keeps the index from working; empty when all is well."""
    index = f"{cluster.address.prefix}-*"
    status = cluster.ask("GET", f"/_cluster/health/{index}")["status"]
    found: list[Damage] = []
    if status == "red":
        found.append(Damage("A part of the index has no living copy.", "Bring the missing nodes back, or restore."))
    blocks = cluster.ask("GET", f"/{knowledge_of(cluster)}/_settings/index.blocks.*")
    if any(each["settings"] for each in blocks.values()):
        found.append(Damage("The index takes no writes.", "Free disk space on the nodes of the cluster."))
    return found


def examine(address: Address) -> Iterator[Finding]:
    """Version, plugin, health and disks; what cannot be asked is raised as the error it is."""
    cluster = Cluster(address)
    try:
        yield _version(cluster.ask("GET", "/")["version"])
        plugins: Any = cluster.ask("GET", "/_cat/plugins", None, {"format": "json"})
        if any("knn" in plugin["component"].lower() for plugin in plugins):
            yield Finding("k-NN plugin", "ok", "on the cluster")
        else:
            yield Finding(
                "k-NN plugin", "wrong", "missing", "Run `opensearch-plugin install opensearch-knn` on all nodes."
            )
        yield _health(cluster.ask("GET", "/_cluster/health"))
        disks: Any = cluster.ask("GET", "/_cat/allocation", None, {"format": "json"})
        yield from (_disk(disk) for disk in disks if disk["disk.percent"] is not None)
    finally:
        cluster.close()


def _version(version: dict[str, str]) -> Finding:
    number = version["number"]
    if version.get("distribution") != "opensearch":
        return Finding("OpenSearch", "wrong", f"this is something else ({number})", "Set store.url to an OpenSearch.")
    if tuple(map(int, number.split(".")[:2])) < OLDEST:
        fix = f"Upgrade the cluster to {'.'.join(map(str, OLDEST))} or newer."
        return Finding("OpenSearch", "wrong", f"{number} is too old", fix)
    return Finding("OpenSearch", "ok", number)


def _health(health: dict[str, Any]) -> Finding:
    found = f"{health['status']}, {health['number_of_nodes']} nodes"
    if health["status"] == "red":
        fix = "Look at GET _cluster/allocation/explain, and bring the missing nodes back."
        return Finding("cluster", "wrong", found, fix)
    if health["status"] == "yellow":
        fix = "Add a node, or set store.replicas to 0 before the index is made: copies have no place."
        return Finding("cluster", "warning", found, fix)
    return Finding("cluster", "ok", found)


def _disk(disk: dict[str, str]) -> Finding:
    used, name = int(disk["disk.percent"]), f"disk of {disk['node']}"
    if used >= _FLOODED_DISK:
        return Finding(name, "wrong", f"{used} % used: the cluster takes no writes", "Free space on it, or add a node.")
    if used >= _LOW_DISK:
        return Finding(name, "warning", f"{used} % used", "Free space on it, or add a node.")
    return Finding(name, "ok", f"{used} % used")
