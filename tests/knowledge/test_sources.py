import os
from pathlib import Path

import pytest

from knowgate.errors import DocumentError, InputError, LimitError
from knowgate.knowledge.sources import Listing, Source, document_id, list_files, read_file, resolve, vanished


def test_lists_files_below_a_folder_in_order(docs: Path) -> None:
    listing = list_files(docs, ())
    assert [file.name for file in listing.files] == ["refunds.md", "guides/parcels.md"]
    assert listing.files[0].source == str(docs / "refunds.md")


def test_hidden_and_excluded_files_are_left_out(docs: Path) -> None:
    (docs / ".secret.md").write_text("x")
    (docs / "node_modules").mkdir()
    (docs / "node_modules" / "readme.md").write_text("x")
    (docs / "draft.tmp").write_text("x")
    names = [file.name for file in list_files(docs, ("node_modules", "*.tmp", "guides/*")).files]
    assert names == ["refunds.md"]


def test_the_data_folder_inside_the_documents_is_left_out(docs: Path) -> None:
    (docs / "data").mkdir()
    (docs / "data" / "store.db").write_text("x")
    assert [file.name for file in list_files(docs, (), skip=docs / "data").files] == ["refunds.md", "guides/parcels.md"]


def test_a_sibling_folder_with_the_same_beginning_is_not_below(tmp_path: Path) -> None:
    listing = Listing((), ())
    known = [str(tmp_path / "docs" / "a.md"), str(tmp_path / "docs-old" / "a.md")]
    assert list(vanished(known, tmp_path / "docs", listing)) == known[:1]


def test_what_could_not_be_looked_at_is_not_gone(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    listing = Listing((Source(str(root / "a.md"), "a.md"),), (str(root / "locked"),))
    known = [str(root / "a.md"), str(root / "locked" / "b.md"), str(root / "c.md")]
    assert list(vanished(known, root, listing)) == [str(root / "c.md")]


def test_an_unreadable_folder_is_reported(docs: Path) -> None:
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("permissions do not bind this user")
    (docs / "guides").chmod(0)
    assert list_files(docs, ()).unreadable == (str(docs / "guides"),)


def test_one_file_has_one_spelling(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs)
    assert resolve("./guides/../refunds.md") == resolve("refunds.md") == docs / "refunds.md"
    assert document_id("a") == document_id("a") != document_id("b")


def test_a_missing_path_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        resolve(tmp_path / "nowhere")
    assert error.value.code == "file_not_found"


def test_reading_a_file(docs: Path) -> None:
    data, modified_at = read_file(docs / "refunds.md", 1000)
    assert data.startswith(b"# Refunds")
    assert modified_at == (docs / "refunds.md").stat().st_mtime
    with pytest.raises(LimitError, match="larger"):
        read_file(docs / "refunds.md", 10)
    with pytest.raises(InputError, match="folder"):
        read_file(docs / "guides", 10)
    with pytest.raises(DocumentError, match="gone"):
        read_file(docs / "none.md", 10)


def test_the_home_of_nobody() -> None:
    with pytest.raises(InputError) as refused:
        resolve("~nobody-of-this-name/notes")
    assert refused.value.code in ("unreadable_path", "file_not_found")
