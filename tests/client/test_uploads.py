"""Files and folders become uploads: the right ones, under the right names, in batches."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.client.call import Upload
from knowgate.client.errors import ValidationError
from knowgate.client.uploads import batches, ingest_calls, together
from knowgate.wire import IngestAnswer


def names(*paths: Path | str) -> list[str]:
    return [upload.name for call in ingest_calls(paths) for upload in call.uploads]


def test_files_of_a_folder_are_called_by_their_path_below_it(docs: Path) -> None:
    (docs / ".git").mkdir()
    (docs / ".git" / "config").touch()
    (docs / ".env").touch()
    (docs / "empty").mkdir()
    assert names(docs) == ["refunds.md", "guides/parcels.md"]


def test_a_file_is_called_by_its_name_even_a_hidden_one(docs: Path) -> None:
    (docs / ".notes.md").touch()
    assert names(docs / "guides" / "parcels.md", str(docs / ".notes.md")) == ["parcels.md", ".notes.md"]


def test_a_linked_folder_is_not_followed(docs: Path) -> None:
    try:
        (docs / "loop").symlink_to(docs, target_is_directory=True)
    except OSError:
        pytest.skip("this system does not let us make links")
    assert names(docs) == ["refunds.md", "guides/parcels.md"]


def test_what_ingest_leaves_out_is_not_sent(docs: Path) -> None:
    (docs / "node_modules").mkdir()
    (docs / "node_modules" / "a.js").touch()
    (docs / "Thumbs.db").touch()
    assert names(docs) == ["refunds.md", "guides/parcels.md"]


def test_a_link_that_leads_out_is_not_sent_unless_it_is_named(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("mine")
    try:
        (docs / "link.txt").symlink_to(tmp_path / "private.txt")
    except OSError:
        pytest.skip("this system does not let us make links")
    with pytest.warns(UserWarning, match=r"not sent.*: link\.txt$"):
        assert names(docs) == ["refunds.md", "guides/parcels.md"]
    assert names(docs / "link.txt") == ["link.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text_is_spelt_out(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).touch()
    assert names(tmp_path) == [r"caf\udce9.md"]


def test_two_files_of_one_name_are_refused(docs: Path) -> None:
    (docs / "guides" / "refunds.md").touch()
    with pytest.raises(ValidationError) as caught:
        names(docs / "refunds.md", docs / "guides" / "refunds.md")
    assert caught.value.code == "same_name"


def test_a_missing_path_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="never-was") as missing:
        ingest_calls(tmp_path / "never-was")
    assert missing.value.code == "unreadable_path"
    with pytest.raises(ValidationError) as empty:
        ingest_calls(tmp_path)
    assert empty.value.code == "nothing_to_ingest"


def test_exactly_one_thing_is_ingested() -> None:
    for call in (lambda: ingest_calls(), lambda: ingest_calls("a", url="https://a.example")):
        with pytest.raises(ValidationError) as caught:
            call()
        assert caught.value.code == "one_source"


def test_contents_need_a_name() -> None:
    for call in (
        lambda: ingest_calls(text="a"),
        lambda: ingest_calls(file=b"a"),
        lambda: ingest_calls(file=io.BytesIO()),
    ):
        with pytest.raises(ValidationError) as caught:
            call()
        assert caught.value.code == "no_filename"


def test_addresses_and_texts_go_without_upload() -> None:
    assert ingest_calls(url="https://a.example")[0].body == {"url": "https://a.example"}
    assert ingest_calls(text="", filename="a.md")[0].body == {"text": "", "filename": "a.md"}


@given(st.lists(st.integers(0, 20)), st.integers(1, 5), st.integers(1, 30))
def test_batches_keep_order_and_limits(sizes: list[int], max_files: int, max_bytes: int) -> None:
    uploads = [(Upload(str(number), b""), size) for number, size in enumerate(sizes)]
    made = list(batches(uploads, max_files, max_bytes))
    assert [upload.name for batch in made for upload in batch] == [str(number) for number in range(len(sizes))]
    for batch in made:
        assert 1 <= len(batch) <= max_files
        assert len(batch) == 1 or sum(sizes[int(upload.name)] for upload in batch) <= max_bytes


def test_many_batches_are_one_answer() -> None:
    one, two = IngestAnswer("t1", "Queued.", 100), IngestAnswer("t2", "Queued.", 7)
    assert together([one]) is one
    both = together([one, two])
    assert (both.task_id, both.file_count, both.filename) == ("t1,t2", 107, None)
