import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.config.settings import Chunk
from knowgate.errors import DocumentError, InputError
from knowgate.knowledge.ingest import Progress
from knowgate.store.port import Batch


def names(engine: Engine) -> list[str]:
    return [document.name for document in engine.documents().documents]


def test_a_folder_goes_in(engine: Engine, docs: Path) -> None:
    task = engine.ingest([docs])
    assert (task.status, task.stage, task.completed, task.failed) == ("completed", "done", 2, 0)
    assert names(engine) == ["guides/parcels.md", "refunds.md"]
    stats = engine.stats()
    assert (stats.documents, stats.pending) == (2, 0)
    assert stats.vectors == stats.chunks


def test_unchanged_skipped_changed_replaced_vanished_removed(engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    assert engine.ingest([docs]).skipped == 2
    (docs / "refunds.md").write_text("# Refunds\n\nVouchers only.\n", encoding="utf-8")
    (docs / "guides" / "parcels.md").unlink()
    (docs / "new.txt").write_text("A new page about gift wrapping.", encoding="utf-8")
    task = engine.ingest([docs])
    assert (task.completed, task.skipped, task.removed) == (2, 0, 1)
    assert names(engine) == ["new.txt", "refunds.md"]
    assert engine.search("card five days", mode="keyword").hits == ()
    assert engine.search("vouchers", mode="keyword").hits[0].document.name == "refunds.md"
    assert engine.search("courier parcel", mode="keyword").hits == ()


def test_force_reads_again(engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    task = engine.ingest([docs], force=True)
    assert (task.completed, task.skipped) == (2, 0)
    assert engine.stats().documents == 2


def test_another_size_of_passages_reads_again(docs: Path, open_engine: Callable[..., Engine]) -> None:
    open_engine().ingest([docs])
    assert open_engine(chunk=Chunk(tokens=64)).ingest([docs]).completed == 2


def test_one_bad_file_does_not_stop_the_run(engine: Engine, docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing here")
    (docs / "empty.md").write_bytes(b"")
    (docs / "holiday.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    task = engine.ingest([docs])
    assert (task.status, task.completed, task.ignored, task.failed) == ("completed", 2, 2, 1)
    told = {file.name: file for file in engine.task_files(task.id)}
    assert (told["empty.md"].status, told["holiday.png"].status) == ("ignored", "ignored")
    assert told["broken.pdf"].status == "failed"
    assert told["broken.pdf"].error is not None
    assert all(told["broken.pdf"].error[key] for key in ("code", "error", "fix"))


def test_a_task_whose_files_all_fail_has_failed(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    assert engine.ingest([tmp_path / "empty.txt"]).status == "failed"


def test_a_file_that_breaks_later_keeps_its_last_good_version(engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    (docs / "refunds.md").write_bytes(b"%PDF-1.7\nnothing")
    assert engine.ingest([docs]).failed == 1
    assert engine.search("card five days", mode="keyword").hits[0].document.name == "refunds.md"


def test_the_same_name_in_two_folders_is_two_documents(engine: Engine, tmp_path: Path) -> None:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "readme.md").write_text(f"# Readme\n\nThis is the {side} one.\n", encoding="utf-8")
        engine.ingest([tmp_path / side])
    assert names(engine) == ["readme.md", "readme.md"]
    with pytest.raises(Exception, match=r"2 documents are called readme\.md"):
        engine.delete("readme.md")
    engine.delete(str(tmp_path / "left" / "readme.md"))
    assert engine.search("right", mode="keyword").hits
    assert not engine.search("left", mode="keyword").hits


def test_a_file_and_its_folder_are_one_document(engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.ingest([docs / "refunds.md"])
    monkeypatch.chdir(docs.parent)
    assert engine.ingest(["./docs/../docs"]).skipped == 1
    assert engine.stats().documents == 2


def test_a_text_goes_in_under_its_name(engine: Engine) -> None:
    engine.ingest(text="The harbour closes at nine.", filename="hours.txt")
    engine.ingest(text="The harbour closes at ten.", filename="hours.txt")
    hit = engine.search("when does the harbour close").hits[0]
    assert (hit.document.name, hit.document.source) == ("hours.txt", "text:hours.txt")
    assert "ten" in hit.chunk.text
    assert engine.stats().documents == 1
    assert not engine.store.scan_records("upload")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"sources": ["/no/such/folder"]}, "file_not_found"),
        ({"sources": [""]}, "empty_source"),
        ({"text": "x"}, "bad_text"),
        ({"text": "x", "filename": "a", "sources": ["b"]}, "bad_text"),
        ({}, "nothing_to_ingest"),
    ],
)
def test_bad_input(engine: Engine, arguments: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as error:
        engine.ingest(**arguments)
    assert error.value.code == code


def test_a_private_address_is_refused(engine: Engine) -> None:
    task = engine.ingest(["http://127.0.0.1:9/secret"])
    assert task.status == "failed"
    error = engine.task_files(task.id)[0].error
    assert error is not None
    assert error["code"] == "private_address"


def test_keywords_find_a_document_before_its_vectors_are_there(engine: Engine, docs: Path) -> None:
    found: list[int] = []

    def look(progress: Progress) -> None:
        if progress.stage == "embedding" and not found:
            found.append(len(engine.search("courier", mode="keyword").hits))

    engine.ingest([docs], report=look)
    assert found == [1]


def test_progress_counts_up_to_the_total(engine: Engine, docs: Path) -> None:
    seen: list[Progress] = []
    engine.ingest([docs], report=seen.append)
    reading = [progress for progress in seen if progress.stage == "reading"]
    assert (reading[-1].done, reading[-1].total) == (2, 2)
    embedding = [progress for progress in seen if progress.stage == "embedding"]
    assert embedding[-1].done == embedding[-1].total == engine.stats().chunks


def test_a_cancelled_task_stops_and_says_so(engine: Engine, docs: Path) -> None:
    for n in range(30):
        (docs / f"{n}.txt").write_text(f"Number {n}.", encoding="utf-8")
    task = engine.submit([docs])

    def cancel(progress: Progress) -> None:
        if progress.stage == "reading" and progress.done == 3:
            engine.cancel(task.id)

    done = engine.run(task.id, cancel)
    assert done.status == "cancelled"
    assert 3 <= done.completed < 32
    with pytest.raises(Exception, match="already finished"):
        engine.cancel(task.id)
    assert engine.ingest([docs]).status == "completed"
    assert engine.stats().documents == 32


def test_an_abandoned_task_is_taken_up_where_it_was_left(docs: Path, open_engine: Callable[..., Engine]) -> None:
    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.stage == "reading" and progress.done == 1:
            raise Stop

    first = open_engine()
    task = first.submit([docs])
    with pytest.raises(Stop):
        first.run(task.id, stop)
    first.close()
    second = open_engine()
    assert [waiting.id for waiting in second.rooms.tasks.unfinished()] == [task.id]
    done = second.run(task.id)
    assert (done.status, done.completed) == ("completed", 2)
    assert second.rooms.tasks.unfinished() == []


def test_two_engines_share_the_work_and_nothing_is_done_twice(docs: Path, open_engine: Callable[..., Engine]) -> None:
    for n in range(40):
        (docs / f"{n}.txt").write_text(f"Number {n} of many.", encoding="utf-8")
    engines = [open_engine(), open_engine()]
    tasks = [engine.submit([docs]) for engine in engines]
    threads = [
        threading.Thread(target=engine.run, args=(task.id,)) for engine, task in zip(engines, tasks, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [engine.task(task.id) for engine, task in zip(engines, tasks, strict=True)]
    assert sum(task.completed for task in done) == 42
    assert sum(task.skipped for task in done) == 42
    stats = engines[0].stats()
    assert (stats.documents, stats.pending) == (42, 0)


def test_reembed_begins_a_new_space_only_for_a_new_embedder(engine: Engine, docs: Path) -> None:
    from knowgate.model import EmbedderIdentity

    engine.ingest([docs])
    before = engine.store.space()
    assert engine.reembed().status == "completed"
    assert engine.store.space() == before
    engine.store.start_space(EmbedderIdentity("openai", "other", 3))
    task = engine.ingest([docs])
    assert task.error is not None
    assert task.error["code"] == "embedder_changed"
    assert engine.reembed().status == "completed"
    assert engine.stats().pending == 0
    assert engine.search("reimbursement", mode="vector", limit=1).hits[0].document.name == "refunds.md"


def test_a_link_to_a_folder_above_does_not_loop(engine: Engine, docs: Path) -> None:
    if os.name == "nt":
        pytest.skip("links need a privilege on Windows")
    (docs / "guides" / "up").symlink_to(docs, target_is_directory=True)
    assert engine.ingest([docs]).completed == 2


def test_the_task_tells_how_far_its_vectors_are(engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from knowgate.knowledge import ingest

    monkeypatch.setattr(ingest, "_NOTE_SECONDS", 0.0)
    long = "\n\n".join(f"# Part {number}\n\n" + f"Copper line {number}. " * 60 for number in range(50))
    (docs / "long.md").write_text(long)
    task_id = engine.submit([docs]).id
    seen: list[tuple[int, int]] = []

    def report(progress: ingest.Progress) -> None:
        if progress.stage == "embedding":
            task = engine.task(task_id)
            seen.append((task.embedded, task.passages))
            assert seen[-1] == (progress.done, progress.total)

    done = engine.run(task_id, report)
    assert len(set(seen)) > 2
    assert seen == sorted(seen)
    assert done.embedded == done.passages == engine.stats().vectors == engine.stats().chunks


def test_a_link_that_leads_out_goes_from_the_index_unless_it_lies_within_another_folder(
    engine: Engine, docs: Path
) -> None:
    link = docs / "guides" / "again.md"
    try:
        link.symlink_to(docs / "refunds.md")
    except OSError:
        pytest.skip("this system does not let us make links")
    assert engine.ingest([docs]).completed == 3
    both = engine.ingest([docs / "guides", docs])
    assert (both.skipped, both.ignored, both.removed) == (3, 0, 0)
    part = engine.ingest([docs / "guides"])
    assert (part.skipped, part.ignored, part.removed) == (1, 1, 1)
    assert [file.name for file in engine.task_files(part.id) if file.status == "ignored"] == ["again.md"]


def test_a_file_added_by_another_process_meanwhile_has_not_vanished(
    docs: Path, open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    from knowgate.knowledge import ingest, sources

    first, second = open_engine(), open_engine()

    def listed_then_added(*arguments: object, **options: object) -> sources.Listing:
        listing = sources.list_files(*arguments, **options)
        monkeypatch.undo()
        (docs / "late.md").write_text("# Late\n\nCame during the walk.\n", encoding="utf-8")
        second.ingest([docs / "late.md"])
        return listing

    monkeypatch.setattr(ingest, "list_files", listed_then_added)
    assert first.ingest([docs]).removed == 0
    assert "late.md" in names(first)


def test_a_task_cancelled_before_it_began_is_not_run(docs: Path, open_engine: Callable[..., Engine]) -> None:
    first, second = open_engine(), open_engine()
    task = first.submit([docs])
    assert first.cancel(task.id).status == "cancelled"
    assert second.run(task.id).status == "cancelled"
    assert second.stats().documents == 0


def test_new_vectors_asked_of_one_embedder_are_not_undone_by_a_process_with_another(
    docs: Path, open_engine: Callable[..., Engine], embedding_server: str
) -> None:
    from knowgate.config.settings import Embedder

    local = open_engine()
    local.ingest([docs])
    other = open_engine(
        embedder=Embedder(provider="openai", model="tiny", base_url=embedding_server, api_key="k", dimension=4)
    )
    task = other.submit_reembed()
    assert local.interrupted() == []
    with pytest.raises(Exception, match="knowgate reembed"):
        local.run(task.id)
    assert [waiting.id for waiting in other.interrupted()] == [task.id]
    assert other.run(task.id).status == "completed"
    space = other.store.space()
    assert space is not None
    assert space.identity.model == "tiny"


def test_an_unexpected_exception_is_the_failure_of_one_file(
    engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from knowgate.knowledge import reading

    real = reading.chunk

    def chunk(parsed: object, id: str, title: str, *rest: object) -> object:
        if title == "Refunds":
            raise ZeroDivisionError
        return real(parsed, id, title, *rest)

    monkeypatch.setattr(reading, "chunk", chunk)
    task = engine.ingest([docs])
    assert (task.status, task.completed, task.failed) == ("completed", 1, 1)
    monkeypatch.undo()
    assert engine.ingest([docs]).completed == 1


def test_given_fields_reach_an_unchanged_document(engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    task = engine.submit([docs], fields={"team": "anchor", "long": 2**70})
    assert engine.run(task.id).completed == 2
    assert engine.document("refunds.md").fields["team"] == "anchor"
    assert engine.run(engine.submit([docs], fields={"team": "anchor"}).id).skipped == 2


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("https://user:hunter2@example.com/", "bad_url"),
        ("FTP://example.com/x", "bad_url"),
        ("file:///etc/passwd", "bad_url"),
    ],
)
def test_addresses_are_checked_before_they_are_written_down(engine: Engine, source: str, code: str) -> None:
    with pytest.raises(InputError) as error:
        engine.submit([source])
    assert error.value.code == code
    assert "hunter2" not in str(error.value)
    assert engine.tasks() == []


def test_one_page_has_one_address(engine: Engine) -> None:
    task = engine.submit(["HTTPS://Example.com/page#one"])
    assert task.sources == ("https://example.com/page",)


@pytest.mark.parametrize("name", ["a\x00b", "caf\udce9.txt"])
def test_a_filename_must_be_text(engine: Engine, name: str) -> None:
    with pytest.raises(InputError) as error:
        engine.ingest(text="x", filename=name)
    assert error.value.code == "bad_name"


def test_a_misnamed_file_is_reported_and_the_rest_goes_in(engine: Engine, docs: Path) -> None:
    try:
        (docs / "caf\udce9.txt").write_text("hello", encoding="utf-8")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system takes only valid names")
    task = engine.ingest([docs])
    assert (task.completed, task.failed) == (2, 1)
    failed = [file for file in engine.task_files(task.id) if file.status == "failed"]
    assert failed[0].error is not None
    assert failed[0].error["code"] == "bad_name"


def test_asking_again_replaces_what_was_interrupted(docs: Path, open_engine: Callable[..., Engine]) -> None:
    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.done == 1:
            raise Stop

    first = open_engine()
    left = first.submit([docs])
    waiting = first.submit([docs / "refunds.md"])
    with pytest.raises(Stop):
        first.run(left.id, stop)
    first.close()
    second = open_engine()
    again = second.submit([docs])
    assert second.task(waiting.id).status == "pending"
    second.cancel(waiting.id)
    assert second.task(left.id).status == "cancelled"
    assert second.run(again.id).status == "completed"
    assert second.stats().documents == 2
    assert second.rooms.tasks.unfinished() == []


def test_a_long_document_is_embedded_in_stretches_that_survive(
    engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from knowgate.knowledge import embedding

    monkeypatch.setattr(embedding, "_STRETCH", 4)
    monkeypatch.setattr(embedding, "_PASSAGES", 2)
    sections = "\n\n".join(f"# Part {n}\n\n" + f"Sentence about subject {n}. " * 60 for n in range(10))
    (docs / "aaa-long.md").write_text(sections, encoding="utf-8")

    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.stage == "embedding" and progress.done >= 8:
            raise Stop

    with pytest.raises(Stop):
        engine.ingest([docs], report=stop)
    done = engine.stats().vectors
    assert done >= 4
    seen: list[int] = []
    engine.ingest([docs], report=lambda progress: seen.append(progress.done) if progress.stage == "embedding" else None)
    assert seen[0] > done
    stats = engine.stats()
    assert (stats.vectors, stats.pending) == (stats.chunks, 0)


def test_a_model_that_does_not_answer_costs_no_vectors(docs: Path, open_engine: Callable[..., Engine]) -> None:
    from knowgate.config.settings import Embedder
    from knowgate.errors import NetworkError

    local = open_engine()
    local.ingest([docs])
    gone = open_engine(
        embedder=Embedder(provider="openai", model="x", base_url="http://127.0.0.1:9/v1", api_key="k", dimension=4)
    )
    with pytest.raises(NetworkError):
        gone.reembed()
    assert local.stats().pending == 0
    assert local.search("reimbursement", mode="vector", limit=1).hits[0].document.name == "refunds.md"


def test_what_the_store_never_takes_fails_alone(engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = engine.store.apply

    def picky(batch: Batch) -> None:
        if any(write.document.name == "refunds.md" for write in batch.documents):
            raise DocumentError("store_refused", "Too large.", "Split it.")
        apply(batch)

    monkeypatch.setattr(engine.store, "apply", picky)
    task = engine.ingest([docs])
    assert (task.status, task.completed, task.failed) == ("completed", 1, 1)
    [failed] = [file.error for file in engine.task_files(task.id) if file.status == "failed"]
    assert failed is not None
    assert failed["code"] == "store_refused"
    assert not engine.store.scan_records("lease")
