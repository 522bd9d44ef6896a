"""The descriptions of all configured APIs, read, fetched or taken from what was kept, as one catalogue."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from knowgate.apis.catalogue import Catalogue
from knowgate.apis.compiled import CompiledApi, compile_api
from knowgate.errors import DocumentError, KnowgateError, NetworkError

_LARGEST = 64 * 2**20
_FRESH_SECONDS = 86_400.0
"""A fetched description is asked for again after a day."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An API that is configured."""

    name: str
    spec: str
    """A path or an address."""
    fetch: Callable[[str], bytes]
    overlays: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    catalogue: Catalogue
    problems: Mapping[str, tuple[str, ...]]
    """What was wrong, by API."""
    refused: Mapping[str, KnowgateError]
    """Those that could not be opened, and are not in the catalogue."""


def open_apis(wanted: Iterable[Wanted], folder: Path) -> Opened:
    """What is wrong with one API is no reason to go without the others. The folder keeps what was made of them."""
    compiled: list[CompiledApi] = []
    problems: dict[str, tuple[str, ...]] = {}
    refused: dict[str, KnowgateError] = {}
    for each in wanted:
        try:
            api, warnings = _open(each, folder)
        except KnowgateError as error:
            problems[each.name] = (str(error),)
            refused[each.name] = error
            continue
        compiled.append(api)
        problems[each.name] = warnings
    return Opened(Catalogue(compiled), problems, refused)


def is_address(spec: str) -> bool:
    return spec.startswith(("http://", "https://"))


def _open(wanted: Wanted, folder: Path) -> tuple[CompiledApi, tuple[str, ...]]:
    from knowgate.apis.spec.folder import folder_reader

    overlays = [_read(path) for path in wanted.overlays]
    if is_address(wanted.spec):
        data, warnings = _fetched(wanted, folder)
        read = None
    else:
        path = Path(wanted.spec).expanduser()
        data, warnings = _read(path), ()
        read = folder_reader(path.parent)
    api = compile_api(data, name=wanted.name, source=wanted.spec, folder=folder, read=read, overlays=overlays)
    return api, warnings


def _fetched(wanted: Wanted, folder: Path) -> tuple[bytes, tuple[str, ...]]:
    """The description from its address, or the copy of it that is fresh, or all there is."""
    copy = folder / f"{hashlib.sha256(wanted.spec.encode()).hexdigest()[:32]}.spec"
    with suppress(OSError):
        if time.time() - copy.stat().st_mtime < _FRESH_SECONDS:
            return copy.read_bytes(), ()
    try:
        data = wanted.fetch(wanted.spec)
    except NetworkError as error:
        with suppress(OSError):
            return copy.read_bytes(), (f"An older copy is used. {error}",)
        raise
    # Without a copy it is fetched again the next time.
    with suppress(OSError):
        copy.parent.mkdir(parents=True, exist_ok=True)
        fresh = copy.with_suffix(f".{uuid4().hex}")
        fresh.write_bytes(data)
        fresh.replace(copy)
    return data, ()


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST:
            raise DocumentError("spec_too_large", f"{path} is larger than {_LARGEST >> 20} MB.", "Split it.")
        return path.expanduser().read_bytes()
    except OSError as error:
        fix = "Check the path; a relative one is looked up where Knowgate is started."
        raise DocumentError("spec_unreadable", f"{path} cannot be read: {error.strerror}.", fix) from error
