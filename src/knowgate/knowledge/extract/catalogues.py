"""Files that catalogue a system: Backstage's catalog-info.yaml and AsyncAPI descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowgate.knowledge.extract.draft import DECLARED, LISTED, Draft
from knowgate.knowledge.extract.entries import Entry
from knowgate.knowledge.extract.kinds import COMPONENTS, Kind, Verb, kind_of, team_name

_BACKSTAGE = frozenset({"Component", "API", "System", "Resource"})
_RELATED: dict[str, Verb] = {
    "spec.dependsOn": "depends",
    "spec.consumesApis": "uses",
    "spec.providesApis": "owns",
}
_OWNERS = ("spec.owner", "spec.system")
# In version 2 an operation says what *others* do with the channel, in version 3 what this application does.
_ACTIONS: dict[str, Verb] = {"send": "produces", "receive": "consumes", "subscribe": "produces", "publish": "consumes"}
_OPERATION = re.compile(r"channels\.(.+?)\.(publish|subscribe)\.")


def read_catalogue(draft: Draft, text: str, entries: Sequence[Entry]) -> bool:
    """Whether this was such a file."""
    if any(each.path == "asyncapi" for each in entries):
        return _read_channels(draft, text, {each.path: each for each in entries})
    found = False
    for said in _documents(entries):
        if "backstage.io/" in _value(said, "apiVersion") and _value(said, "kind") in _BACKSTAGE:
            found = _read_entity(draft, text, said) or found
    return found


def _documents(entries: Sequence[Entry]) -> Iterator[dict[str, Entry]]:
    """A file may hold several, each with its own `kind`."""
    said: dict[str, Entry] = {}
    for entry in entries:
        if entry.path in said and entry.path in ("apiVersion", "kind"):
            yield said
            said = {}
        said[entry.path] = entry
    yield said


def _value(said: dict[str, Entry], path: str) -> str:
    return said[path].value if path in said else ""


def _read_entity(draft: Draft, text: str, said: dict[str, Entry]) -> bool:
    named = said.get("metadata.name")
    if named is None:
        return False
    name = named.value
    draft.name_within(name, _kind(name, _value(said, "spec.type")), text, named.start, named.end, DECLARED)
    draft.describe(name, _value(said, "metadata.description"))
    draft.alias(name, _value(said, "metadata.title"))
    for path, verb in _RELATED.items():
        for other, kind, entry in _references(said, path):
            draft.name_within(other, kind, text, entry.start, entry.end, LISTED)
            draft.link(name, other, verb, entry.start, DECLARED, path)
    for path in _OWNERS:
        for other, kind, entry in _references(said, path):
            owner, sort = (other, kind) if path == "spec.system" else (team_name(other), "team")
            draft.name_within(owner, sort, text, entry.start, entry.end, LISTED)
            draft.link(owner, name, "owns", entry.start, DECLARED, path)
    return True


def _references(said: dict[str, Entry], path: str) -> Iterator[tuple[str, Kind, Entry]]:
    """`component:default/orders` means orders."""
    for each in _value(said, path).split(","):
        name = each.strip().rpartition("/")[2].rpartition(":")[2]
        if name:
            yield name, _kind(name, ""), said[path]


def _kind(name: str, type_: str) -> Kind:
    for each in (type_, name):
        kind = kind_of(each)
        if kind in COMPONENTS:
            return kind
    return "service"


def _read_channels(draft: Draft, text: str, said: dict[str, Entry]) -> bool:
    title = said.get("info.title")
    if title is None:
        return False
    draft.name_within(title.value, _kind(title.value, ""), text, title.start, title.end, DECLARED)
    draft.describe(title.value, _value(said, "info.description"))
    for channel, action, entry in _operations(said):
        draft.name_within(channel, "queue", text, entry.start, entry.end, DECLARED)
        draft.link(title.value, channel, _ACTIONS[action], entry.start, DECLARED, action)
    return True


def _operations(said: dict[str, Entry]) -> Iterator[tuple[str, str, Entry]]:
    """Of each: the channel's address, what is done with it, and where that is written."""
    for path, entry in said.items():
        if old := _OPERATION.match(path):
            yield old[1], old[2], entry
        elif path.startswith("operations.") and path.endswith(".action") and entry.value in ("send", "receive"):
            reference = said.get(path.removesuffix("action") + "channel.$ref")
            if reference:
                channel = reference.value.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
                yield _value(said, f"channels.{channel}.address") or channel, entry.value, reference
