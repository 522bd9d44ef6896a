"""Whether the cluster works now, and whether it is fit to hold the knowledge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from knowgate.errors import StorageError
from knowgate.store.opensearch.connection import Address, Answer, Cluster, Write
from knowgate.store.opensearch.schema import knowledge_of, records_of
from knowgate.store.port import Damage

OLDEST = (2, 4)
"""The first with points in time and with filters inside of nearest neighbours."""
_QUICK_SECONDS = 3
_WATERMARK = "cluster.routing.allocation.disk.watermark."
_UNITS = {"b": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40, "pb": 50}
_ROOM = "Free space on it, or add a node."


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    status: Literal["ok", "warning", "wrong"]
    found: str
    fix: str = ""


def check_ready(cluster: Cluster) -> None:
    """Raises what keeps us from reading or writing at this moment; never waits for long."""
    for left in reversed(range(len(cluster.address.urls))):
        try:
            for code, each in damage(cluster).items():
                raise StorageError(code, each.what, each.fix)
        except StorageError as error:
            # Another node may be there.
            if not left or error.code not in ("store_unreachable", "store_slow"):
                raise
        else:
            return


def damage(cluster: Cluster) -> dict[str, Damage]:
    """What keeps the index from working, by its code; empty when all is well."""
    indexes = f"{knowledge_of(cluster)},{records_of(cluster)}"
    found: dict[str, Damage] = {}
    quick = {"request_timeout": _QUICK_SECONDS}
    flat = {**quick, "flat_settings": "true"}
    blocks = cluster.ask_once("GET", f"/{indexes}/_settings/index.blocks.*", None, flat)
    if cluster.ask_once("GET", f"/_cluster/health/{indexes}", None, quick)["status"] == "red":
        what = "A part of the index has no living copy."
        found["store_red"] = Damage(what, "Bring the missing nodes back, or restore.")
    closed = cluster.ask_once("GET", "/_cluster/settings", None, flat)
    if any(closed[each].get("cluster.blocks.read_only") == "true" for each in ("persistent", "transient")):
        found["store_read_only"] = Damage("The cluster takes no writes.", "Take cluster.blocks.read_only away.")
    elif block := next((name for each in blocks.values() for name in each["settings"] if _is_set(each, name)), ""):
        full = block == "index.blocks.read_only_allow_delete"
        fix = "Free disk space on the nodes of the cluster." if full else f"Take {block} away."
        found["store_read_only"] = Damage(f"The index takes no writes ({block}).", fix)
    return found


def _is_set(index: Answer, block: str) -> bool:
    return index["settings"][block] == "true"


def examine(address: Address) -> Iterator[Finding]:
    """Version, plugin, health, disks and rights; what cannot be asked at all is raised as the error it is."""
    cluster = Cluster(address)
    try:
        yield _version(cluster.ask("GET", "/")["version"])
        health = cluster.ask("GET", "/_cluster/health")
        plugins: Any = cluster.ask("GET", "/_cat/plugins", None, {"format": "json"})
        yield _plugin(plugins, health["number_of_nodes"])
        yield _health(health, address.prefix)
        asked = {"flat_settings": "true", "include_defaults": "true"}
        settings = cluster.ask("GET", "/_cluster/settings", None, asked)
        marks = settings["defaults"] | settings["persistent"] | settings["transient"]
        disks: Any = cluster.ask("GET", "/_cat/allocation", None, {"format": "json", "bytes": "b"})
        yield from (disk_finding(disk, marks) for disk in disks if disk["disk.percent"] is not None)
        yield from _rights(cluster)
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


def _plugin(plugins: list[dict[str, str]], nodes: int) -> Finding:
    having = len({plugin["name"] for plugin in plugins if "knn" in plugin["component"].lower()})
    if not having:
        fix = "Run `opensearch-plugin install opensearch-knn` on all nodes, and start them again."
        return Finding("k-NN plugin", "wrong", "missing", fix)
    found = f"on {having} of {nodes} nodes"
    if having < nodes:
        return Finding("k-NN plugin", "warning", found, "Install it on all nodes that hold data.")
    return Finding("k-NN plugin", "ok", found)


def _health(health: dict[str, Any], prefix: str) -> Finding:
    nodes = health["number_of_nodes"]
    found = f"{health['status']}, {nodes} node{'' if nodes == 1 else 's'}"
    if health["status"] == "red":
        fix = "Look at GET _cluster/allocation/explain, and bring the missing nodes back."
        return Finding("cluster", "wrong", found, fix)
    if health["status"] == "yellow":
        fewer = f'PUT /{prefix}-*/_settings {{"index.number_of_replicas": 0}}'
        fix = f"Copies have no place: add a node, or do without them: {fewer}"
        return Finding("cluster", "warning", found, fix)
    return Finding("cluster", "ok", found)


def disk_finding(disk: Mapping[str, str], marks: Mapping[str, str]) -> Finding:
    """`marks` are the cluster's settings: from when on it puts nothing new on a disk, and takes no more writes."""
    name, found = f"disk of {disk['node']}", f"{disk['disk.percent']} % used"
    flood, low = (marks.get(_WATERMARK + each, usual) for each, usual in (("flood_stage", "95%"), ("low", "85%")))
    if _beyond(disk, flood):
        return Finding(name, "wrong", f"{found}, beyond {flood}: the cluster takes no writes", _ROOM)
    if _beyond(disk, low):
        return Finding(name, "warning", f"{found}, beyond {low}: it gets no new parts of an index", _ROOM)
    return Finding(name, "ok", found)


