"""Whatever is wrong with the file, the disk or the neighbours ends in one typed error, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from contract import by_words, document, put

from knowgate.errors import StorageError, UnavailableError
from knowgate.store.sqlite import connection, schema
from knowgate.store.sqlite.connection import Database
from knowgate.store.sqlite.store import SqliteStore

OpenSqlite = Callable[[], SqliteStore]


def refused(action: Callable[[], object]) -> StorageError:
    with pytest.raises(StorageError) as caught:
        action()
    assert caught.value.message
    assert caught.value.fix
    return caught.value


def test_every_connection_has_its_settings(tmp_path: Path) -> None:
    database = Database(tmp_path / "store.db")
    for open_one in (database.write, database.read):
        with open_one() as db:
            found = {name: db.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys", "temp_store")}
            assert found == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "temp_store": 2}
    database.close()
    database = Database(tmp_path / "store.db", "full")
    with database.write() as db:
        assert db.pragma("synchronous") == 2
    database.close()


@pytest.mark.parametrize("content", [b"not a database at all", b"x" * 10_000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_not_a_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "store.db").write_bytes(content)
    error = refused(lambda: SqliteStore(tmp_path))
    assert error.code == "corrupt_database"
    assert str(tmp_path / "store.db") in error.message
    assert (tmp_path / "store.db").read_bytes() == content


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_truncated_database(tmp_path: Path, keep: float) -> None:
    store = SqliteStore(tmp_path)
    put(store, *(document(f"d{i}", f"apple {i} " * 100) for i in range(60)))
    store.close()
    path = tmp_path / "store.db"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])

    def use() -> None:
        store = SqliteStore(tmp_path)
        try:
            if problems := store.check(thorough=True):
                raise StorageError("corrupt_database", problems[0].what, "as found by check")
            for document in store.scan_documents(limit=1000):
                store.document_chunks(document.id)
        finally:
            store.close()

    assert refused(use).code == "corrupt_database"


def test_check_says_in_sentences_what_is_damaged(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    put(store, *(document(f"d{i}", f"apple {i} " * 100) for i in range(60)))
    store.close()
    path = tmp_path / "store.db"
    content = bytearray(path.read_bytes())
    middle = len(content) * 3 // 4 // 4096 * 4096
    content[middle : middle + 2 * 4096] = os.urandom(2 * 4096)
    path.write_bytes(content)
    store = SqliteStore(tmp_path)
    assert store.check()
    assert store.check(thorough=True)
    store.close()


def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    store = SqliteStore(tmp_path)
    assert store.stats().documents == 0
    store.close()


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refused(lambda: SqliteStore(tmp_path / "file")).code == "cannot_create_folder"
    assert refused(lambda: SqliteStore(tmp_path / "file" / "data")).code == "cannot_create_folder"


def test_a_folder_in_the_place_of_the_database(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    assert refused(lambda: SqliteStore(tmp_path)).code == "cannot_write"


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_folder(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "data").close()
    (tmp_path / "data").chmod(0o500)
    (tmp_path / "data" / "store.db").chmod(0o400)
    try:
        error = refused(lambda: put(SqliteStore(tmp_path / "data"), document("a", "apple")))
        assert error.code == "cannot_write"
    finally:
        (tmp_path / "data").chmod(0o700)


def test_a_full_disk_loses_nothing_and_is_no_lasting_harm(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    put(store, document("a", "apple"))
    with store._database.write() as db:
        pages = int(db.pragma("page_count"))
        db.pragma("max_page_count", pages + 20)
    huge = document("huge", *("pear " * 5000 for _ in range(40)))
    for _ in range(3):
        assert refused(lambda: put(store, huge)).code == "disk_full"
        assert [found.id for found in store.scan_documents()] == ["a"]
        assert by_words(store, "apple pear") == {"a:0"}
    assert store.check(thorough=True) == []
    with store._database.write() as db:
        db.pragma("max_page_count", 2**30)
    put(store, huge)
    assert len(by_words(store, "pear")) == 40
    store.close()


def test_a_disk_that_is_full_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", ("PRAGMA max_page_count = 3;" + schema.MIGRATIONS[0],))
    assert refused(lambda: SqliteStore(tmp_path)).code == "disk_full"
    monkeypatch.undo()
    store = SqliteStore(tmp_path)
    put(store, document("a", "apple"))
    store.close()


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    db = apsw.Connection(str(tmp_path / "store.db"))
    db.pragma("user_version", len(schema.MIGRATIONS) + 1)
    db.close()
    error = refused(lambda: SqliteStore(tmp_path))
    assert error.code == "newer_data"
    assert "upgrade" in error.fix.lower()


def test_another_program_that_keeps_the_database_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 30)
    store = SqliteStore(tmp_path)
    put(store, document("a", "apple"))
    other = apsw.Connection(str(tmp_path / "store.db"))
    other.execute("BEGIN IMMEDIATE")
    error = refused(lambda: put(store, document("b", "apple")))
    assert isinstance(error, UnavailableError)
    assert error.code == "store_busy"
    assert str(tmp_path) not in str(error), "keys of others are told of it, too"
    assert by_words(store, "apple") == {"a:0"}, "readers never wait"
    second = SqliteStore(tmp_path)
    assert by_words(second, "apple") == {"a:0"}, "nor do newcomers"
    second.close()
    other.execute("ROLLBACK")
    other.close()
    put(store, document("b", "apple"))
    assert by_words(store, "apple") == {"a:0", "b:0"}
    store.close()


def test_an_error_in_the_middle_of_a_write_undoes_all_of_it(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    with pytest.raises(KeyboardInterrupt), store._database.write() as db:
        db.execute("INSERT INTO record VALUES ('a', 'b', 1, '{}')")
        raise KeyboardInterrupt
    assert store.record("a", "b") is None
    put(store, document("a", "apple"))


def test_a_closed_store_says_so(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "apple"))
    assert by_words(store, "apple")
    store.close()
    store.close()
    assert refused(lambda: store.documents(["a"])).code == "closed"
    assert refused(lambda: store.search_text("apple", 1)).code == "closed"
    assert refused(lambda: put(store, document("b", "apple"))).code == "closed"
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: refused(lambda: store.documents(["a"])).code).result() == "closed"


def test_closing_while_others_read_ends_their_next_read(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, *(document(f"d{i}", "apple") for i in range(50)))
    ready = threading.Barrier(5)

    def read() -> str:
        ready.wait()
        while True:
            try:
                assert len(store.search_text("apple", 100)) == 50
            except StorageError as error:
                return error.code

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        ready.wait()
        time.sleep(0.05)
        store.close()
        assert [reader.result() for reader in readers] == ["closed"] * 4


def test_a_connection_goes_with_its_thread(open_sqlite: OpenSqlite) -> None:
    store = open_sqlite()
    put(store, document("a", "apple"))
    by_words(store, "apple")
    before = len(store._database._connections)
    for _ in range(10):
        thread = threading.Thread(target=by_words, args=(store, "apple"))
        thread.start()
        thread.join()
    assert len(store._database._connections) == before


def test_many_processes_may_open_a_new_folder_at_once(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from knowgate.store.sqlite.store import SqliteStore\n"
        "print('ready', flush=True)\n"
        "for line in sys.stdin:\n"
        "    store = SqliteStore(pathlib.Path(line.strip()))\n"
        "    print(store.stats().documents, flush=True)\n"
        "    store.close()\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(6)
    ]  # fmt: skip

    def answers() -> list[str]:
        return [child.stdout.readline() for child in children if child.stdout]

    assert answers() == ["ready\n"] * 6
    for number in range(50):
        for child in children:
            assert child.stdin
            child.stdin.write(f"{tmp_path / str(number)}\n")
            child.stdin.flush()
        # Or what it complains of instead.
        assert answers() == ["0\n"] * 6, [child.communicate() for child in children]
    assert [child.communicate() for child in children] == [("", "")] * 6
