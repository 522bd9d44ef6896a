"""What an export holds, that it is the same every time, and that it is whole or not there."""

from __future__ import annotations

import subprocess
import sys
import threading
import zipfile
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from knowgate import __version__
from knowgate.errors import ConflictError, InputError, KnowgateError, LimitError, StorageError
from knowgate.knowledge.portable import content_digest, export, form, import_, whole
from knowgate.model import Chunk, EmbedderIdentity
from knowgate.store.port import Batch, DocumentWrite, Record
from knowgate.store.sqlite.store import SqliteStore


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as zip:
        return {name: zip.read(name) for name in zip.namelist()}


def lines(data: bytes) -> list[Any]:
    return [orjson.loads(line) for line in data.split(b"\n")[:-1]]


def test_members_are_sorted_json_lines(archive: Path) -> None:
    found = members(archive)
    documents, chunks = lines(found["documents.jsonl"]), lines(found["chunks.jsonl"])
    assert [document["id"] for document in documents] == ["blank", "opening hours", "refunds"]
    assert [chunk["id"] for chunk in chunks] == ["opening hours:0", "opening hours:1", "refunds:0", "refunds:1"]
    for row in documents + chunks + lines(found["records.jsonl"]):
        assert list(row) == sorted(row)
    assert list(documents[0]["fields"]) == ["author", "draft", "pages", "share"]
    assert "营业时间".encode() in found["chunks.jsonl"]


def test_vectors_are_half_precision_in_chunk_order(archive: Path, shop: SqliteStore) -> None:
    blank, hours, _ = lines(members(archive)["vectors.jsonl"])
    assert blank == {"document_id": "blank", "vectors": None}
    matrix = np.frombuffer(b64decode(hours["vectors"]), dtype="<f2").reshape(2, 4)
    np.testing.assert_array_equal(matrix, shop.document_vectors("opening hours"))


def test_the_manifest_describes_the_rest(archive: Path) -> None:
    found = members(archive)
    manifest = orjson.loads(found.pop("manifest.json"))
    assert (manifest["format"], manifest["version"], manifest["knowgate"]) == ("knowgate-archive", 2, __version__)
    assert manifest["counts"] == {"documents": 3, "chunks": 4, "vectors": 4, "records": 2}
    assert manifest["embedder"]["model"] == "tiny"
    assert {name: member["bytes"] for name, member in manifest["members"].items()} == {
        name: len(data) for name, data in found.items()
    }


def test_keys_tasks_and_leases_stay_at_home(archive: Path, shop: SqliteStore, tmp_path: Path) -> None:
    assert [row["kind"] for row in lines(members(archive)["records.jsonl"])] == ["chat", "filter"]
    assert b"s3cret" not in b"".join(members(archive).values())
    chosen = export(shop, tmp_path / "chosen.zip", kinds=("task", "task"))
    assert chosen.records == 1


def test_every_record_is_exported_however_many(new_store: Callable[..., SqliteStore], tmp_path: Path) -> None:
    store = new_store()
    store.apply(Batch(records=[Record("chat", f"{n:05d}", {"n": n}) for n in range(2500)]))
    assert export(store, tmp_path / "x.zip").records == 2500


def test_an_empty_store_gives_an_archive(new_store: Callable[..., SqliteStore], tmp_path: Path) -> None:
    report = export(new_store(), tmp_path / "x.zip")
    assert (report.documents, report.chunks, report.vectors, report.records) == (0, 0, 0, 0)
    assert import_(new_store(), report.path).advice == ""


def test_the_same_knowledge_gives_the_same_bytes(
    shop: SqliteStore,
    archive: Path,
    new_store: Callable[..., SqliteStore],
    written: Callable[..., DocumentWrite],
    embed: Callable[..., None],
    tmp_path: Path,
) -> None:
    """Another folder, another order of writing, other row numbers, other versions of the records."""
    other = new_store()
    other.apply(Batch(documents=[written("gone", "to be deleted"), written("blank", "former text")]))
    other.apply(Batch(delete=["gone"]))
    for id in ("opening hours", "blank", "refunds"):
        fields = dict(reversed(shop.documents([id])[id].fields.items()))
        write = DocumentWrite(replace(shop.documents([id])[id], fields=fields), shop.document_chunks(id))
        other.apply(Batch(documents=[write]))
    for kind in ("filter", "chat", "filter"):
        other.apply(Batch(records=shop.scan_records(kind)))
    embed(other)
    assert export(other, tmp_path / "other.zip").path.read_bytes() == archive.read_bytes()


def test_without_vectors_the_other_members_are_the_same(shop: SqliteStore, archive: Path, tmp_path: Path) -> None:
    report = export(shop, tmp_path / "light.zip", vectors=False)
    full, light = members(archive), members(report.path)
    assert report.vectors == 0
    assert "vectors.jsonl" not in light
    for name in ("documents.jsonl", "chunks.jsonl", "records.jsonl"):
        assert light[name] == full[name]


def test_a_number_json_cannot_say_is_left_out(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], tmp_path: Path
) -> None:
    store, other = new_store(), new_store()
    fields = {"kept": 1, "nan": float("nan"), "infinite": float("inf")}
    store.apply(Batch(documents=[written("a", "x", fields=fields)]))
    import_(other, export(store, tmp_path / "x.zip").path)
    assert other.documents(["a"])["a"].fields == {"kept": 1}


