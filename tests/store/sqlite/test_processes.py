"""Several processes on one folder, and processes that die at any moment."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from knowgate.store.port import Batch
from knowgate.store.sqlite.store import SqliteStore

CHILD = Path(__file__).with_name("child.py")
KILLS = 15
ROUNDS = 300


def start(folder: Path, what: str, argument: object, say_to: IO[str] | int = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CHILD), str(folder), what, str(argument)],
        stdout=say_to, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


class Writer:
    """A child that writes until it is killed. It speaks to a file: a pipe that nobody reads would stop it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._said = folder / f"said-{seed}"
        with self._said.open("w") as file:
            self._child = start(folder, "write", seed, file)
        self.wait_for(1)

    @property
    def goes_on(self) -> bool:
        return self._child.poll() is None

    def wait_for(self, lines: int) -> None:
        while len(self._lines()) < lines and self.goes_on:
            time.sleep(0.005)

    def kill(self) -> list[tuple[str, str, int]]:
        self._child.kill()
        assert self._child.communicate(timeout=60)[1] == ""
        return self._lines()

    def _lines(self) -> list[tuple[str, str, int]]:
        """What it said; of the last line only what is said in full."""
        lines = re.findall(r"^(trying|done) (\w+) (\d+)\n", self._said.read_text(), re.MULTILINE)
        return [(word, id, int(version)) for word, id, version in lines]


def test_readers_see_whole_documents_while_another_process_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(tmp_path, 1)
    readers = [start(tmp_path, "read", ROUNDS) for _ in range(2)]
    try:
        answers = [reader.communicate(timeout=300) for reader in readers]
        writer.wait_for(50)
        assert writer.goes_on
    finally:
        writer.kill()
    for slowest, error in answers:
        assert error == ""
        with capsys.disabled():
            sys.stdout.write(f"[{ROUNDS} rounds, slowest read {float(slowest) * 1000:.1f} ms] ")
    store = SqliteStore(tmp_path)
    assert store.check(thorough=True) == []
    store.close()


def test_what_was_acknowledged_survives_the_death_of_the_writer(tmp_path: Path) -> None:
    chance = random.Random(7)
    expected: dict[str, int] = {}
    for number in range(1, KILLS + 1):
        writer = Writer(tmp_path, number)
        time.sleep(chance.uniform(0, 0.25))
        allowed: dict[str, set[int]] = {id: {version} for id, version in expected.items()}
        for word, id, version in writer.kill():
            if word == "done":
                allowed[id] = {version}
            else:
                allowed.setdefault(id, {0}).add(version)
        store = SqliteStore(tmp_path)
        found: dict[str, int] = {}
        for document in store.scan_documents():
            chunks = store.document_chunks(document.id)
            version = document.size
            assert len(chunks) == document.chunks == 1 + version % 5
            assert {chunk.text for chunk in chunks} == {f"{document.id} v{version} common"}
            found[document.id] = version
        for id, versions in allowed.items():
            assert found.get(id, 0) in versions
        assert found.keys() <= allowed.keys()
        hits = {hit.chunk_id for hit in store.search_text("common", 1000)}
        assert hits == {chunk.id for chunk in store.scan_chunks(limit=1000)}
        assert store.check(thorough=True) == []
        # A builder that died must not keep others from building for the five minutes its lease lasts.
        store.apply(Batch(drop=[("lease", "maintenance")]))
        store.close()
        expected = {id: found.get(id, 0) for id in allowed}
    assert len(expected) > 3


@pytest.mark.parametrize("what", ["read", "write"])
def test_the_children_can_fail(tmp_path: Path, what: str) -> None:
    (tmp_path / "store.db").write_text("no database, but long enough to be looked at " * 100)
    child = start(tmp_path, what, 1)
    _, complaint = child.communicate(timeout=60)
    assert child.returncode != 0
    assert "corrupt_database" in complaint or "damaged" in complaint
