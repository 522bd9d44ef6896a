"""What the processes of test_processes do: `child.py FOLDER read ROUNDS` or `child.py FOLDER write SEED`."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from contract import document, embed, vector_of

from knowgate.store.port import Batch, DocumentWrite
from knowgate.store.sqlite import retrieve
from knowgate.store.sqlite import store as store_module
from knowgate.store.sqlite.store import SqliteStore

DOCUMENTS = 12


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def version_of(id: str, version: int) -> DocumentWrite:
    """Every passage of a version names it, and the version tells how many there are."""
    return document(id, *[f"{id} v{version} common"] * (1 + version % 5), size=version)


def is_whole(store: SqliteStore, id: str) -> int | None:
    """The version of a document, or None when it is not there. Fails when there is half a one."""
    chunks = store.document_chunks(id)
    if not chunks:
        return None
    version = int(chunks[0].text.split()[1].removeprefix("v"))
    assert [chunk.text for chunk in chunks] == [chunk.text for chunk in version_of(id, version).chunks]
    return version


def read(store: SqliteStore, rounds: int) -> None:
    """Say how long the slowest read took."""
    slowest = 0.0
    query = vector_of("common")
    for _ in range(rounds):
        begin = time.perf_counter()
        hits = store.search_text("common", 1000)
        slowest = max(slowest, time.perf_counter() - begin)
        counts: dict[str, list[int]] = {}
        for hit in hits:
            id, _, ordinal = hit.chunk_id.rpartition(":")
            counts.setdefault(id, []).append(int(ordinal))
        assert all(sorted(found) == list(range(len(found))) for found in counts.values()), counts
        begin = time.perf_counter()
        near = [hit.chunk_id for hit in store.search_vector(query, 1000)]
        slowest = max(slowest, time.perf_counter() - begin)
        assert len(near) == len(set(near))
        for number in range(DOCUMENTS):
            begin = time.perf_counter()
            is_whole(store, f"d{number}")
            slowest = max(slowest, time.perf_counter() - begin)
    say(slowest)


def write(store: SqliteStore, seed: int) -> None:
    """Write until killed; each line says what is acknowledged."""
    chance = random.Random(seed)
    version = seed * 1_000_000
    while True:
        version += 1
        id = f"d{chance.randrange(DOCUMENTS)}"
        if chance.random() < 0.2:
            say("trying", id, 0)
            store.apply(Batch(delete=[id]))
            say("done", id, 0)
        else:
            say("trying", id, version)
            store.apply(Batch(documents=[version_of(id, version)]))
            say("done", id, version)
        if chance.random() < 0.3:
            embed(store)
        if chance.random() < 0.1:
            store.maintain()


def main() -> None:
    store_module.WORD_CODEC = replace(retrieve.WORD_CODEC, tail_rows=16)
    store_module.VECTOR_CODEC = replace(retrieve.VECTOR_CODEC, tail_rows=16)
    folder, what, argument = sys.argv[1:]
    store = SqliteStore(Path(folder))
    if what == "read":
        read(store, int(argument))
    else:
        write(store, int(argument))


if __name__ == "__main__":
    main()
