"""What there is to ingest: a file, the files of a folder, an address, a text."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowgate.errors import ConflictError, DocumentError, InputError, LimitError
from knowgate.folders import walk
from knowgate.model import FieldValue, TaskFile


@dataclass(frozen=True, slots=True)
class Source:
    """One document to be."""

    source: str
    """Absolute path or address, or `text:NAME`."""
    name: str


@dataclass(frozen=True, slots=True)
class Listing:
    files: tuple[Source, ...]
    unreadable: tuple[str, ...]
    """Folders that could not be listed: what lies below them is neither new nor gone, only unknown."""
    misnamed: tuple[str, ...] = ()
    """Files whose name is no text in any encoding we know of, as far as it can be shown."""

    links: tuple[Source, ...] = ()
    """Links that lead out of the folder, or to what is left out there."""

    def problems(self) -> list[TaskFile]:
        """What could not be looked at or was not meant, and why."""
        locked = DocumentError("unreadable_folder", "The folder cannot be read.", "Check its permissions.")
        unnamed = DocumentError("bad_name", "The file's name is not valid text.", "Rename it, then ingest again.")
        linked = DocumentError(
            "link_outside",
            "The link leads out of the folder, or to what is left out there.",
            "Name the file itself if it shall be indexed.",
        )
        return [
            *(TaskFile(name, name, "failed", error=locked.as_dict()) for name in self.unreadable),
            *(TaskFile(name, name, "failed", error=unnamed.as_dict()) for name in self.misnamed),
            *(TaskFile(link.source, link.name, "ignored", error=linked.as_dict()) for link in self.links),
        ]


def document_id(source: str) -> str:
    """The same source is the same document, whoever ingests it and from which folder."""
    return hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def resolve(path: str | Path) -> Path:
    """Absolute, links resolved: one file has one spelling."""
    given = Path(path)
    if not is_text(str(given)):
        raise InputError("bad_name", f"The name {_shown(str(given))} is not valid text.", "Rename the file or folder.")
    try:
        given = given.expanduser()
        found = given.resolve(strict=True)
    except FileNotFoundError as error:
        raise InputError(
            "file_not_found", f"There is no file or folder {given}.", "Check the spelling and the working directory."
        ) from error
    except (OSError, RuntimeError) as error:
        why = str(error).rstrip(".")
        fix = "Check its spelling and its permissions."
        raise InputError("unreadable_path", f"{given} cannot be read: {why}.", fix) from error
    if not (found.is_file() or found.is_dir()):
        raise InputError("not_a_file", f"{given} is neither a file nor a folder.", "Give a file or a folder.")
    return found


def list_files(root: Path, exclude: Sequence[str], skip: Path | None = None) -> Listing:
    """The files below a folder in stable order, as far as they are meant."""
    if root.is_file():
        return Listing((Source(str(root), root.name),), ())
    unreadable: list[str] = []
    misnamed: list[str] = []
    files: list[Source] = []
    links: list[Source] = []
    for path, meant in walk(root, exclude, lambda error: unreadable.append(str(error.filename)), skip):
        if is_text(str(path)):
            (files if meant else links).append(Source(str(path), path.relative_to(root).as_posix()))
        else:
            misnamed.append(_shown(str(path)))
    return Listing(tuple(files), tuple(map(_shown, unreadable)), tuple(misnamed), tuple(links))


def vanished(known: Iterable[str], root: Path, listing: Listing) -> Iterator[str]:
    """Sources below the root that are gone; what could not be looked at is not gone."""
    present = {file.source for file in listing.files}
    below = str(root).rstrip(os.sep) + os.sep
    for source in known:
        if source.startswith(below) and source not in present and not _below_any(source, listing.unreadable):
            yield source


def read_file(path: Path, max_bytes: int) -> tuple[bytes, float]:
    """What is in the file, and when it was changed."""
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
            modified_at = os.fstat(file.fileno()).st_mtime
    except FileNotFoundError as error:
        raise DocumentError("file_not_found", f"{path} is gone.", "Ingest the folder again.") from error
    except IsADirectoryError as error:
        raise InputError("not_a_file", f"{path} is a folder.", "Give a file, or ingest the whole folder.") from error
    except OSError as error:
        raise DocumentError(
            "unreadable_file", f"{path} cannot be read: {error.strerror}.", "Check its permissions, then ingest again."
        ) from error
    if len(data) > max_bytes:
        raise too_large(str(path), max_bytes)
    return data, modified_at


def too_large(name: str, max_bytes: int) -> LimitError:
    return LimitError(
        "too_large",
        f"{name} is larger than {max_bytes // (1024 * 1024)} MB.",
        "Raise parse.max_file_mb in knowgate.toml, or split the file.",
    )


def already_there(name: str) -> ConflictError:
    return ConflictError("document_exists", f"There is a document {name} already.", "Allow it to be replaced.")


def _below_any(source: str, folders: Sequence[str]) -> bool:
    return any(source.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def is_text(name: str) -> bool:
    """A name that the system could not decode carries lone surrogates, which nothing but the system can take."""
    return "\x00" not in name and not any("\ud800" <= character <= "\udfff" for character in name)


def _shown(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def storable(fields: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    """Numbers that no store can hold (too long, infinite, not a number) are kept as text."""
    return {key: value if _fits(value) else str(value) for key, value in fields.items()}


def _fits(value: FieldValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63
