"""An OpenAPI description, of whatever version, as an Api. Nothing is read here but what is handed in."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowgate.apis.operation import Answer, Api, Operation, Quarantined
from knowgate.apis.spec.definitions import Definitions
from knowgate.apis.spec.ids import operation_ids
from knowgate.apis.spec.overlay import apply_overlay
from knowgate.apis.spec.parse import Limits, check_depth, parse, too_large
from knowgate.apis.spec.paths import fixed_query, path_parameters, template_of
from knowgate.apis.spec.references import Documents, Reader, Spot, Unusable
from knowgate.apis.spec.security import read_schemes, read_security
from knowgate.apis.spec.text import LONG, SHORT, clean
from knowgate.apis.spec.v2 import V2
from knowgate.apis.spec.v3 import V3
from knowgate.errors import DocumentError

_METHODS = frozenset("get put post delete options head patch trace query".split())
_WARNINGS = 50


@dataclass(frozen=True, slots=True)
class _Found:
    """An operation as it stands in the description."""

    method: str
    path: str
    item: Spot
    spot: Spot


def load(
    data: bytes,
    *,
    name: str,
    source: str,
    read: Reader | None = None,
    overlays: Sequence[bytes] = (),
    limits: Limits | None = None,
) -> Api:
    """The API of a description that came from `source` (a path or an address).

    What is wrong with one operation quarantines that operation. A description that cannot be used at all is a
    DocumentError. Files that it refers to come from `read`; addresses are never followed.
    """
    return _Loading(data, name, source, read, overlays, limits or Limits()).api()


class _Loading:
    def __init__(
        self, data: bytes, name: str, source: str, read: Reader | None, overlays: Sequence[bytes], limits: Limits
    ) -> None:
        self._given = (data, *overlays)
        self._name = name
        self._source = source
        self._limits = limits
        self._until = time.thread_time() + limits.seconds
        self._warnings: list[str] = []
        self._left_out = 0
        value = parse(data, limits)
        for overlay in overlays:
            for missed in apply_overlay(value, parse(overlay, limits)):
                self._warn(missed, "the overlay's target is not there")
            check_depth(value, limits)
        self._root = Spot(value)
        old = _is_old(self._root)
        own = source.replace("\\", "/").rpartition("/")[2]
        self._documents = Documents(value, own, read, limits, len(data))
        siblings = not old and not _version(self._root).startswith("3.0")
        self._definitions = Definitions(self._documents, self._warn, self._check, siblings=siblings)
        parts = (self._root, self._documents, self._definitions, self._warn)
        self._reader: V2 | V3 = V2(*parts, source) if old else V3(*parts)

    def api(self) -> Api:
        quarantined: list[Quarantined] = []
        found = list(self._operations(quarantined))
        ids = operation_ids([(each.method, each.path, _id_of(each.spot)) for each in found])
        self._tell_of_shared_ids(found, ids)
        operations: list[Operation] = []
        for id, each in zip(ids, found, strict=True):
            self._check()
            try:
                operations.append(self._operation(id, each))
            except Unusable as error:
                quarantined.append(Quarantined(each.method, each.path, error.place, error.reason))
        info = self._root.at("info")
        schemes = read_schemes(self._root, self._documents, self._warn)
        return Api(
            self._name,
            title=clean(info.get("title"), SHORT) or self._name,
            version=clean(str(info.get("version") or ""), SHORT),
            source=self._source,
            sha256=_digest(*self._given, *(each for _, each in sorted(self._documents.contents.items()))),
            operations=tuple(operations),
            schemes=schemes,
            quarantined=tuple(quarantined),
            description=clean(info.get("description"), LONG),
            warnings=(*self._warnings, *([f"… and {self._left_out} more."] if self._left_out else [])),
            servers=self._reader.servers(self._root, self._root),
        )

    def _operations(self, quarantined: list[Quarantined]) -> Iterator[_Found]:
        count = 0
        for path, at in self._root.at("paths").items():
            if path.startswith("x-"):
                continue
            try:
                item = self._documents.follow(at)
            except Unusable as error:
                quarantined.append(Quarantined("*", path, error.place, error.reason))
                continue
            more = item.at("additionalOperations").items()
            named = [(key, each) for key, each in item.items() if key.lower() in _METHODS]
            for method, spot in (*named, *more):
                count += 1
                if count > self._limits.operations:
                    raise too_large(f"has more than {self._limits.operations:,} operations at {spot.place}")
                yield _Found(method.upper(), path, item, spot)

    def _tell_of_shared_ids(self, found: Sequence[_Found], ids: Sequence[str]) -> None:
        """Whoever calls an operation, or writes a rule for it, has to know what it is called now."""
        times = Counter(_id_of(each.spot) for each in found)
        for id, each in zip(ids, found, strict=True):
            own = _id_of(each.spot)
            if own and times[own] > 1:
                said = f"several operations have the operationId {clean(own, SHORT)}; this one is called {id} here"
                self._warn(each.spot.place, said)

    def _operation(self, id: str, found: _Found) -> Operation:
        if not isinstance(found.spot.value, dict):
            raise Unusable(found.spot.place, "The operation is not an object.")
        path = template_of(found.path, found.item)
        spots = self._parameters(found)
        parameters = path_parameters(path, self._reader.parameters(spots), found.spot, self._warn)
        parameters += fixed_query(found.path, parameters)
        bodies, body_required = self._reader.bodies(found.spot, spots)
        answers = self._reader.answers(found.spot)
        asked = [*(each.schema for each in parameters), *(each.schema for each in bodies)]
        told = [schema for answer in answers for schema in answer.content.values()]
        try:
            defs = self._definitions.needed_by([*asked, *told])
        except Unusable as error:
            defs = self._definitions.needed_by(asked)
            self._warn(error.place, error.reason)
            answers = [_without_schemas(each) for each in answers]
        spot = found.spot
        return Operation(
            id,
            self._name,
            found.method,
            path,
            summary=clean(spot.get("summary"), SHORT) or clean(found.item.get("summary"), SHORT),
            description=clean(spot.get("description")) or clean(found.item.get("description")),
            tags=tuple(tag for each in spot.at("tags").each() if (tag := clean(each.value, SHORT))),
            parameters=tuple(parameters),
            bodies=bodies,
            body_required=body_required,
            answers=tuple(answers),
            servers=self._reader.servers(found.item, spot),
            security=read_security(self._root, spot),
            deprecated=spot.get("deprecated") is True,
            defs=defs,
        )

    def _parameters(self, found: _Found) -> list[Spot]:
        """The operation's own come after the path's, and replace those of the same name and place."""
        by_name: dict[tuple[str, str], Spot] = {}
        for owner in (found.item, found.spot):
            for at in owner.at("parameters").each():
                spot = self._documents.follow(at)
                by_name[str(spot.get("name")), str(spot.get("in"))] = spot
        return list(by_name.values())

    def _warn(self, place: str, what: str) -> None:
        warning = f"{place}: {what}"
        if warning in self._warnings:
            return
        if len(self._warnings) < _WARNINGS:
            self._warnings.append(warning)
        else:
            self._left_out += 1

    def _check(self) -> None:
        if time.thread_time() > self._until:
            raise DocumentError(
                "spec_too_slow",
                f"The API description takes more than {self._limits.seconds:g} seconds to understand.",
                "Keep the paths that are needed, or remove what is generated by the thousand.",
            )


def _version(root: Spot) -> str:
    return str(root.get("openapi") or root.get("swagger") or "")


def _is_old(root: Spot) -> bool:
    version = _version(root)
    if root.has("openapi") and version.startswith("3"):
        return False
    if root.has("swagger") and version.startswith("2"):
        return True
    what = f"is of version {clean(version, 20)!r}, which is not known" if version else "has neither openapi nor swagger"
    raise DocumentError(
        "spec_not_openapi", f"The file {what} at /.", "OpenAPI 2.0, 3.0, 3.1 and 3.2 are understood, in JSON or YAML."
    )


def _id_of(spot: Spot) -> str:
    found = spot.get("operationId")
    return found if isinstance(found, str) else ""


def _without_schemas(answer: Answer) -> Answer:
    return replace(answer, content=dict.fromkeys(answer.content, True))


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()
