"""What is handed to the server: files and folders of this machine, contents, addresses."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TypedDict

from knowgate.client import routes
from knowgate.client.call import Call, Upload
from knowgate.client.errors import ValidationError
from knowgate.folders import EXCLUDE, walk
from knowgate.wire import IngestAnswer

AnyPath = str | os.PathLike[str]
Paths = AnyPath | Sequence[AnyPath]

_BATCH_FILES = 100
_BATCH_BYTES = 64 * 1024 * 1024
_SHOWN_LINKS = 10


class Handed(TypedDict, total=False):
    """Instead of paths. Exactly one of file, url and text."""

    file: BinaryIO | bytes | None
    filename: str | None
    """Of the file or the text; an open file may do without."""
    url: str | None
    text: str | None


def ingest_calls(
    paths: Paths | None = None,
    *,
    file: BinaryIO | bytes | None = None,
    filename: str | None = None,
    url: str | None = None,
    text: str | None = None,
) -> list[Call[IngestAnswer]]:
    """One call, or one for each batch of many files."""
    if sum(given is not None for given in (paths, file, url, text)) != 1:
        fix = "Give a path or several, or `file`, or `url`, or `text` with a `filename`."
        raise ValidationError("one_source", "Exactly one thing can be ingested at a time.", fix)
    if url is not None:
        return [routes.ingest_url(url)]
    if text is not None:
        return [routes.ingest_text(text, filename or _nameless("text"))]
    if file is not None:
        return [routes.ingest_files([Upload(_sendable(filename or _name_of(file)), file)])]
    assert paths is not None
    found = list(_uploads([paths] if isinstance(paths, (str, os.PathLike)) else paths))
    _check_names(found)
    return [routes.ingest_files(batch) for batch in batches(found)]


def batches(
    uploads: Iterable[tuple[Upload, int]], max_files: int = _BATCH_FILES, max_bytes: int = _BATCH_BYTES
) -> Iterator[list[Upload]]:
    """In order, each within both limits; a file that is larger goes alone."""
    batch: list[Upload] = []
    total = 0
    for upload, size in uploads:
        if batch and (len(batch) == max_files or total + size > max_bytes):
            yield batch
            batch, total = [], 0
        batch.append(upload)
        total += size
    if batch:
        yield batch


def together(answers: Sequence[IngestAnswer]) -> IngestAnswer:
    """Several batches as one answer, whose task id names all their tasks."""
    if len(answers) == 1:
        return answers[0]
    count = sum(answer.file_count for answer in answers)
    ids = ",".join(answer.task_id for answer in answers)
    return IngestAnswer(ids, f"{count} files are being ingested in {len(answers)} batches.", count)


def _uploads(paths: Iterable[AnyPath]) -> Iterator[tuple[Upload, int]]:
    """With their sizes. A file is called by its name, one in a folder by its path below the folder."""
    for given in map(Path, paths):
        try:
            files = [(given.name, given)] if not given.is_dir() else _below(given)
            for name, path in files:
                yield Upload(_sendable(name), path), path.stat().st_size
        except OSError as error:
            message = f"{error.filename or given} cannot be read: {error.strerror}."
            raise ValidationError("unreadable_path", message, "Check its spelling and its permissions.") from error


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files in a folder that `knowgate ingest` would take, but for what the server's configuration says."""
    root = folder.resolve()
    links: list[str] = []
    for path, meant in walk(root, EXCLUDE, _raise):
        name = path.relative_to(root).as_posix()
        if meant:
            yield name, path
        else:
            links.append(_sendable(name))
    if links:
        shown = ", ".join(links[:_SHOWN_LINKS]) + (", …" if len(links) > _SHOWN_LINKS else "")
        why = "they lead out of it, or to what is left out there"
        # Five frames up is whoever calls the client.
        warnings.warn(f"Links in {folder} are not sent, because {why}: {shown}", stacklevel=5)


def _raise(error: OSError) -> None:
    raise error


def _check_names(found: Sequence[tuple[Upload, int]]) -> None:
    if not found:
        fix = "Give a file, or a folder with files that are not hidden."
        raise ValidationError("nothing_to_ingest", "There is no file to ingest.", fix)
    seen: set[str] = set()
    for upload, _ in found:
        if upload.name in seen:
            fix = "Ingest the folder above them: then they are called by their paths below it."
            message = f"Two files are called {upload.name}, so that the second would replace the first."
            raise ValidationError("same_name", message, fix)
        seen.add(upload.name)


def _name_of(file: BinaryIO | bytes) -> str:
    # A file opened by its number has a number for a name.
    name: object = getattr(file, "name", None)
    return Path(name).name if isinstance(name, str) else _nameless("file")


def _nameless(what: str) -> str:
    raise ValidationError("no_filename", f"The {what} has no name.", "Give a `filename`.")


def _sendable(name: str) -> str:
    """A name that the system could not decode carries lone surrogates, which cannot be sent."""
    return name.encode("utf-8", "backslashreplace").decode()
