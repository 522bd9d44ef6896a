"""A folder that is named means its own files, and nothing that a link in it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.folders import EXCLUDE, left_out, walk


def link(at: Path, to: Path) -> None:
    at.parent.mkdir(parents=True, exist_ok=True)
    try:
        at.symlink_to(to)
    except OSError:
        pytest.skip("this system does not let us make links")


def refuse(error: OSError) -> None:
    raise error


def found(root: Path, *, skip: Path | None = None) -> dict[str, bool]:
    return {path.relative_to(root).as_posix(): meant for path, meant in walk(root, EXCLUDE, refuse, skip)}


def test_a_link_to_a_file_of_the_folder_is_meant(docs: Path) -> None:
    link(docs / "guides" / "again.md", docs / "refunds.md")
    assert found(docs) == {"refunds.md": True, "guides/again.md": True, "guides/parcels.md": True}


def test_a_link_out_of_the_folder_is_not_meant(docs: Path, tmp_path: Path) -> None:
    beside = tmp_path / "docs-private.md"
    beside.write_text("mine")
    link(docs / "direct.md", beside)
    link(docs / "relative.md", Path("..", beside.name))
    link(docs / "twice.md", docs / "direct.md")
    assert [name for name, meant in found(docs).items() if not meant] == ["direct.md", "relative.md", "twice.md"]


@pytest.mark.parametrize("target", [".env", ".hidden/a.md", "node_modules/a.js", "guides/.notes.md", "index/store.db"])
def test_a_link_to_what_is_left_out_is_not_meant(docs: Path, target: str) -> None:
    path = docs / target
    path.parent.mkdir(exist_ok=True)
    path.write_text("SECRET=abc")
    link(docs / "notes.txt", path)
    assert found(docs, skip=docs / "index")["notes.txt"] is False


def test_broken_links_and_linked_folders_are_no_files(docs: Path) -> None:
    link(docs / "gone.md", docs / "never-was.md")
    link(docs / "loop.md", docs / "loop.md")
    link(docs / "again", docs / "guides")
    assert found(docs) == {"refunds.md": True, "guides/parcels.md": True}


def test_what_lies_above_the_folder_does_not_matter(tmp_path: Path) -> None:
    root = tmp_path / ".hidden" / "docs"
    root.mkdir(parents=True)
    assert not left_out(root / "a.md", root, EXCLUDE)
    assert left_out(root / "venv" / "lib" / "a.md", root, EXCLUDE)