def test_progress_goes_from_first_to_last(shop: SqliteStore, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    export(shop, tmp_path / "x.zip", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


# --- where it is written ------------------------------------------------------------------------------------------


def test_an_existing_file_is_kept_unless_told_otherwise(shop: SqliteStore, tmp_path: Path) -> None:
    target = tmp_path / "x.zip"
    target.write_text("precious")
    with pytest.raises(InputError) as refused:
        export(shop, target)
    assert refused.value.code == "target_exists"
    assert target.read_text() == "precious"
    export(shop, target, overwrite=True)
    assert zipfile.is_zipfile(target)


@pytest.mark.parametrize(
    ("name", "family", "code"),
    [
        ("missing/x.zip", InputError, "folder_not_found"),
        ("folder", InputError, "not_a_file"),
        ("long" * 100, StorageError, "cannot_write"),
    ],
)
def test_a_bad_target_is_a_typed_error(
    shop: SqliteStore, tmp_path: Path, name: str, family: type[KnowgateError], code: str
) -> None:
    (tmp_path / "out" / "folder").mkdir(parents=True)
    with pytest.raises(family) as refused:
        export(shop, tmp_path / "out" / name)
    assert refused.value.code == code
    assert refused.value.fix
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["folder"]


class Stop(Exception):
    pass


def test_an_interrupted_export_leaves_nothing_behind(shop: SqliteStore, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise Stop

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.zip").write_text("the last good one")
    with pytest.raises(Stop):
        export(shop, tmp_path / "out" / "x.zip", overwrite=True, progress=stop)
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["the last good one"]


FULL_DISK = """
import resource, sys
from pathlib import Path
from knowgate.errors import StorageError
from knowgate.knowledge.portable import export
from knowgate.store.sqlite.store import SqliteStore

store = SqliteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    export(store, Path(sys.argv[2]))
except StorageError as error:
    sys.exit(error.code)
"""


@pytest.mark.parametrize("room", [0, 100, 5000])
def test_a_full_disk_is_a_typed_error(
    new_store: Callable[..., SqliteStore], written: Callable[..., DocumentWrite], tmp_path: Path, room: int
) -> None:
    pytest.importorskip("resource", reason="file sizes cannot be limited here")
    store = new_store()
    noise = np.random.default_rng(1).bytes(40_000).hex()
    store.apply(Batch(documents=[written("a", noise), written("b", noise[::-1])]))
    store.close()
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "x.zip"
    run = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(store.folder), str(target), str(room)], capture_output=True, text=True
    )
    assert run.stderr.strip() == "disk_full"
    assert list((tmp_path / "out").iterdir()) == []


# --- while others write -------------------------------------------------------------------------------------------


def test_a_document_is_never_half_exported(
    new_store: Callable[..., SqliteStore],
    written: Callable[..., DocumentWrite],
    embed: Callable[..., None],
    tmp_path: Path,
) -> None:
    """A writer replaces, deletes and embeds all the time; each version says in every part which one it is."""
    store = new_store()
    ids = [f"d{n:02d}" for n in range(20)]

    def version(id: str, number: int) -> DocumentWrite:
        texts = [f"version {number} " + "x" * (number % 7)] * (1 + number % 5)
        return written(id, *texts, title=f"version {number}", indexed_at=float(number))

    store.apply(Batch(documents=[version(id, 0) for id in ids]))
    embed(store)
    stop = threading.Event()

    def keep_writing() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            id = ids[number % len(ids)]
            store.apply(Batch(delete=[id]) if number % 11 == 0 else Batch(documents=[version(id, number)]))
            if number % 3 == 0:
                embed(store)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        paths = [export(store, tmp_path / f"{n}.zip").path for n in range(8)]
    finally:
        stop.set()
        writer.join()
    for path in paths:
        copy = new_store()
        import_(copy, path)
        for document in copy.scan_documents():
            chunks = copy.document_chunks(document.id)
            number = int(document.title.removeprefix("version "))
            assert chunks == version(document.id, number).chunks
            vectors = copy.document_vectors(document.id)
            if vectors is not None:
                assert [int(row[0]) for row in vectors] == [len(chunk.text) % 7 for chunk in chunks]


def test_a_document_deleted_meanwhile_is_left_out(
    shop: SqliteStore, new_store: Callable[..., SqliteStore], tmp_path: Path
) -> None:
    report = export(shop, tmp_path / "x.zip", progress=lambda done, total: shop.apply(Batch(delete=["refunds"])))
    assert report.documents == 2
    copy = new_store()
    import_(copy, report.path)
    assert content_digest(copy) == content_digest(shop)


def test_vectors_of_two_embedders_are_not_mixed(shop: SqliteStore, tmp_path: Path) -> None:
    def change(done: int, total: int) -> None:
        if done == 2:
            shop.start_space(EmbedderIdentity("local", "other", 4))

    with pytest.raises(ConflictError) as refused:
        export(shop, tmp_path / "x.zip", progress=change)
    assert refused.value.code == "embedder_changed"
    assert not (tmp_path / "x.zip").exists()


class Restless(SqliteStore):
    """Somebody replaces every document just before its passages are read."""

    def document_chunks(self, document_id: str) -> list[Chunk]:
        stored = self.documents([document_id])[document_id]
        chunks = super().document_chunks(document_id)
        self.apply(Batch(documents=[DocumentWrite(replace(stored, indexed_at=stored.indexed_at + 1), chunks)]))
        return chunks


def test_a_document_that_never_rests_is_a_typed_error(
    new_store: Callable[..., SqliteStore],
    written: Callable[..., DocumentWrite],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole, "_PAUSE_SECONDS", 0)
    store = new_store(Restless)
    store.apply(Batch(documents=[written("a", "text")]))
    with pytest.raises(StorageError) as refused:
        export(store, tmp_path / "x.zip")
    assert refused.value.code == "store_busy"


def test_what_could_not_be_read_again_is_not_written(
    shop: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "MAX_DOCUMENT", 300)
    with pytest.raises(LimitError) as refused:
        export(shop, tmp_path / "x.zip")
    assert refused.value.code == "too_large"
