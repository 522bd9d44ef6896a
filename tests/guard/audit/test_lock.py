from __future__ import annotations

import threading
from pathlib import Path

import pytest

from knowgate.guard.audit.lock import locked, locked_for_reading


def test_one_thread_at_a_time(tmp_path: Path) -> None:
    inside = 0

    def work() -> None:
        nonlocal inside
        for _ in range(50):
            with locked(tmp_path / "lock"):
                inside += 1
                assert inside == 1
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside == 0


def test_who_cannot_have_it_is_told(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"), pytest.raises(TimeoutError), locked(tmp_path / "lock", patience=0):
        pass
    with locked(tmp_path / "lock", patience=0):
        pass


def test_an_error_inside_releases_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), locked(tmp_path / "lock"):
        raise ValueError("inside")
    with locked(tmp_path / "lock", patience=0):
        pass


def test_reading_makes_no_file(tmp_path: Path) -> None:
    with locked_for_reading(tmp_path / "lock"):
        assert not list(tmp_path.iterdir())


def test_readers_hold_writers_off(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"):
        pass
    with locked_for_reading(tmp_path / "lock"), pytest.raises(TimeoutError), locked(tmp_path / "lock", patience=0):
        pass
