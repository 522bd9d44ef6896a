"""Handing documents over, and what is known of the configuration when they are in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.errors import ConflictError, InputError
from knowgate.knowledge.graph import meta
from knowgate.knowledge.ingest import Progress
from knowgate.model import EmbedderIdentity

OTHER = {"entity_types": ["SERVICE", "PLANET"], "relation_types": ["CALLS"]}


def warnings(engine: Engine) -> tuple[str, ...]:
    return tuple(engine.graph_stats().warnings)


# Names


@pytest.mark.parametrize("given", ["/notes/../a.md", "notes//a.md", "..\\notes\\a.md", "./notes/a.md"])
def test_no_way_out_of_the_folder(engine: Engine, given: str) -> None:
    assert engine.submit(text="x", filename=given).sources == ("notes/a.md",)
    assert engine.submit_contents([(given, b"x")]).sources == ("notes/a.md",)


def test_two_of_one_name_are_refused(engine: Engine) -> None:
    with pytest.raises(InputError) as error:
        engine.submit_contents([("a.md", b"# One"), ("b.md", b"# Two"), ("/a.md", b"# Three")])
    assert error.value.code == "same_name"
    assert "a.md" in error.value.message
    assert engine.tasks() == []
    assert not engine.store.scan_records("upload")


def test_what_was_brought_in_meanwhile_is_not_replaced_unasked(engine: Engine) -> None:
    first, second, same = (
        engine.submit_contents([("plan.md", content)], replacing=False)
        for content in (b"# Plan\n\nanna's", b"# Plan\n\nbob's", b"# Plan\n\nanna's")
    )
    assert engine.run(first.id).status == "completed"
    assert engine.run(second.id).status == "failed"
    assert [file.error and file.error["code"] for file in engine.task_files(second.id)] == ["document_exists"]
    assert engine.run(same.id).skipped == 1
    assert [chunk.text for chunk in engine.passages(engine.document("plan.md"))] == ["Plan\n\nanna's"]


# What changed since documents were indexed


def test_a_changed_schema_is_told_of_until_no_document_keeps_the_old_types(open_engine: Callable[..., Engine]) -> None:
    before = open_engine()
    for name in ("a.md", "b.md"):
        before.ingest(text="# Orders\n\nThe order service calls billing.\n", filename=name)
    assert warnings(before) == ()
    after = open_engine(schema=OTHER)
    after.ingest(text="# Note\n\nunrelated\n", filename="note.md")
    assert "PLANET" in warnings(after)[0]
    after.ingest(text="# Orders\n\nThe order service calls billing.\n", filename="a.md")
    assert "PLANET" in warnings(after)[0]
    after.ingest(text="# Orders\n\nThe order service calls billing.\n", filename="b.md")
    assert warnings(after) == ()


def test_with_folders_configured_indexing_them_counts(docs: Path, open_engine: Callable[..., Engine]) -> None:
    open_engine(docs=(docs,)).ingest()
    after = open_engine(docs=(docs,), schema=OTHER)
    after.ingest(text="# Note\n\nunrelated\n", filename="note.md")
    after.ingest([docs / "refunds.md"])
    assert warnings(after)
    after.ingest()
    assert warnings(after) == ()


def test_a_folder_that_is_a_link_counts(docs: Path, tmp_path: Path, open_engine: Callable[..., Engine]) -> None:
    if os.name == "nt":
        pytest.skip("links need a privilege on Windows")
    link = tmp_path / "link"
    link.symlink_to(docs, target_is_directory=True)
    engine = open_engine(docs=(link,))
    engine.ingest()
    assert meta.read(engine.settings.data)


def test_a_folder_that_is_gone_does_not_end_other_work(tmp_path: Path, open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(docs=(tmp_path / "gone",))
    assert engine.ingest(text="# Note\n\nunrelated\n", filename="note.md").status == "completed"
    assert meta.read(engine.settings.data) is None


def test_documents_without_their_vectors_are_not_yet_indexed(engine: Engine) -> None:
    engine.store.start_space(EmbedderIdentity("openai", "other", 3))
    assert engine.ingest(text="# Note\n\nunrelated\n", filename="note.md").error
    assert meta.read(engine.settings.data) is None
    engine.reembed()
    assert meta.read(engine.settings.data)


def test_a_task_that_was_cancelled_before_all_vectors_were_made_is_tried_again_without_its_contents(
    engine: Engine,
) -> None:
    def cancel(progress: Progress) -> None:
        if progress.stage == "reading" and progress.done == progress.total:
            engine.cancel(task_id)

    task_id = engine.submit_contents([("a.md", b"# One\n\ncopper\n"), ("b.md", b"# Two\n\ntin\n")]).id
    assert engine.run(task_id, cancel).status == "cancelled"
    assert (engine.stats().documents, engine.stats().pending) == (2, 2)
    again = engine.run(engine.retry(task_id).id)
    assert (again.status, again.error, again.total, again.skipped) == ("completed", None, 2, 2)
    assert engine.stats().pending == 0
    engine.delete("a.md")
    with pytest.raises(ConflictError, match="not kept"):
        engine.retry(task_id)


def test_contents_that_were_never_read_are_handed_over_again(engine: Engine) -> None:
    task_id = engine.submit_contents([("a.md", b"# One\n\ncopper\n")]).id
    engine.cancel(task_id)
    with pytest.raises(ConflictError, match="not kept"):
        engine.retry(task_id)
