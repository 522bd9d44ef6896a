"""What `knowgate doctor` looks at. Every check says what it found and, if that is bad, what to do."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from knowgate.cli.disks import NETWORK, filesystem
from knowgate.cli.sizes import counted, size
from knowgate.errors import KnowgateError
from knowgate.version import __version__

if TYPE_CHECKING:
    from knowgate.config.load import Loaded
    from knowgate.config.settings import Settings
    from knowgate.engine import Engine

Status = Literal["ok", "warning", "wrong"]
_LITTLE_SPACE = 1_000_000_000
_PACKAGES = ("apsw", "fastapi", "numpy", "onnxruntime", "pydantic", "pypdfium2", "typer")
_EXTRAS = {"bedrock": "boto3", "ocr": "rapidocr"}


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    status: Status
    found: str
    fix: str = ""


def installation() -> Iterator[Check]:
    import apsw

    from knowgate.store.sqlite.connection import SAFE_SQLITE

    yield Check("Knowgate", "ok", f"{__version__} on Python {platform.python_version()} ({sys.platform})")
    yield Check("packages", "ok", ", ".join(f"{name} {version(name)}" for name in _PACKAGES))
    sqlite = apsw.sqlite_lib_version()
    if tuple(map(int, sqlite.split(".")[:3])) < SAFE_SQLITE:
        yield Check("SQLite", "wrong", f"{sqlite} is too old", "Run `pip install -U apsw`.")
    else:
        yield Check("SQLite", "ok", sqlite)


def configuration(loaded: Loaded) -> Iterator[Check]:
    yield Check("configuration", "ok", str(loaded.file or "no knowgate.toml, defaults are in force"))
    settings = loaded.settings
    wanted = {"bedrock": settings.embedder.provider == "bedrock", "ocr": settings.parse.ocr}
    for extra, package in _EXTRAS.items():
        if importlib.util.find_spec(package):
            yield Check(f"extra {extra}", "ok", f"{package} {version(package)}")
        elif wanted[extra]:
            fix = f"Run `pip install 'knowgate[{extra}]'`."
            yield Check(f"extra {extra}", "wrong", f"configured, but {package} is missing", fix)
        else:
            yield Check(f"extra {extra}", "ok", "not installed, not needed")
    for folder in settings.docs:
        if not folder.exists():
            yield Check("docs", "wrong", f"there is no {folder}", "Correct docs in knowgate.toml.")


def data_folder(data: Path) -> Iterator[Check]:
    there = next(folder for folder in (data, *data.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        fix = "Give yourself the right to write there, or choose another folder with --data or KNOWGATE_DATA."
        yield Check("data folder", "wrong", f"{there} cannot be written", fix)
        return
    yield Check("data folder", "ok", str(data) if there == data else f"{data} (will be created)")
    type = filesystem(there.resolve())
    if type in NETWORK:
        fix = "Put the data folder on a disk of this machine: network disks lose locks, and with them data."
        yield Check("disk", "warning", f"{type}, a network disk", fix)
    free = shutil.disk_usage(there).free
    if free < _LITTLE_SPACE:
        yield Check("free space", "warning", size(free), "Free some space before you index more.")
    else:
        yield Check("free space", "ok", size(free))


def cluster(engine: Engine) -> Iterator[Check]:
    """Nothing to say while the index is in the data folder."""
    if engine.settings.store.provider != "opensearch":
        return
    from knowgate.rooms import cluster_address, with_login
    from knowgate.store.opensearch.health import examine

    chosen = engine.settings.store
    yield Check("address of the cluster", "ok", f"{', '.join(chosen.url)}, indexes {chosen.prefix}-*")
    try:
        for finding in examine(cluster_address(with_login(engine.settings))):
            yield Check(finding.name, finding.status, finding.found, finding.fix)
    except KnowgateError as error:
        yield _wrong("cluster", error)


def index(engine: Engine) -> Iterator[Check]:
    if not _begun(engine):
        yield Check("database", "ok", "nothing is indexed yet")
        return
    try:
        store = engine.store
        damage = store.check(thorough=True)
    except KnowgateError as error:
        yield _wrong("database", error)
        return
    for fix in dict.fromkeys(each.fix for each in damage):
        found = [each.what for each in damage if each.fix == fix]
        yield Check("database", "wrong", "; ".join(found[:5]), fix)
    if damage:
        return
    counts = store.stats()
    held = f"{counted(counts.documents, 'document')}, {counted(counts.chunks, 'passage')}"
    yield Check("database", "ok", f"{held}, no damage")
    left = engine.interrupted()
    if left:
        yield Check("tasks", "warning", f"{counted(len(left), 'task')} interrupted", "Run `knowgate tasks resume`.")
    elif counts.pending:
        fix = "Run `knowgate reembed`; until then they are found by keyword only."
        yield Check("vectors", "warning", f"{counted(counts.pending, 'document')} without", fix)


def embedder(engine: Engine) -> Iterator[Check]:
    from knowgate.knowledge.search import check_identity

    try:
        chosen = engine.embedder()
        chosen.embed_query("Does it answer?")
        identity = chosen.identity
    except KnowgateError as error:
        yield _wrong("embedder", error)
        return
    yield Check("embedder", "ok", f"{identity.provider}/{identity.model} answers, {identity.dimension} dimensions")
    try:
        space = engine.store.space() if _begun(engine) else None
        if space:
            check_identity(space.identity, identity)
    except KnowgateError as error:
        if error.code == "embedder_changed":
            yield _wrong("vectors", error)


def reader(settings: Settings) -> Iterator[Check]:
    from knowgate.knowledge.parse.reader import ParseOptions
    from knowgate.knowledge.parse.sandbox import Sandbox

    try:
        with Sandbox(settings.parse.timeout_seconds, settings.parse.memory_mb * 1024 * 1024, 1) as sandbox:
            sandbox.parse(b"Does it read?", "doctor.txt", ParseOptions())
    except KnowgateError as error:
        yield _wrong("reader", error)
    else:
        yield Check("reader", "ok", "a reader process starts and reads")


def _begun(engine: Engine) -> bool:
    """Whether there is an index; to look into the data folder must not make one there."""
    return engine.settings.store.provider != "sqlite" or (engine.settings.data / "store.db").exists()


def _wrong(name: str, error: KnowgateError) -> Check:
    return Check(name, "wrong", error.message, error.fix)
