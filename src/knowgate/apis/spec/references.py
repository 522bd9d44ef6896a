"""Where things stand in a description, and where its references lead: in the same file or in files beside it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote

from knowgate.apis.operation import Json
from knowgate.apis.spec.parse import Limits, escaped, parse
from knowgate.errors import DocumentError

Reader = Callable[[str], bytes]
"""Reads a file by its path below the description's folder (with forward slashes), or raises OSError."""

_LONGEST_CHAIN = 64
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


class Unusable(Exception):
    """Something that one operation needs is wrong."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Spot:
    """A value and where it stands."""

    value: Json
    file: str = ""
    """Empty: the description itself."""
    pointer: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}#{self.pointer}" if self.file else self.pointer or "/"

    @property
    def reference(self) -> str | None:
        """What it refers to, if it is a reference. (A property that is *named* $ref has a schema there, not a text.)"""
        found = cast("dict[str, Json]", self.value).get("$ref") if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else None

    def get(self, key: str) -> Json:
        return cast("dict[str, Json]", self.value).get(key) if isinstance(self.value, dict) else None

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def at(self, key: str) -> Spot:
        return Spot(self.get(key), self.file, f"{self.pointer}/{escaped(key)}")

    def items(self) -> Iterator[tuple[str, Spot]]:
        """The members of an object; of anything else there are none."""
        if isinstance(self.value, dict):
            for key in cast("dict[str, Json]", self.value):
                yield key, self.at(key)

    def values(self) -> Iterator[Spot]:
        return (each for _, each in self.items())

    def each(self) -> Iterator[Spot]:
        """The members of a list; of anything else there are none."""
        if isinstance(self.value, list):
            for number, value in enumerate(cast("list[Json]", self.value)):
                yield Spot(value, self.file, f"{self.pointer}/{number}")

    def with_value(self, value: Json) -> Spot:
        return Spot(value, self.file, self.pointer)


class Documents:
    """The description and the files it refers to, each read once."""

    def __init__(self, root: Json, name: str, read: Reader | None, limits: Limits, size: int) -> None:
        self._read = read
        self._limits = limits
        self._left = limits.size - size
        self._roots: dict[str, Json | Unusable] = {"": root}
        self._name = name
        self.contents: dict[str, bytes] = {}
        """What was read beside the description, by path."""

    def follow(self, spot: Spot) -> Spot:
        """The thing itself, when a reference to it (or a chain of them) stands in its place."""
        for _ in range(_LONGEST_CHAIN):
            if (reference := spot.reference) is None:
                return spot
            spot = self.target(spot, reference)
        raise Unusable(spot.place, "The reference leads back to itself.")

    def target(self, spot: Spot, reference: str, hops: int = 0) -> Spot:
        """What the reference that stands at `spot` leads to."""
        if hops > _LONGEST_CHAIN:
            raise Unusable(spot.place, "The reference leads back to itself.")
        file, _, fragment = reference.partition("#")
        path = self._path(spot, file) if file else spot.file
        found = Spot(self._root(spot, path), path)
        if fragment and not fragment.startswith("/"):
            raise Unusable(spot.place, f"The anchor in {_quoted(reference)} is not followed; a JSON pointer is needed.")
        for token in fragment.split("/")[1:]:
            found = self._step(found, token, spot, reference, hops)
        return found

    def _step(self, found: Spot, token: str, spot: Spot, reference: str, hops: int) -> Spot:
        while True:
            for name in (token, unquote(token)):
                key = name.replace("~1", "/").replace("~0", "~")
                if found.has(key):
                    return found.at(key)
                if isinstance(found.value, list) and key.isascii() and key.isdecimal() and len(key) < 8:
                    for member in list(found.each())[int(key) : int(key) + 1]:
                        return member
            if found.reference is None:
                raise Unusable(spot.place, f"The reference {_quoted(reference)} leads nowhere.")
            hops += 1
            found = self.target(found, found.reference, hops)  # the pointer leads through another reference

    def _path(self, spot: Spot, file: str) -> str:
        plain = unquote(file)
        if _ADDRESS.match(file) or _ADDRESS.match(plain):
            raise Unusable(
                spot.place, f"The reference leads to another address ({_quoted(file)}); those are not followed."
            )
        path = posixpath.normpath(posixpath.join(posixpath.dirname(spot.file), plain))
        if path.startswith(("/", "../")) or path == ".." or "\\" in path or "\x00" in path:
            raise Unusable(spot.place, f"The file {_quoted(file)} lies outside of the description's folder.")
        return "" if path == self._name else path

    def _root(self, spot: Spot, path: str) -> Json:
        if path not in self._roots:
            self._roots[path] = self._load(spot, path)
        found = self._roots[path]
        if isinstance(found, Unusable):
            raise Unusable(spot.place, found.reason)
        return found

    def _load(self, spot: Spot, path: str) -> Json | Unusable:
        if self._read is None:
            return Unusable(spot.place, f"The file {_quoted(path)} cannot be had: the description stands alone.")
        if len(self.contents) >= self._limits.files:
            return Unusable(spot.place, f"The description refers to more than {self._limits.files} files.")
        try:
            data = self._read(path)
        except (OSError, ValueError) as error:
            return Unusable(spot.place, f"The file {_quoted(path)} cannot be read: {type(error).__name__}.")
        self._left -= len(data)
        if self._left < 0:
            return Unusable(spot.place, f"With {_quoted(path)} the description is too large.")
        self.contents[path] = data
        try:
            return parse(data, self._limits)
        except DocumentError as error:
            return Unusable(spot.place, f"The file {_quoted(path)} cannot be used: {error.message}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:119] + "…")