def _beyond(disk: Mapping[str, str], mark: str) -> bool:
    """A watermark is a share of the disk that is used, or a number of bytes that is free."""
    total, free = int(disk["disk.total"]), int(disk["disk.avail"])
    if size := re.fullmatch(r"([\d.]+)([kmgtp]?b)", mark.lower()):
        return free <= float(size[1]) * 2 ** _UNITS[size[2]]
    share = float(mark.rstrip("%")) / (100 if mark.endswith("%") else 1)
    return (total - free) / total >= share - 1e-9


def _rights(cluster: Cluster) -> Iterator[Finding]:
    """On an index made for this, which goes again."""
    index = f"{cluster.address.prefix}-doctor"
    small: Answer = {"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "aliases": {f"{index}-alias": {}}}
    with suppress(StorageError):  # whether we may delete is found out below
        cluster.ask("DELETE", f"/{index}-v0", missing_ok=True)
    steps = {
        "make indexes": ("create_index and manage_aliases", lambda: cluster.ask("PUT", f"/{index}-v0", small)),
        "write": (
            "write, and cluster_composite_ops on the cluster",
            lambda: cluster.bulk([Write(f"{index}-alias", "index", "1", {})]),
        ),
        "read": (
            "read, and cluster_composite_ops on the cluster",
            lambda: cluster.get(f"{index}-alias", [("1", None)]),
        ),
        "search": ("search", lambda: cluster.ask("POST", f"/{index}-alias/_search", {})),
        "look after indexes": ("manage", lambda: cluster.ask("POST", f"/{index}-alias/_refresh")),
        "delete indexes": ("delete_index", lambda: cluster.ask("DELETE", f"/{index}-v0")),
    }
    missing = False
    for what, (right, attempt) in steps.items():
        try:
            attempt()
        except StorageError as error:
            if error.code == "store_missing":
                return  # it could not be made
            if error.code != "store_forbidden":
                raise
            missing = True
            pattern = f"{cluster.address.prefix}-*"
            yield Finding(f"right to {what}", "wrong", error.message, f"Give the user {right} (indexes {pattern}).")
    if not missing:
        yield Finding("rights on the cluster", "ok", "indexes can be made, written, searched and deleted")
