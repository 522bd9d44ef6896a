"""What an import adds, replaces and leaves alone."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

from knowgate.errors import ConflictError, InputError, KnowgateError, LimitError
from knowgate.knowledge.portable import content_digest, export, import_
from knowgate.model import EmbedderIdentity
from knowgate.store.port import Batch, DocumentWrite, Facts, Mention, Pending, Record, Store
from knowgate.store.sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]
Written = Callable[..., DocumentWrite]
Embed = Callable[..., None]


class Stop(Exception):
    pass


def texts(store: Store, id: str) -> list[str]:
    return [chunk.text for chunk in store.document_chunks(id)]


def test_an_empty_store_becomes_the_exported_one(shop: SqliteStore, archive: Path, new_store: NewStore) -> None:
    copy = new_store()
    report = import_(copy, archive)
    assert (report.added, report.replaced, report.unchanged) == (3, 0, 0)
    assert (report.chunks, report.vectors, report.records) == (4, 4, 2)
    assert (report.pending, report.advice) == (0, "")
    assert copy.scan_documents() == shop.scan_documents()
    for id in ("refunds", "opening hours", "blank"):
        assert copy.document_chunks(id) == shop.document_chunks(id)
    np.testing.assert_array_equal(copy.document_vectors("refunds"), shop.document_vectors("refunds"))
    space, theirs = copy.space(), shop.space()
    assert space and theirs and space.identity == theirs.identity
    assert copy.record("chat", "c1").value == shop.record("chat", "c1").value
    assert copy.record("key", "k1") is None


def test_what_was_imported_is_found(archive: Path, new_store: NewStore) -> None:
    copy = new_store()
    import_(copy, archive)
    assert copy.search_text("receipt", 5)[0].chunk_id == "refunds:1"
    assert copy.search_vector(np.array([0, 0, 0.5, -1], dtype=np.float32), 5)


def test_a_copy_of_the_copy_is_the_same_file(archive: Path, new_store: NewStore, tmp_path: Path) -> None:
    copy = new_store()
    import_(copy, archive)
    assert export(copy, tmp_path / "again.zip").path.read_bytes() == archive.read_bytes()


def test_same_ids_are_replaced_and_others_stay(
    archive: Path, new_store: NewStore, written: Written, embed: Embed
) -> None:
    store = new_store()
    store.apply(Batch(documents=[written("refunds", "old", "older", "oldest"), written("mine", "my own text")]))
    store.apply(Batch(records=[Record("chat", "c1", {"title": "old"}), Record("chat", "c2", {"title": "mine"})]))
    embed(store)
    mine = store.document_vectors("mine")
    report = import_(store, archive)
    assert (report.added, report.replaced, report.unchanged) == (2, 1, 0)
    assert texts(store, "refunds") == ["Money back in 30 days.", "Keep the receipt."]
    assert texts(store, "mine") == ["my own text"]
    np.testing.assert_array_equal(store.document_vectors("mine"), mine)
    assert store.record("chat", "c1").value["title"] == "Hello"
    assert store.record("chat", "c2").value["title"] == "mine"
    assert store.check(thorough=True) == []


def test_a_second_import_changes_nothing(archive: Path, new_store: NewStore) -> None:
    copy = new_store()
    import_(copy, archive)
    report = import_(copy, archive)
    assert (report.added, report.replaced, report.unchanged, report.chunks, report.vectors) == (0, 0, 3, 0, 0)
    assert report.pending == 0


def test_unchanged_documents_keep_vectors_the_archive_lacks(shop: SqliteStore, tmp_path: Path) -> None:
    light = export(shop, tmp_path / "light.zip", vectors=False).path
    assert import_(shop, light).unchanged == 3
    assert shop.stats().pending == 0


@pytest.mark.parametrize("steps", range(1, 7))
def test_an_interrupted_import_can_be_run_again(
    shop: SqliteStore, archive: Path, new_store: NewStore, steps: int
) -> None:
    copy = new_store()

    def stop(done: int, total: int) -> None:
        if done == steps:
            raise Stop

    with pytest.raises(Stop):
        import_(copy, archive, progress=stop)
    if steps <= 3:
        assert copy.stats().documents == 0
    import_(copy, archive)
    assert content_digest(copy) == content_digest(shop)


def test_vectors_are_taken_up_where_they_are_missing(
    archive: Path, new_store: NewStore, identity: EmbedderIdentity
) -> None:
    """As after a crash between a document and its vectors."""
    copy = new_store()
    import_(copy, archive)
    copy.start_space(identity)
    report = import_(copy, archive)
    assert (report.unchanged, report.vectors, report.pending) == (3, 4, 0)


def test_progress_counts_checking_and_writing(archive: Path, new_store: NewStore) -> None:
    seen: list[tuple[int, int]] = []
    import_(new_store(), archive, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 6) for n in range(1, 7)]


def test_other_facts_are_taken_over_and_the_vectors_stay(
    new_store: NewStore, written: Written, embed: Embed, tmp_path: Path
) -> None:
    store, copy = new_store(), new_store()
    write = written("a", "Orders use Kafka.")
    facts = Facts(mentions=[Mention("order", 0, "Orders", "SERVICE", 0.5)])
    store.apply(Batch(documents=[replace(write, facts=facts)]))
    copy.apply(Batch(documents=[write]))
    embed(copy)
    report = import_(copy, export(store, tmp_path / "a.zip").path)
    assert (report.replaced, report.pending) == (1, 0)
    assert copy.facts("a") == store.facts("a")


def test_an_archive_of_the_first_version_has_no_graph(archive: Path, new_store: NewStore, tmp_path: Path) -> None:
    old = tmp_path / "old.zip"
    with zipfile.ZipFile(archive) as new, zipfile.ZipFile(old, "w") as zip:
        manifest = orjson.loads(new.read("manifest.json")) | {"version": 1}
        del manifest["members"]["facts.jsonl"]
        for name in manifest["members"]:
            zip.writestr(name, new.read(name))
        zip.writestr("manifest.json", orjson.dumps(manifest))
    store = new_store()
    report = import_(store, old)
    assert (report.added, report.vectors) == (3, 4)
    assert "without a graph" in report.advice


# --- vectors that do not fit --------------------------------------------------------------------------------------


def test_vectors_of_another_embedder_are_left_out(
    archive: Path, new_store: NewStore, identity: EmbedderIdentity
) -> None:
    store = new_store()
    store.start_space(replace(identity, model="newer"))
    report = import_(store, archive)
    assert (report.added, report.vectors, report.pending) == (3, 0, 2)
    for part in ("tiny", "newer", "`knowgate ingest`", "`knowgate reembed`"):
        assert part in report.advice
    assert store.document_vectors("refunds") is None


def test_no_space_is_begun_for_documents_already_there(archive: Path, new_store: NewStore, written: Written) -> None:
    store = new_store()
    store.apply(Batch(documents=[written("mine", "my own text")]))
    report = import_(store, archive)
    assert store.space() is None
    assert (report.vectors, report.pending) == (0, 3)
    assert "`knowgate ingest`" in report.advice


def test_an_archive_without_vectors_begins_no_space(shop: SqliteStore, new_store: NewStore, tmp_path: Path) -> None:
    store = new_store()
    report = import_(store, export(shop, tmp_path / "light.zip", vectors=False).path)
    assert store.space() is None
    assert report.pending == 2
    assert "`knowgate ingest`" in report.advice


def test_documents_that_waited_when_exported_wait_again(
    new_store: NewStore, written: Written, embed: Embed, tmp_path: Path
) -> None:
    store, copy = new_store(), new_store()
    store.apply(Batch(documents=[written(id, id, "x") for id in ("a", "ab", "b")]))
    embed(store, leave=("b",))
    report = import_(copy, export(store, tmp_path / "x.zip").path)
    assert (report.vectors, report.pending) == (4, 1)
    assert [waiting.document_id for waiting in copy.pending(10)] == ["b"]
    assert content_digest(copy) == content_digest(store)


def test_documents_of_others_that_wait_are_passed_over(
    archive: Path, new_store: NewStore, written: Written, identity: EmbedderIdentity
) -> None:
    store = new_store()
    store.start_space(identity)
    others = [f"{place}{n}" for place in ("a", "bm", "p", "z") for n in range(5)]
    store.apply(Batch(documents=[written(id, "waiting") for id in others]))
    assert import_(store, archive).vectors == 4
    assert [waiting.document_id for waiting in store.pending(100)] == sorted(others)


class Disturbed(SqliteStore):
    """Another process writes the document anew between its passages and its vectors."""

    other: DocumentWrite | None = None

    def pending(self, limit: int, after: str = "", among: Sequence[str] | None = None) -> list[Pending]:
        if self.other:
            self.apply(Batch(documents=[self.other]))
        return super().pending(limit, after, among)


def test_vectors_never_go_to_other_passages(archive: Path, new_store: NewStore, written: Written) -> None:
    store = new_store(Disturbed)
    store.other = written("refunds", "Changed in between.", "By somebody else.")
    import_(store, archive)
    assert texts(store, "refunds")[0] == "Changed in between."
    assert store.document_vectors("refunds") is None


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_source_known_under_another_id_is_refused(archive: Path, new_store: NewStore, written: Written) -> None:
    store = new_store()
    store.apply(Batch(documents=[written("other", "text", source="/docs/refunds.md")]))
    with pytest.raises(ConflictError) as refused:
        import_(store, archive)
    assert refused.value.code == "source_taken"
    assert store.stats().documents == 1


@pytest.mark.parametrize(
    ("name", "code"), [("missing.zip", "file_not_found"), (".", "unreadable_path"), ("x/y.zip", "unreadable_path")]
)
def test_a_bad_source_is_a_typed_error(new_store: NewStore, tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "x").write_text("a file, not a folder")
    with pytest.raises(InputError) as refused:
        import_(new_store(), tmp_path / name)
    assert refused.value.code == code


def test_an_archive_larger_than_allowed_is_refused(archive: Path, new_store: NewStore) -> None:
    store = new_store()
    with pytest.raises(LimitError) as refused:
        import_(store, archive, max_bytes=1000)
    assert refused.value.code == "too_large"
    assert store.stats().documents == 0


def test_kinds_of_records_must_be_allowed(shop: SqliteStore, new_store: NewStore, tmp_path: Path) -> None:
    """Else an archive could bring its own keys."""
    path = export(shop, tmp_path / "keys.zip", kinds=("key",)).path
    store = new_store()
    with pytest.raises(KnowgateError) as refused:
        import_(store, path)
    assert refused.value.code == "unexpected_record"
    assert store.stats().documents == 0
    assert import_(store, path, kinds=("key",)).records == 1
