"""One SQLite file opened by several threads and processes: connections, transactions, and errors in our words."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import apsw

from knowgate.errors import StorageError
from knowgate.store.sqlite.schema import migrate

BUSY_MILLISECONDS = 10_000
# Before this version two writers could damage the write-ahead log when both reset it.
SAFE_SQLITE = (3, 51, 3)


class Database:
    """Reads go to a connection of the calling thread and never wait; writes take turns on one connection."""

    def __init__(self, path: Path, sync: Literal["normal", "full"] = "normal") -> None:
        self.path = path
        self._sync = sync
        self._local = threading.local()
        self._write_lock = threading.RLock()
        self._connections: list[apsw.Connection] = []
        self._closed = False
        if tuple(int(part) for part in apsw.sqlite_lib_version().split(".")[:3]) < SAFE_SQLITE:
            raise StorageError(
                "old_sqlite",
                f"SQLite {apsw.sqlite_lib_version()} can damage a database that several programs write to.",
                "Install the packaged library with `pip install -U apsw`.",
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                "cannot_create_folder",
                f"The data folder {path.parent} cannot be created: {error.strerror}.",
                "Choose a folder you may write to with --data or KNOWGATE_DATA.",
            ) from error
        with translated(path):
            self._writer = self._connect()
            migrate(self._writer)

    @contextmanager
    def write(self) -> Generator[apsw.Connection]:
        """One transaction, all or nothing."""
        with self._write_lock, translated(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                # A full disk may already have rolled back.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    @contextmanager
    def read(self) -> Generator[apsw.Connection]:
        """One consistent view. Nested reads of a thread share it."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        with translated(self.path):
            if connection is None:
                connection = self._local.connection = self._connect()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    def close(self) -> None:
        with self._write_lock:
            self._closed = True
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def _connect(self) -> apsw.Connection:
        if self._closed:
            raise StorageError("closed", "The store is closed.", "Open a new Engine.")
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.execute(
            f"PRAGMA journal_mode = WAL; PRAGMA synchronous = {self._sync}; PRAGMA foreign_keys = ON;"
            "PRAGMA mmap_size = 1073741824; PRAGMA temp_store = memory; PRAGMA cache_size = -16000;"
        )
        self._connections.append(connection)
        return connection


@contextmanager
def translated(path: Path) -> Generator[None]:
    """SQLite's errors as ours. What is not foreseen here is a defect and stays as it is."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StorageError(
            "corrupt_database",
            f"The database {path} is damaged or is not a Knowgate database.",
            "Move it away and import your last export with `knowgate import`, or ingest the documents again.",
        ) from error
    except apsw.FullError as error:
        raise StorageError(
            "disk_full",
            f"The disk that holds {path.parent} is full; nothing was lost, nothing was half written.",
            "Free some space and run the command again.",
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StorageError(
            "cannot_write",
            f"The data folder {path.parent} cannot be written: {error}.",
            "Check its permissions, or choose another folder with --data or KNOWGATE_DATA.",
        ) from error
    except apsw.BusyError as error:
        raise StorageError(
            "store_busy",
            f"Another program kept the database {path} locked for {BUSY_MILLISECONDS // 1000} seconds.",
            "Try again; `knowgate doctor` shows who uses it.",
        ) from error
    except apsw.IOError as error:
        raise StorageError(
            "disk_error",
            f"The disk that holds {path.parent} reported an error: {error}.",
            "Check the disk and its free space; network shares cannot hold the data folder.",
        ) from error
