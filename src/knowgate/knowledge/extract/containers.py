"""Docker Compose files and Kubernetes manifests: parts of a system, declared with what they need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knowgate.knowledge.extract.draft import DECLARED, STATED, Draft
from knowgate.knowledge.extract.entries import Entry, plain
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, kind_of, technology_in
from knowgate.knowledge.extract.names import key, parts
from knowgate.knowledge.extract.settings import hosts, mention

_COMPOSE = re.compile(
    r"(?:services\.)?([\w-]+)\.(image|build|depends_on|links|external_links|volumes_from|environment|ports|expose|command"
    r"|container_name|restart|hostname|networks|env_file|volumes|healthcheck|deploy|logging|labels|entrypoint|extends)"
    r"(?:\.(.*)|\[.*|$)"
)
_NEEDS = frozenset({"depends_on", "links", "external_links", "volumes_from"})
_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Service", "Pod", "Job", "CronJob", "ReplicaSet"})
_GENERIC = frozenset("docker app src build target main image images base code".split())
_VALUE = re.compile(r"spec\..*\benv\[\d+\]\.value$")


class _Setting(NamedTuple):
    part: str
    below: str
    entry: Entry


def read_containers(draft: Draft, text: str, entries: Sequence[Entry]) -> bool:
    """Whether this was such a file."""
    return _read_compose(draft, text, entries) or _read_manifests(draft, text, entries)


def _read_compose(draft: Draft, text: str, entries: Sequence[Entry]) -> bool:
    services: dict[str, list[_Setting]] = {}
    for entry in entries:
        if (match := _COMPOSE.match(entry.path)) and match[1] not in ("services", "networks", "volumes"):
            services.setdefault(match[1], []).append(_Setting(match[2], match[3] or "", entry))
    made = sum(any(each.part in ("image", "build") for each in said) for said in services.values())
    nested = any(entry.path.startswith("services.") for entry in entries)
    if not made or (not nested and made < len(services) / 2):
        return False
    kinds: dict[str, Kind] = {name: _kind(name, said) for name, said in services.items()}
    known = {key(name) for name in services}
    for name, said in services.items():
        first = said[0].entry
        draft.name_within(name, kinds[name], text, first.start, first.end, DECLARED)
        for each in said:
            _read_setting(draft, name, each, known)
    _pair_stores(draft, services, kinds)
    return True


def _kind(name: str, said: Sequence[_Setting]) -> Kind:
    """A container's image tells what it is when its name does not."""
    named = (name, *(_image(each.entry.value) for each in said if each.part == "image"))
    for each in named:
        kind = kind_of(each)
        if kind in ("database", "queue"):
            return kind
    product = kind_of(technology_in(name)) if kind_of(name) == "concept" else "service"
    return product if product in COMPONENTS else "service"


def _read_setting(draft: Draft, name: str, said: _Setting, known: set[str]) -> None:
    entry, value = said.entry, plain(said.entry.value)
    if said.part in _NEEDS:
        for each in [said.below.split(".")[0]] if said.below else value.split(","):
            draft.link(name, each.strip().split(":")[0], "depends", entry.start, DECLARED, said.part.replace("_", " "))
    elif said.part == "environment":
        for host in hosts(entry):
            if key(host) in known:
                draft.link(name, host, "uses", entry.start, DECLARED, entry.path)
    elif said.part == "ports":
        for each in value.split(","):
            published = each.strip().split("/")[0].split(":")
            if len(published) > 1 and published[-2].isdigit():
                draft.alias(name, f"localhost:{published[-2]}")
    elif said.part == "build" and said.below in ("", "context"):
        folder = value.rstrip("/").rpartition("/")[2]
        if folder.lower() not in _GENERIC and not folder.startswith(("$", ".")):
            draft.alias(name, folder)
    elif said.part in ("image", "container_name"):
        draft.alias(name, _image(value))


def _image(value: str) -> str:
    return value.rpartition("/")[2].split("@")[0].split(":")[0]


def _pair_stores(draft: Draft, services: dict[str, list[_Setting]], kinds: dict[str, Kind]) -> None:
    """By custom `order-db` is the store of `order-service`, and nobody else's."""
    by_first: dict[str, list[str]] = {}
    for name in services:
        if kinds[name] == "service" and (words := parts(name)):
            by_first.setdefault(words[0], []).append(name)
    for name, said in services.items():
        words = parts(name)
        if kinds[name] == "database" and len(words) > 1 and kind_of(words[0]) != "database":
            owners = by_first.get(words[0], [])
            if len(owners) == 1:
                draft.link(owners[0], name, "uses", said[0].entry.start, STATED, "named after it")


def _read_manifests(draft: Draft, text: str, entries: Sequence[Entry]) -> bool:
    kind = name = ""
    found = False
    for entry in entries:
        if entry.path == "kind":
            kind, name = entry.value, ""
        elif entry.path == "metadata.name" and kind in _WORKLOADS:
            name, found = entry.value, True
            draft.name_within(name, _kind(name, ()), text, entry.start, entry.end, DECLARED)
        elif name and _VALUE.search(entry.path):
            for host in hosts(entry):
                if ":" not in host:
                    mention(draft, text, host, entry, STATED)
                    draft.link(name, host, "uses", entry.start, DECLARED, "address in its environment")
    return found
