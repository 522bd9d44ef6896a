from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.apis.spec.folder import folder_reader


def test_files_below_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "api" / "models").mkdir(parents=True)
    (tmp_path / "api" / "models" / "a.json").write_bytes(b"{}")
    assert folder_reader(tmp_path / "api")("models/a.json") == b"{}"


def test_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "secret").write_bytes(b"s")
    (tmp_path / "api" / "large").write_bytes(b"12345")
    read = folder_reader(tmp_path / "api", limit=4)
    for path in ("../secret", str(tmp_path / "secret"), "missing", "large", "."):
        with pytest.raises(OSError):
            read(path)


def test_a_link_does_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "secret").write_bytes(b"s")
    try:
        (tmp_path / "api" / "link").symlink_to(tmp_path / "secret")
    except OSError:
        pytest.skip("no links here")
    with pytest.raises(PermissionError):
        folder_reader(tmp_path / "api")("link")
