"""One SQLite file opened by several threads and processes: connections, transactions, and errors in our words."""

from __future__ import annotations

import errno
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import apsw

from knowgate.errors import StorageError, UnavailableError
from knowgate.store.sqlite.schema import migrate, roll_back

BUSY_MILLISECONDS = 10_000
# Before this version two writers could damage the write-ahead log when both reset it.
SAFE_SQLITE = (3, 51, 3)
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Database:
    """Reads go to a connection of the calling thread and never wait; writes take turns on one connection."""

    def __init__(self, path: Path, sync: Literal["normal", "full"] = "normal") -> None:
        self.path = path
        self._sync = sync
        self._local = threading.local()
        self._write_lock = threading.RLock()
        # Weak, so that a connection goes with the thread it belongs to: servers come and go through many threads.
        self._connections: set[weakref.ref[apsw.Connection]] = set()
        self._closed = False
        if tuple(int(part) for part in apsw.sqlite_lib_version().split(".")[:3]) < SAFE_SQLITE:
            raise StorageError(
                "old_sqlite",
                f"SQLite {apsw.sqlite_lib_version()} can damage a database that several programs write to.",
                "Install the packaged library with `pip install -U apsw`.",
            )
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                "cannot_create_folder",
                f"The data folder {path.parent} cannot be created: {error.strerror}.",
                "Choose a folder you may write to with --data or KNOWGATE_DATA.",
            ) from error
        with translated(path):
            self._writer = self._connect(new=not path.exists())
            migrate(self._writer)

    @contextmanager
    def write(self) -> Generator[apsw.Connection]:
        """One transaction, all or nothing."""
        with self._write_lock, translated(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                roll_back(self._writer)
                raise

    @contextmanager
    def read(self) -> Generator[apsw.Connection]:
        """One consistent view. Nested reads of a thread share it."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        with translated(self.path):
            if connection is None or self._closed:
                connection = self._local.connection = self._connect()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                roll_back(connection)

    def close(self) -> None:
        with self._write_lock:
            self._closed = True
            for reference in list(self._connections):
                # A read under way in another thread is let finish; its connection goes with the thread.
                if connection := reference():
                    with suppress(apsw.ThreadingViolationError):
                        connection.close()

    def _connect(self, *, new: bool = False) -> apsw.Connection:
        if self._closed:
            raise apsw.ConnectionClosedError
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        # One by one: of several statements in one string SQLite's wrapper runs those up to the first that gives a row.
        if new:
            # Before anything is in the file: pages that become free can be given back to the disk.
            connection.pragma("auto_vacuum", 2)
        _write_ahead(connection)
        connection.pragma("synchronous", self._sync)
        connection.pragma("foreign_keys", True)
        connection.pragma("mmap_size", 1 << 30)
        connection.pragma("temp_store", "memory")
        connection.pragma("cache_size", -16_000)
        connection.create_scalar_function("holds", _holds, 2, deterministic=True)
        self._connections.add(weakref.ref(connection, self._connections.discard))
        return connection


def _write_ahead(connection: apsw.Connection) -> None:
    """Of several that make a new file so at once, SQLite turns all but one away without letting them wait."""
    patience = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.01)


def _holds(*values: Any) -> bool:
    """Whether a text has a part, given in lower case. SQLite itself is blind to the case of ASCII letters only."""
    text, part = values
    return part in text.casefold()


@contextmanager
def translated(path: Path) -> Generator[None]:
    """SQLite's errors and the disk's as ours. What is not foreseen here is a defect and stays as it is."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StorageError(
            "corrupt_database",
            f"The database {path} is damaged or is not a Knowgate database.",
            "Move it away and import your last export with `knowgate import`, or ingest the documents again.",
        ) from error
    except apsw.FullError as error:
        raise _disk_full(path) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise _cannot_write(path, error) from error
    except OSError as error:
        raise (_disk_full(path) if error.errno in _FULL else _cannot_write(path, error)) from error
    except apsw.ConnectionClosedError as error:
        raise StorageError("closed", "The store is closed.", "Open a new Engine.") from error
    except apsw.BusyError as error:
        raise UnavailableError(
            "store_busy",
            f"Another program kept the database locked for {BUSY_MILLISECONDS // 1000} seconds.",
            "Wait until it has finished, or end it, and try again.",
        ) from error
    except apsw.IOError as error:
        raise StorageError(
            "disk_error",
            f"The disk that holds {path.parent} reported an error: {error}.",
            "Check the disk and its free space; network shares cannot hold the data folder.",
        ) from error


def _disk_full(path: Path) -> StorageError:
    return StorageError(
        "disk_full",
        f"The disk that holds {path.parent} is full; nothing was lost, nothing was half written.",
        "Free some space and run the command again.",
    )


def _cannot_write(path: Path, error: Exception) -> StorageError:
    return StorageError(
        "cannot_write",
        f"The data folder {path.parent} cannot be written: {error}.",
        "Check its permissions, or choose another folder with --data or KNOWGATE_DATA.",
    )
